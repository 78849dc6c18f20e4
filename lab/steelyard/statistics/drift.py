"""Whether response time rises under constant load, which means that the server cannot hold the load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import linear_regression, pvariance

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import InsufficientDataError
from ..base.text import change_text, percent_text, plural
from .distributions import student_quantile
from .interval import CONFIDENCE, Interval, student_interval

BLOCKS = 8
LEAST_SECONDS_ALONE = 3 * BLOCKS
PRACTICAL = 0.05


class Course(StrEnum):
    """The trend of response time under constant load, in words."""

    RISING = "rising"
    STEADY = "steady"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Drift:
    """Growth of response time over a block of `seconds`, as a share (0.1 means 10% more at its end), with its interval."""

    course: Course
    growth: float
    low: float
    high: float
    seconds: float
    forks: int
    confidence: float
    practical: float

    def sentence(self, name: str) -> str:
        """The report's sentence, such as "this is unstable under constant load: its response time rises by 24% in 18 s (95%
        interval 15% to 34%, 4 forks)."."""
        interval = f"{percent_text(self.confidence)} interval {change_text(self.low)} to {change_text(self.high)}"
        basis = f"({interval}, {plural(self.forks, 'fork')})"
        match self.course:
            case Course.RISING:
                finding = f"{name} is unstable under constant load: its response time rises by {self.growth:.0%}"
            case Course.STEADY:
                finding = f"{name} sustains the load: its response time changes by {change_text(self.growth)}"
            case Course.UNDECIDED:
                finding = f"Undecided whether {name} sustains the load: its response time changes by {change_text(self.growth)}"
        return f"{finding} in {self.seconds:.0f} s {basis}."


def growth(response: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """The log growth of per-second mean response times (n,), in any unit, from the start of a block to its end.

    A least-squares line through the logarithms of the medians of eight consecutive parts, with Student's t interval. Medians
    resist single slow seconds, and parts longer than the noise's correlation time are nearly independent (batch means, Conway
    1963, "Some tactical problems in digital simulation"). `count` is the number of parts. NaN marks a second without an answer.
    Raises InsufficientDataError where there are fewer seconds than parts, or a part has no answer.
    """
    series = np.asarray(response, float)
    if len(series) < BLOCKS:
        raise InsufficientDataError(
            f"a trend needs {BLOCKS} seconds of settled load in each fork, and one has {len(series)}"
        )
    parts = [part[np.isfinite(part) & (part > 0)] for part in np.array_split(series, BLOCKS)]
    if any(len(part) == 0 for part in parts):
        raise InsufficientDataError(f"a trend needs answers in each of {BLOCKS} equal parts of the load")
    middles = [(block + 0.5) / BLOCKS for block in range(BLOCKS)]
    logarithms = [math.log(np.median(part)) for part in parts]
    slope, start = linear_regression(middles, logarithms)
    left = math.fsum((y - start - slope * x) ** 2 for x, y in zip(middles, logarithms, strict=True))
    error = math.sqrt(left / (BLOCKS - 2) / (pvariance(middles) * BLOCKS))
    half = student_quantile((1 + confidence) / 2, BLOCKS - 2) * error
    return Interval(slope, slope - half, slope + half, confidence, BLOCKS)


def drift(forks: Sequence[ArrayLike], practical: float = PRACTICAL, confidence: float = CONFIDENCE) -> Drift:
    """Whether response time rises under constant load: one series of per-second means (n,) per fork, in one unit.

    With two forks or more the interval is Student's t over the forks' growths, which autocorrelation within a fork cannot
    falsify; with one fork it is the line's own. RISING: the interval lies above 0 and the growth is at least `practical`; STEADY:
    the interval lies below `practical`; else UNDECIDED. The caller cuts off settling. Raises InsufficientDataError without a
    fork, or where a fork has too few seconds: 8, or 24 for a single fork (below that, simulation finds 6% false alarms instead of
    2.5%).
    """
    if not forks:
        raise InsufficientDataError("a trend needs at least one fork")
    if len(forks) == 1 and len(np.asarray(forks[0])) < LEAST_SECONDS_ALONE:
        raise InsufficientDataError(f"a trend of one fork needs {LEAST_SECONDS_ALONE} seconds of load")
    growths = [growth(fork, confidence) for fork in forks]
    over = growths[0] if len(growths) == 1 else student_interval([of_fork.estimate for of_fork in growths], confidence)
    if over.low > 0 and over.estimate >= math.log1p(practical):
        course = Course.RISING
    elif over.high < math.log1p(practical):
        course = Course.STEADY
    else:
        course = Course.UNDECIDED
    rise, low, high = (math.expm1(value) for value in (over.estimate, over.low, over.high))
    seconds = float(np.mean([len(np.asarray(fork)) for fork in forks]))
    return Drift(course, rise, low, high, seconds, len(forks), confidence, practical)
