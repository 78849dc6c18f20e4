"""The settling time of a server after its start: until its per-second means stay near their final level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.errors import InsufficientDataError
from ..base.text import existence_clause, percent_text, plural, value_text
from .interval import CONFIDENCE, student_interval

BAND = 0.1
NOISE_WIDTHS = 3.0
STRAYS = 0.05
LEAST_SECONDS = 8
_MAD_TO_DEVIATION = 1.4826


@dataclass(frozen=True)
class Settling:
    """One fork's settling. `seconds` is None where the mean left the band again in the second half of `lasted_seconds`."""

    seconds: float | None
    level: float
    band: float
    lasted_seconds: float


@dataclass(frozen=True)
class Times:
    """A time over forks: Student's t interval of its mean, widened by the resolution of half a second.

    `reached` of `forks` reached it; `mean`, `low` and `high` are None unless all did, `low` and `high` also for one fork.
    """

    mean: float | None
    low: float | None
    high: float | None
    reached: int
    forks: int
    confidence: float

    def __str__(self) -> str:
        if self.mean is None:
            return f"in {self.reached} of {plural(self.forks, 'start')}"
        if self.low is None or self.high is None:
            return f"{value_text(self.mean)} s (one fork, no interval)"
        interval = f"{percent_text(self.confidence)} interval {value_text(self.low)} to {value_text(self.high)} s"
        return f"{value_text(self.mean)} s ({interval}, {self.forks} forks)"


def settling(values: ArrayLike, band: float = BAND) -> Settling:
    """When the per-second means (n,) of a block, in any unit, enter a band around their final level for good.

    The settling time of control engineering (Ogata, "Modern Control Engineering", transient response), adapted to noise. The
    level is the median of the second half. The band is `band` as a share of it, or three robust deviations around that half's
    trend where that is wider. A few single seconds outside are allowed. MSER-5 (White 1997, "An effective truncation heuristic
    for bias reduction in simulation output") solves a different problem, the truncation with the most precise mean, and needs
    five times the seconds. NaN marks a second without an answer. Raises InsufficientDataError under 8 seconds, or where half of
    them have no value.
    """
    series = np.asarray(values, float)
    level, width = level_and_band(series, band)
    since = since_inside(np.abs(series / level - 1) <= width)
    settled = since <= len(series) // 2
    return Settling(float(since) if settled else None, level, width, float(len(series)))


def level_and_band(series: NDArray[np.float64], band: float) -> tuple[float, float]:
    """The median of the second half of a series, and the half width around it, as a share, that the noise needs."""
    if len(series) < LEAST_SECONDS:
        raise InsufficientDataError(
            f"a level needs at least {LEAST_SECONDS} seconds, and {existence_clause(len(series))}"
        )
    half = series[len(series) // 2 :]
    half = half[np.isfinite(half)]
    if len(half) < LEAST_SECONDS // 2 or not np.median(half) > 0:
        raise InsufficientDataError("the second half of the load has too few seconds with an answer to show a level")
    level = float(np.median(half))
    left = half - _trend(half)
    deviation = _MAD_TO_DEVIATION * float(np.median(np.abs(left)))
    return level, max(band, NOISE_WIDTHS * deviation / level)


def _trend(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """The robust line through a series: the median slope of all pairs (Theil 1950, Sen 1968), through the medians."""
    at = np.arange(len(series))
    earlier, later = np.triu_indices(len(series), 1)
    slope = np.median((series[later] - series[earlier]) / (at[later] - at[earlier]))
    return np.asarray(np.median(series) + slope * (at - np.median(at)))


def since_inside(inside: NDArray[np.bool_]) -> int:
    """The first index from which on all values are inside, except a few: one, or 5% where that is more."""
    count = len(inside)
    strays = np.cumsum(~inside[::-1])[::-1]
    allowed = np.maximum(1, STRAYS * np.arange(count, 0, -1))
    for index in range(count):
        if inside[index] and strays[index] <= allowed[index]:
            return index
    return count


def times(seconds: Sequence[float | None], confidence: float = CONFIDENCE) -> Times:
    """The joint interval of one time per fork; None is a fork in which it was not reached."""
    reached = [value for value in seconds if value is not None]
    if not reached or len(reached) < len(seconds):
        return Times(None, None, None, len(reached), len(seconds), confidence)
    if len(reached) == 1:
        return Times(reached[0], None, None, 1, 1, confidence)
    interval = student_interval(reached, confidence)
    return Times(
        interval.estimate, max(0.0, interval.low - 0.5), interval.high + 0.5, len(reached), len(reached), confidence
    )


def settling_sentence(name: str, forks: Sequence[Settling], confidence: float = CONFIDENCE) -> str:
    """The report's sentence, such as "tomcat settles after 3.25 s (95% interval 1.9 to 4.6 s, 4 forks)."."""
    settled = times([fork.seconds for fork in forks], confidence)
    if settled.mean is not None:
        return f"{name} settles after {settled}."
    return f"{name} settled within {min(fork.lasted_seconds for fork in forks):.0f} s {settled}."
