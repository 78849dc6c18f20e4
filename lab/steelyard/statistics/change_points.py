"""Change points in the history of one question: runs that the runs before them do not predict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from .distributions import student_quantile

LEAST_EARLIER = 4  # runs since the last change, of which fewer predict next to nothing
CONFIDENCE = 0.998  # so that of histories of thirty runs without a change one in twenty is marked
_Z = 1.96  # of a run's own 95% interval


@dataclass(frozen=True)
class HistoryValue:
    """What one run measured, above 0: its value with its 95% interval, whose ends are both the value where it has none."""

    value: float
    low: float
    high: float


def change_points(history: Sequence[HistoryValue]) -> list[int]:
    """The places of the runs, in order of time, at which a change began.

    A run is one where its own interval lies wholly outside the 99.8% prediction interval (Student's t, on logarithms) of the runs
    since the last change, of which there must be four. These vary by at least what their own intervals say: runs that agree more
    closely did so by luck. After a change the history begins anew. Source of the prediction interval: Hahn and Meeker 1991,
    "Statistical intervals", section 4.8.
    """
    begin, changes = 0, []
    for place, run in enumerate(history):
        earlier = history[begin:place]
        if len(earlier) < LEAST_EARLIER:
            continue
        low, high = _prediction_interval(earlier)
        if math.log(run.low) > high or math.log(run.high) < low:
            changes.append(place)
            begin = place
    return changes


def _prediction_interval(earlier: Sequence[HistoryValue]) -> tuple[float, float]:
    """The prediction interval for the logarithm of the next run's value."""
    logs = [math.log(run.value) for run in earlier]
    own = fmean(math.log(run.high / run.low) / (2 * _Z) for run in earlier)
    count = len(logs)
    quantile = student_quantile((1 + CONFIDENCE) / 2, count - 1)
    half = quantile * max(stdev(logs), own) * math.sqrt(1 + 1 / count)
    return fmean(logs) - half, fmean(logs) + half
