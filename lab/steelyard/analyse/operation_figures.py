"""Each operation of a mix by subject: answers and failures of all measured slices, and percentiles of response time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..base.histogram import Histogram, merge_histograms
from ..models.records import Cell
from ..models.verdict import OperationFigure
from ..plan.kinds import unbroken
from ..results.outcomes import JUDGED, RIGHT, OutcomeRow, request_counts
from ..results.stored_run import Run
from ..statistics.checks import percentile_refusal
from .pairing import counted_slices, measured_slices


def operation_figures(run: Run) -> list[OperationFigure]:
    """The rows of every cell whose mix has several operations, subject by subject; none of runs without a table of outcomes."""
    if len(run.schedule.subjects) < 2:
        return []
    return [
        figure
        for cell in run.schedule.cells
        if len(cell.mix) > 1
        for subject in run.schedule.subjects
        for figure in _of_subject(run, cell, subject)
    ]


def _of_subject(run: Run, cell: Cell, subject: str) -> Iterator[OperationFigure]:
    outcomes: dict[str, list[OutcomeRow]] = {}
    for trial in run.trials:
        for number in measured_slices(trial, cell.name, subject).values():
            for row in trial.outcomes.get(number, ()):
                if row.ended in JUDGED:
                    outcomes.setdefault(row.operation, []).append(row)
    order = {name: place for place, name in enumerate(cell.mix)}
    for operation in sorted(outcomes, key=lambda name: (order.get(name, len(order)), name)):
        yield _figure(run, cell, subject, operation, outcomes[operation])


def _figure(run: Run, cell: Cell, subject: str, operation: str, rows: Sequence[OutcomeRow]) -> OperationFigure:
    counts, times = request_counts(rows), _times(run, cell, subject, operation)
    failures: dict[str, int] = {}
    for row in rows:
        if row.outcome != RIGHT:
            failures[row.outcome] = failures.get(row.outcome, 0) + row.count
    return OperationFigure(
        subject=subject,
        cell=cell.name,
        operation=operation,
        right=counts.right,
        wrong=counts.wrong,
        failed=counts.failed,
        unanswered=counts.unanswered,
        failures=failures,
        mean_ms=times.mean() / 1000 if times.total else None,
        p50_ms=_percentile(times, 0.5),
        p95_ms=_percentile(times, 0.95),
        p99_ms=_percentile(times, 0.99),
    )


def _times(run: Run, cell: Cell, subject: str, operation: str) -> Histogram:
    """The response times in microseconds of an operation's right answers in the slices that count, all trials together."""
    whole = unbroken(run.schedule, cell)
    return merge_histograms(
        trial.histogram(counted_slices(trial, cell.name, subject, unbroken=whole), "response", operation)
        for trial in run.trials
    )


def _percentile(times: Histogram, share: float) -> float | None:
    """A percentile in ms; None where fewer than ten right answers lie beyond it."""
    if not times.total or percentile_refusal(share, times.total) is not None:
        return None
    return times.percentile(share * 100) / 1000
