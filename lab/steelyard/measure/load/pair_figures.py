"""The figures of a comparison of two subjects that run, from its stored run folder: comparison.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...analyse import load_figures as figures
from ...analyse.analysis import Analysis
from ...analyse.pairing import measured_slices
from ...analyse.ratios import LEAST_PAIRS
from ...analyse.verdicts import Judgement
from ...models.outputs.loading import ComparedSide, Estimate, RunningComparison
from ...models.outputs.own_service import LeftOut
from ...results.outcomes import RequestCounts, judged_counts
from ...results.stored_run import Run
from ...results.tables import SliceRow, read_slices

__all__ = ["LEAST_PAIRS", "ComparedRun", "compared_output"]
_CANNOT_SAY = [
    "which of them would be better after another start: neither was started anew, and two starts of one server may differ for as "
    "long as they live",
    "why they differ: the processor time and memory of processes that are not ours are not known",
    "what one does in the other's slice: both run on, and deferred work of one may slow the other",
]


@dataclass(frozen=True)
class ComparedRun:
    """An analysed comparison: by label what the user calls each subject and its address, the load in words, why it was stopped, and
    what was not loaded."""

    analysed: Analysis
    subjects: Mapping[str, tuple[str, str]]
    load: str
    stopped: str | None
    not_loaded: list[LeftOut]


def compared_output(compared: ComparedRun) -> RunningComparison:
    """What `compare --json` prints of two subjects that run."""
    run = compared.analysed.run
    judged = next(judgement for judgement in compared.analysed.judgements if judgement.compared.primary)
    rows = {label: _measured_slices(run, label) for label in compared.subjects}
    why_not = [
        f"{compared.subjects[label][0]}: {row.why_not}" for label, own in rows.items() for row in own if row.why_not
    ]
    return RunningComparison(
        subjects=[_side(run, label, compared.subjects[label], own) for label, own in rows.items()],
        load=compared.load,
        measure="goodput" if judged.gap is not None else judged.compared.measure.title.lower(),
        ratio=_estimate(judged),
        failures_differ=None if judged.gap is None else f"{judged.gap.sentence}: more than chance explains",
        word=None,
        forks=1,
        pairs=judged.compared.pairs,
        stopped=compared.stopped,
        valid=not why_not,
        why_not=list(dict.fromkeys(why_not)),
        cannot_say=_CANNOT_SAY,
        not_loaded=compared.not_loaded,
        run=str(run.folder),
    )


def _estimate(judged: Judgement) -> Estimate:
    interval = judged.compared.interval
    if interval is None:
        return Estimate(value=None, why_not=f"fewer than {LEAST_PAIRS} pairs in which both answered")
    return Estimate(value=judged.compared.ratio, low=interval.low, high=interval.high)


def _measured_slices(run: Run, label: str) -> list[SliceRow]:
    return [
        trial.slices[number]
        for trial in run.trials
        for cell in run.schedule.cells
        for number in measured_slices(trial, cell.name, label).values()
    ]


def _side(run: Run, label: str, named: tuple[str, str], rows: Sequence[SliceRow]) -> ComparedSide:
    completed = sum(row.completed for row in rows)
    failures: dict[str, int] = {}
    requests = RequestCounts()
    for row in rows:
        requests += judged_counts(row, run.trials[0].outcomes.get(row.slice, []))
        for kind, count in figures.kinds_of(row).items():
            failures[kind] = failures.get(kind, 0) + count
    return ComparedSide(
        label=named[0],
        target=named[1],
        throughput_per_s=completed / max(1e-9, sum(row.seconds for row in rows)),
        response_mean_ms=sum(row.response_ns_sum for row in rows) / completed / 1e6 if completed else None,
        completed=completed,
        failed=sum(failures.values()),
        failures=failures,
        sent=_requests_sent(run, label),
        requests=figures.totals(requests),
    )


def _requests_sent(run: Run, label: str) -> int:
    """Everything that a subject was sent: verified, warmed up, measured, and cut short."""
    tables = sorted(run.folder.glob("*/*/slices.csv"))
    return sum(row.sent for table in tables for row in read_slices(table, True).values() if row.subject == label)
