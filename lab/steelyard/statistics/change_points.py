"""Change points in the history of one comparison: runs outside the prediction from earlier runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from .distributions import student_quantile

LEAST_EARLIER = 4  # runs since the last change; fewer allow no useful prediction
CONFIDENCE = 0.998  # chosen so that 5% of histories with 30 runs and no change are marked
_Z = 1.96  # normal quantile of a run's own 95% interval


@dataclass(frozen=True)
class HistoryValue:
    """The value of one run, above 0, with its 95% interval; both ends equal the value where it has none."""

    value: float
    low: float
    high: float


def change_points(history: Sequence[HistoryValue]) -> list[int]:
    """The places of the runs, in order of time, at which a change began.

    A change point is a run whose own interval lies wholly outside the 99.8% prediction interval (Student's t, on logarithms) of
    the runs since the last change, of which there must be four. The variance of these is at least that of their own intervals:
    closer agreement is chance. After a change the history begins anew. Source of the prediction interval: Hahn and Meeker 1991,
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
