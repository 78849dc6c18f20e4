"""The difference of two means split into parts that sum up to it: an interval for each, all of them right together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .interval import Interval, student_interval


@dataclass(frozen=True)
class Differences:
    """Of one part: the differences of each fork's pairs, fork by fork, each fork with one pair or more."""

    forks: tuple[tuple[float, ...], ...]

    @property
    def by_fork(self) -> list[float]:
        """One number a fork: the mean of its pairs. Medians, which verdicts rest on, would not sum up over the parts."""
        return [fmean(pairs) for pairs in self.forks]

    @property
    def least_deviation(self) -> float:
        """What forks vary by at the least, by the scatter of their own pairs; 0 where no fork has two pairs."""
        told = [variance(pairs) / len(pairs) for pairs in self.forks if len(pairs) > 1]
        return math.sqrt(fmean(told)) if told else 0.0


def intervals(parts: Sequence[Differences], confidence: float = 0.95) -> list[Interval]:
    """Student's t intervals over the forks of each part, so wide that all of them are right together with `confidence`.

    Each has 1 - (1 - confidence) / parts for itself, which holds however the parts hang together: Dunn 1961, "Multiple comparisons
    among means". Raises InsufficientDataError under two forks.
    """
    each = 1 - (1 - confidence) / max(1, len(parts))
    return [student_interval(part.by_fork, each, part.least_deviation) for part in parts]
