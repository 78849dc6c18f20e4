"""How throughput grows with users: the Universal Scalability Law with intervals on its coefficients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit
from scipy.stats import t as student

from ..errors import InsufficientDataError

LEAST_LEVELS = 6


@dataclass(frozen=True)
class Coefficient:
    """A fitted coefficient with its interval, cut at the bound of 0."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scalability:
    """throughput(n) = rate x n / (1 + contention x (n - 1) + coherency x n x (n - 1)).

    `rate` is requests/s of one user. `levels` are the numbers of users measured; anything beyond them is extrapolation.
    """

    rate: Coefficient
    contention: Coefficient
    coherency: Coefficient
    levels: tuple[float, ...]
    confidence: float

    @property
    def peak_users(self) -> float:
        """The number of users with the highest throughput; infinite where nothing falls."""
        if self.coherency.value <= 0:
            return math.inf
        return math.sqrt(max(0.0, 1 - self.contention.value) / self.coherency.value)

    def throughput(self, users: float) -> float:
        """Fitted requests/s with so many users."""
        return float(_law(np.asarray(users, float), self.rate.value, self.contention.value, self.coherency.value))


def fit(users: Sequence[float], throughput: Sequence[float], confidence: float = 0.95) -> Scalability:
    """Fit the law by least squares on relative errors, with Student's t intervals from the fit's covariance.

    Source: Gunther 2007, "Guerrilla Capacity Planning", chapters 4 to 6. Raises InsufficientDataError under six
    distinct levels, or where the fit does not converge.
    """
    levels = tuple(sorted(set(users)))
    if len(levels) < LEAST_LEVELS:
        raise InsufficientDataError(
            f"the scalability law needs {LEAST_LEVELS} levels of users, and there are {len(levels)}"
        )
    at, measured = np.asarray(users, float), np.asarray(throughput, float)
    if not (np.all(np.isfinite(measured)) and np.all(measured > 0) and np.all(at > 0)):
        raise InsufficientDataError("the scalability law needs users and throughput above 0")
    start = (float(np.max(measured / at)), 0.05, 0.0005)
    try:
        best, covariance = curve_fit(
            _law, at, measured, p0=start, sigma=measured, bounds=([0, 0, 0], np.inf), maxfev=20_000, x_scale=start
        )
    except RuntimeError as error:
        raise InsufficientDataError(f"the scalability law cannot be fitted: {error}") from None
    reach = float(student.ppf((1 + confidence) / 2, max(1, len(at) - 3))) * np.sqrt(np.diag(covariance))
    rate, contention, coherency = (
        Coefficient(float(value), max(0.0, float(value - half)), float(value + half))
        for value, half in zip(best, reach, strict=True)
    )
    return Scalability(rate, contention, coherency, levels, confidence)


def _law(users: NDArray[np.float64], rate: float, contention: float, coherency: float) -> NDArray[np.float64]:
    return rate * users / (1 + contention * (users - 1) + coherency * users * (users - 1))
