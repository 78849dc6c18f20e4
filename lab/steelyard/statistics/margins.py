"""Margins of error of a mean over runs, as performance papers print them, and whether two means differ by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from .distributions import student_quantile
from .interval import CONFIDENCE

LEVELS = (0.90, CONFIDENCE, 0.99)


@dataclass(frozen=True)
class Margins:
    """A mean over `runs` with its margin of error by confidence level; no margins under two runs."""

    mean: float
    runs: int
    by_level: dict[float, float]

    def differs(self, other: Margins, level: float = CONFIDENCE) -> bool:
        """Whether two means differ by more than their joint margin; False without margins.

        The joint margin of independent means is the square root of the sum of their squares.
        """
        if level not in self.by_level or level not in other.by_level:
            return False
        apart = not math.isclose(
            self.mean, other.mean, rel_tol=1e-9
        )  # rounding errors of equal values are no difference
        return apart and abs(self.mean - other.mean) > math.hypot(self.by_level[level], other.by_level[level])


def margins(values: Sequence[float]) -> Margins:
    """The margins of one value per run, by Student's t (1908): equal to the normal distribution's from 30 runs on, and correctly
    wider for fewer. Raises ValueError without a value."""
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
    """The spread of values: standard deviation and quartiles; all equal the value for a single one."""

    deviation: float
    lower_quartile: float
    median: float
    upper_quartile: float


def spread(values: Sequence[float] | NDArray[np.float64]) -> Spread:
    """Quartiles by linear interpolation between the nearest values. Raises ValueError without a value."""
    if not len(values):
        raise ValueError("a spread needs at least one value")
    lower, middle, upper = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    return Spread(float(np.std(values, ddof=1)) if len(values) > 1 else 0.0, lower, middle, upper)
