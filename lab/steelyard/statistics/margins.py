"""Margins of error of a mean over runs, as the performance papers print them, and what they allow to call a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles, stdev

from .distributions import student_quantile

LEVELS = (0.90, 0.95, 0.99)


@dataclass(frozen=True)
class Margins:
    """A mean over `runs`, and by confidence level how far it may be from the true one; none under two runs."""

    mean: float
    runs: int
    by_level: dict[float, float]

    def differs(self, other: Margins, level: float = 0.95) -> bool:
        """Whether two means are further apart than both margins together allow; never without margins.

        The margins of independent means add up as the square root of the sum of their squares.
        """
        if level not in self.by_level or level not in other.by_level:
            return False
        apart = not math.isclose(
            self.mean, other.mean, rel_tol=1e-9
        )  # what rounding alone makes of equal values is none
        return apart and abs(self.mean - other.mean) > math.hypot(self.by_level[level], other.by_level[level])


def margins(values: Sequence[float]) -> Margins:
    """Of one value a run. Student's t (1908) throughout: with 30 runs and more it is what the normal distribution gives, with fewer
    it is honestly wider. Raises ValueError without a value."""
    if not values:
        raise ValueError("margins need at least one run")
    count = len(values)
    if count < 2:
        return Margins(values[0], count, {})
    error = stdev(values) / math.sqrt(count)
    return Margins(
        fmean(values), count, {level: error * student_quantile((1 + level) / 2, count - 1) for level in LEVELS}
    )


@dataclass(frozen=True)
class Spread:
    """How values spread: standard deviation and quartiles; all are the value itself where there is one."""

    deviation: float
    lower_quartile: float
    median: float
    upper_quartile: float


def spread(values: Sequence[float]) -> Spread:
    """Quartiles by linear interpolation between the nearest values. Raises ValueError without a value."""
    if not values:
        raise ValueError("a spread needs at least one value")
    if len(values) < 2:
        return Spread(0.0, values[0], values[0], values[0])
    lower, middle, upper = quantiles(values, n=4, method="inclusive")
    return Spread(stdev(values), lower, middle, upper)
