"""The figures of a comparison of two running subjects, from its stored run folder: comparison.json."""

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
    "which of them would be better after a restart: neither was restarted, and two starts of one server may differ for as "
    "long as they run",
    "why they differ: Steelyard did not start their processes, so their processor time and memory are not known",
    "work of one subject in the other's slices: both keep running, and deferred work of one may slow the other",
]


@dataclass(frozen=True)
class ComparedRun:
    """An analysed comparison: each subject's name and address by label, the load in words, the reason for an early stop, and the
    operations that were not loaded."""

    analysed: Analysis
    subjects: Mapping[str, tuple[str, str]]
    load: str
    stopped: str | None
    not_loaded: list[LeftOut]


def compared_output(compared: ComparedRun) -> RunningComparison:
    """The output of `compare --json` for two running subjects."""
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
        operations=compared.analysed.verdicts.operations,
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
        return Estimate(value=None, why_not=f"fewer than {LEAST_PAIRS} pairs in which both subjects answered")
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
    """All requests sent to a subject: verification, warm-up, measured, and interrupted."""
    tables = sorted(run.folder.glob("*/*/slices.csv"))
    return sum(row.sent for table in tables for row in read_slices(table, True).values() if row.subject == label)
