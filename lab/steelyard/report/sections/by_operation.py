"""A load, or a comparison by a mix, operation by operation: right answers, failures, and percentiles of response time."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import load_of
from ...analyse.load_figures import PERCENTILES, percentile_name
from ...base.text import value_text
from ...models.outputs.loading import LoadedOperation
from ...models.verdict import OperationFigure
from ...results.failure_text import failures_text
from ...results.stored_run import Run
from ...statistics.checks import percentile_refusal
from ..section import Section

_HEADINGS = (
    *("operation", "right", "wrong or failed", "answered/s", "mean, ms"),
    *(f"{percentile_name(share)}, ms" for share in PERCENTILES),
    "by kind",
)
_COMPARED = (
    *("operation", "subject", "right", "wrong or failed", "unanswered", "mean, ms"),
    *(f"{percentile_name(share)}, ms" for share in PERCENTILES),
    "by kind",
)


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where there is neither a load nor a mix of several operations."""
    load = load_of(analysis.run)
    if load is None or not load.operations:
        compared = analysis.verdicts.operations
        rows = [_compared_row(figure) for figure in compared]
        return {"compared": True, "headings": _COMPARED, "rows": rows} if compared else None
    return {
        "compared": False,
        "headings": _HEADINGS,
        "rows": [_row(analysis.run, operation, load.seconds) for operation in load.operations],
    }


def _compared_row(figure: OperationFigure) -> tuple[str, ...]:
    counts = (figure.right, figure.wrong + figure.failed, figure.unanswered)
    times = (figure.mean_ms, figure.p50_ms, figure.p95_ms, figure.p99_ms)
    return (
        figure.operation,
        figure.subject,
        *(f"{count:,}" for count in counts),
        *("-" if time is None else value_text(time) for time in times),
        failures_text(figure.failures),
    )


def _row(run: Run, operation: LoadedOperation, seconds: float) -> tuple[str, ...]:
    counts = (f"{operation.completed:,}", f"{operation.failed:,}", value_text(operation.completed / seconds))
    mean = "-" if operation.mean_ms is None else value_text(operation.mean_ms)
    kinds = failures_text(operation.failures)
    return operation.operation, *counts, mean, *_percentiles(run, operation.operation), kinds


def _percentiles(run: Run, operation: str) -> list[str]:
    """The percentiles of an operation's right answers in the measured time; `-` where there are too few."""
    if not run.trials:
        return ["-"] * len(PERCENTILES)
    trial = run.trials[0]
    times = trial.histogram(sorted(trial.slices), "response", operation)
    return [
        "-"
        if not times.total or percentile_refusal(share, times.total)
        else value_text(times.percentile(share * 100) / 1000)
        for share in PERCENTILES
    ]


SECTION = Section("by_operation", content, of_running=True)
