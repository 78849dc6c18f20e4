"""The engine's counts and sums of a slice (slices.csv, ticks.csv), with the pauses of the job (job.json)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from ...results.stored_run import Trial
from ...results.tables import SliceRow
from .source import Source

_NO_COUNTS = {"slice", "subject", "phase", "operation", "why_not", "valid", "begin_ns", "end_ns", "measured_ns"} | {
    "cpu_own_ns",
    "cpu_other_ns",
    "cpu_between_ns",
    "cpu_window_ns",
}  # the last four are unknown for some slices
COUNTS = tuple(item.name for item in fields(SliceRow) if item.name not in _NO_COUNTS)
_OF_SECONDS = frozenset({"answered_seconds", "second_means_ms_sum", "second_means_ms_squares"})


def second_means_ms(trial: Trial, number: int) -> dict[int, float]:
    """The mean response time in ms of each second with a right answer, by the instant of its end in ns."""
    spent, completed = dict[int, int](), dict[int, int]()
    for tick in trial.ticks_by_slice.get(number, ()):
        spent[tick.time_ns] = spent.get(tick.time_ns, 0) + tick.response_ns_sum
        completed[tick.time_ns] = completed.get(tick.time_ns, 0) + tick.completed
    return {instant: spent[instant] / count / 1e6 for instant, count in completed.items() if count}


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    row = trial.slices[number]
    means = list(second_means_ms(trial, number).values())
    return {
        **{name: getattr(row, name) for name in COUNTS},
        "seconds": row.seconds,
        "think_ms": trial.think_ms,
        "answered_seconds": len(means),
        "second_means_ms_sum": sum(means),
        "second_means_ms_squares": sum(mean**2 for mean in means),
    }


SOURCE = Source(
    name="slices",
    names=frozenset(COUNTS) | _OF_SECONDS | {"seconds", "users", "think_ms"},
    of_slice=_of_slice,
    gauges=frozenset(
        {"users", "think_ms", "lateness_p99_ns", "oldest_unfinished_ns", "thread_cpu_most_ns", "thread_sent_most"}
    ),
)
