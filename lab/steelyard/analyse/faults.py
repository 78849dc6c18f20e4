"""The outcome of work during faults: counts by subject and fault, their frequency, and the goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..base.text import join_words, plural
from ..models.records import FaultRecord
from ..models.study import Fault
from ..models.verdict import FaultOutcome, FaultRow
from ..results.stored_run import Run
from ..statistics.interval import CONFIDENCE
from ..statistics.proportions import exact_interval
from .sentences import HERE, Wording


@dataclass(frozen=True)
class Met:
    """All injections of one fault into one subject, in the order of trials, including trials that ended early."""

    subject: str
    fault: Fault
    records: Sequence[FaultRecord]

    @property
    def counted_records(self) -> list[FaultRecord]:
        """The injections after which work was counted."""
        return [record for record in self.records if record.counts]


def is_of_faults(run: Run) -> bool:
    """Whether the run injects faults. Such a run measures no times and has no verdict on them."""
    return bool(run.schedule.faults)


def fault_rows(run: Run) -> list[FaultRow]:
    """One row for each subject and fault, in the order of subjects; empty for a run without faults."""
    return [_row(run, met) for met in _records_by_fault(run)]


def _records_by_fault(run: Run) -> Iterator[Met]:
    records = [record for trial in run.trials for record in trial.record_or_empty.faults]
    for subject in run.schedule.subjects:
        for fault in run.schedule.faults:
            mine = [record for record in records if (record.subject, record.fault) == (subject, fault.name)]
            yield Met(subject, fault, mine)


def _row(run: Run, met: Met) -> FaultRow:
    outcomes = run.schedule.aftermath.outcomes if run.schedule.aftermath is not None else []
    return FaultRow(
        subject=met.subject,
        fault=met.fault.name,
        title=met.fault.title or met.fault.name,
        planned=met.fault.times * sum(met.subject in trial.start_order for trial in run.schedule.trials),
        times=len(met.records),
        not_back=sum(not record.back for record in met.records),
        unsettled=sum(record.back and bool(record.counts) and not record.settled for record in met.records),
        accepted=sum(record.counts["accepted"] for record in met.counted_records),
        confidence=CONFIDENCE,
        outcomes=[_outcome(run, met, outcome.name, outcome.title) for outcome in outcomes],
    )


def _outcome(run: Run, met: Met, name: str, title: str) -> FaultOutcome:
    counts = [record.counts[name] for record in met.counted_records]
    hit = sum(count > 0 for count in counts)
    promised = next(
        (
            promised
            for promised in run.schedule.promises
            if (promised.subject, promised.fault, promised.outcome) == (met.subject, met.fault.name, name)
        ),
        None,
    )
    return FaultOutcome(
        outcome=name,
        title=title,
        total=sum(counts),
        most=max(counts, default=0),
        hit=hit,
        share=exact_interval(hit, len(counts)),
        promised=promised.most if promised is not None else None,
        why=promised.why if promised is not None else "",
        broken=sum(promised is not None and count > promised.most for count in counts),
    )


def fault_sentences(run: Run, rows: Sequence[FaultRow]) -> Iterator[Wording]:
    """One sentence for each subject: how much of its work was lost, doubled and so on, and whether that keeps its goals."""
    work = run.schedule.aftermath.work if run.schedule.aftermath is not None else "work"
    for subject in run.schedule.subjects:
        mine = [row for row in rows if row.subject == subject]
        times = sum(row.times for row in mine)
        if not times:
            yield Wording(f"{subject} had no fault")
            continue
        accepted = sum(row.accepted for row in mine)
        basis = f"{plural(times, 'fault')}, {accepted:,} {work} accepted in their blocks"
        yield Wording(f"{subject}, {HERE}: {_sums(mine)}", basis, " ".join(_goal_sentences(mine, work)))


def outcome_titles(rows: Sequence[FaultRow]) -> dict[str, str]:
    """The titles of the outcomes by name, in the order of the service's file."""
    return {outcome.outcome: outcome.title for row in rows for outcome in row.outcomes}


def outcome_total(rows: Sequence[FaultRow], name: str) -> int:
    """The number of pieces of work with this outcome, over all rows."""
    return sum(outcome.total for row in rows for outcome in row.outcomes if outcome.outcome == name)


def _sums(rows: Sequence[FaultRow]) -> str:
    titles = outcome_titles(rows)
    sums = {name: outcome_total(rows, name) for name in titles}
    totals = [f"{total:,} {titles[name]}" for name, total in sums.items() if total]
    none = [titles[name] for name, total in sums.items() if not total]
    return join_words([*totals, *([f"none {join_words(none, 'or')}"] if none else [])])


def _goal_sentences(rows: Sequence[FaultRow], work: str) -> Iterator[str]:
    """Goals that were not kept, or that all were kept; and processes or work that did not come back or finish."""
    broken = [(row, outcome) for row in rows for outcome in row.outcomes if outcome.broken]
    for row, outcome in broken:
        yield (
            f"It broke its goal of at most {outcome.promised} {work} {outcome.title} after {row.fault} "
            f"in {outcome.broken} of {plural(row.times, 'fault')}: {outcome.most} at worst."
        )
    if not broken and any(outcome.promised is not None for row in rows for outcome in row.outcomes):
        yield "It kept its goals."
    if away := sum(row.not_back for row in rows):
        yield f"A process did not come back after {plural(away, 'fault')}."
    if unsettled := sum(row.unsettled for row in rows):
        yield f"Work was still unfinished at the end of the wait after {plural(unsettled, 'fault')}."
