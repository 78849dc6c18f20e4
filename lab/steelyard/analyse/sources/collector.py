"""Garbage collection of the judged processes during a slice, from their logs: pauses and allocated bytes."""

from __future__ import annotations

from collections.abc import Mapping

from ...results.stored_run import Trial
from .source import Source


def _of_slice(trial: Trial, number: int) -> Mapping[str, float]:
    row = trial.slices[number]
    logs = [log for place, log in trial.collectors.items() if place.rpartition(".")[0] == row.subject]
    if not logs:
        return {}
    pauses = [pause for log in logs for pause in log.pauses_within(row.begin_ns, row.end_ns)]
    return {
        "gc_pauses": len(pauses),
        "gc_pause_ns": sum(log.paused_ns(row.begin_ns, row.end_ns) for log in logs),
        "gc_longest_pause_ns": max((pause.length_ns for pause in pauses), default=0),
        "gc_allocated_bytes": sum(log.allocated_bytes(row.begin_ns, row.end_ns) for log in logs),
    }


SOURCE = Source(
    name="collector",
    names=frozenset({"gc_pauses", "gc_pause_ns", "gc_longest_pause_ns", "gc_allocated_bytes"}),
    of_slice=_of_slice,
    gauges=frozenset({"gc_longest_pause_ns"}),
)
