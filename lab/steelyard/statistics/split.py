"""The difference of two means split into parts that sum to it, with simultaneous intervals for all parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .interval import CONFIDENCE, Interval, student_interval


@dataclass(frozen=True)
class Differences:
    """For one part: the differences of each fork's pairs, by fork, with one pair or more per fork."""

    forks: tuple[tuple[float, ...], ...]

    @property
    def by_fork(self) -> list[float]:
        """One number per fork: the mean of its pairs. Medians, which verdicts use, would not sum over the parts."""
        return [fmean(pairs) for pairs in self.forks]

    @property
    def least_deviation(self) -> float:
        """The least deviation between forks, from the scatter of their own pairs; 0 where no fork has two pairs."""
        repeated = [variance(pairs) / len(pairs) for pairs in self.forks if len(pairs) > 1]
        return math.sqrt(fmean(repeated)) if repeated else 0.0


def intervals(parts: Sequence[Differences], confidence: float = CONFIDENCE) -> list[Interval]:
    """Simultaneous Student's t intervals over the forks of each part, with joint `confidence`.

    Each has 1 - (1 - confidence) / parts for itself, which holds for any dependence of the parts: Dunn 1961, "Multiple
    comparisons among means". Raises InsufficientDataError under two forks.
    """
    each = 1 - (1 - confidence) / max(1, len(parts))
    return [student_interval(part.by_fork, each, part.least_deviation) for part in parts]
