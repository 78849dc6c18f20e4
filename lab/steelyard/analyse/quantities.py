"""The numbers behind measures: of one slice, of a fork's slices, or of several forks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..base.histogram import Histogram, merge_histograms
from ..results.stored_run import Trial
from .sources import SOURCES, is_gauge


@dataclass(frozen=True)
class Quantities:
    """Named numbers, and the histogram of each kind of time; names that were not recorded are absent.

    `waiting` has for each slice how long the oldest unanswered request had waited at its end (ns), and the number of such requests.
    """

    values: Mapping[str, float]
    histogram: Callable[[str], Histogram]
    waiting: Sequence[tuple[int, int]] = ()

    def percentile(self, kind: str, percent: float) -> float | None:
        """In microseconds; None where there is no value."""
        histogram = self.histogram(kind)
        rank = self.rank(percent, histogram.total)
        return histogram.percentile(rank) if histogram.total and rank <= 100 else None

    def rank(self, percent: float, right: int) -> float:
        """The position of a percentile among the `right` answers, in percent: unanswered requests count as longer than all."""
        unanswered = self.values.get("dropped", 0.0)
        return percent if not unanswered else percent * (right + unanswered) / max(1, right)

    def deviation(self, kind: str) -> float | None:
        """The standard deviation in microseconds; None for fewer than two values."""
        histogram = self.histogram(kind)
        return histogram.deviation() if histogram.total >= 2 else None

    def beyond(self, microseconds: float) -> int:
        """How many unanswered requests may have waited for longer than this time when their slice ended.

        A closed load always ends with one request per user in flight, which are no slower than others. If the oldest of a slice has
        waited longer than this time, all of that slice count, because the number of such requests is unknown.
        """
        return sum(count for oldest, count in self.waiting if oldest > microseconds * 1000)


def of_slices(trial: Trial, numbers: Sequence[int], users: int) -> Quantities:
    """The combined quantities of these slices of one trial. The result is cached: every measure needs the same ones."""
    key = ("quantities", users, *numbers)
    if key not in trial.memo:
        values = _summed_parts([_of_slice(trial, number, users) for number in numbers])
        waiting = [(trial.slices[number].oldest_unfinished_ns, trial.slices[number].unfinished) for number in numbers]
        trial.memo[key] = Quantities(values, _remember(lambda kind: trial.histogram(numbers, kind)), waiting)
    quantities: Quantities = trial.memo[key]
    return quantities


def combine(parts: Sequence[Quantities]) -> Quantities:
    """The combined quantities of several forks."""
    values = _summed_parts([part.values for part in parts])
    waiting = [histogram for part in parts for histogram in part.waiting]
    return Quantities(values, _remember(lambda kind: merge_histograms(part.histogram(kind) for part in parts)), waiting)


def _of_slice(trial: Trial, number: int, users: int) -> dict[str, float]:
    key = ("slice", users, number)
    if key not in trial.memo:
        values: dict[str, float] = {"users": users}
        for source in SOURCES.values():
            values |= source.of_slice(trial, number)
        trial.memo[key] = values
    of_slice: dict[str, float] = trial.memo[key]
    return of_slice


def _summed_parts(parts: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Sums, and highest values for gauges. A name that is missing in any part is left out, because its sum would be too small."""
    if len(parts) < 2:
        return parts[0] if parts else {}
    names = [name for name in parts[0] if all(name in part for part in parts)]
    return {name: (max if is_gauge(name) else sum)(part[name] for part in parts) for name in names}


def _remember(find: Callable[[str], Histogram]) -> Callable[[str], Histogram]:
    return lru_cache(maxsize=None)(find)
