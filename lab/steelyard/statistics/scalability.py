"""Throughput as a function of users: the Universal Scalability Law with intervals for its coefficients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InsufficientDataError
from ..base.text import existence_clause, percent_text, plural
from .distributions import student_quantile
from .interval import CONFIDENCE, student_interval

LEAST_LEVELS = 6
MOST_OFF = 1.5  # a fit that misses a level by more than this factor is rejected; noise of 10% stays within 1.4


@dataclass(frozen=True)
class Coefficient:
    """A fitted coefficient with its interval, cut at the bound of 0.

    In `at_bound` of `forks` fits it lies on that bound, where there is no interval; its value there is 0.
    """

    value: float
    low: float
    high: float
    at_bound: int = 0
    forks: int = 1

    @property
    def is_absent(self) -> bool:
        """Whether every fit lies on the bound, so that the coefficient is 0 without an interval."""
        return self.at_bound == self.forks


NEGLIGIBLE = 1e-3  # share of the throughput at the highest level
_BOUND = Coefficient(0.0, 0.0, 0.0, at_bound=1)


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
        """The number of users with the highest throughput; infinite where it never falls, 0 where it falls from the first user
        on."""
        if self.coherency.value <= 0:
            return math.inf if self.contention.value < 1 else 0.0
        return math.sqrt(max(0.0, 1 - self.contention.value) / self.coherency.value)

    def throughput(self, users: float) -> float:
        """Fitted requests/s with this number of users."""
        return float(_law(np.asarray(users, float), self.rate.value, self.contention.value, self.coherency.value))


def fit(users: Sequence[float], throughput: Sequence[float], confidence: float = CONFIDENCE) -> Scalability:
    """Fit the law by least squares on relative errors, with Student's t intervals from the fit's covariance.

    Source: Gunther 2007, "Guerrilla Capacity Planning", chapters 4 to 6. Raises InsufficientDataError under six distinct levels,
    where the fit does not converge, or where it misses a level: a server that breaks down follows no law.
    """
    levels = tuple(sorted(set(users)))
    if len(levels) < LEAST_LEVELS:
        raise InsufficientDataError(
            f"the scalability law needs {LEAST_LEVELS} levels of users, and {existence_clause(len(levels))}"
        )
    at, measured = np.asarray(users, float), np.asarray(throughput, float)
    if not (np.all(np.isfinite(measured)) and np.all(measured > 0) and np.all(at > 0)):
        raise InsufficientDataError("the scalability law needs users and throughput above 0")
    from scipy.optimize import curve_fit  # imported late: takes half a second, and few runs are fitted

    start = (float(np.max(measured / at)), 0.05, 0.0005)
    try:
        best, covariance = curve_fit(
            _law, at, measured, p0=start, sigma=measured, bounds=([0, 0, 0], np.inf), maxfev=20_000, x_scale=start
        )
    except RuntimeError as error:
        raise InsufficientDataError(f"the scalability law cannot be fitted: {error}") from None
    fitted = _law(at, *best)
    off = np.maximum(fitted / measured, measured / fitted)
    worst = int(np.argmax(off))
    if off[worst] > MOST_OFF:
        raise InsufficientDataError(
            f"the scalability law does not fit: with {plural(round(at[worst]), 'user')} it predicts {fitted[worst]:.3g}/s, "
            f"but {measured[worst]:.3g}/s were measured"
        )
    reach = student_quantile((1 + confidence) / 2, max(1, len(at) - 3)) * np.sqrt(np.diag(covariance))
    most = levels[-1]
    # upper bound of each coefficient's effect on the throughput at the highest level
    weights = (math.inf, most - 1, most * (most - 1))
    rate, contention, coherency = (
        _BOUND
        if value * weight < NEGLIGIBLE
        else Coefficient(float(value), max(0.0, float(value - half)), float(value + half))
        for value, half, weight in zip(best, reach, weights, strict=True)
    )
    return Scalability(rate, contention, coherency, levels, confidence)


def over_forks(forks: Sequence[Scalability], confidence: float = CONFIDENCE) -> Scalability:
    """One law from one fit per fork: the mean of each coefficient with Student's t interval, cut at the bound of 0.

    The effect of one server start is common to all levels of a fork, so only forks are replicates (METHODOLOGY, rule 7); the
    fit's own interval is for a single fork. Raises InsufficientDataError without a fork.
    """
    if not forks:
        raise InsufficientDataError("the scalability law needs at least one fork")
    if len(forks) == 1:
        return forks[0]
    rate, contention, coherency = (
        _coefficient([getattr(fork, name) for fork in forks], confidence)
        for name in ("rate", "contention", "coherency")
    )
    levels = tuple(sorted({level for fork in forks for level in fork.levels}))
    return Scalability(rate, contention, coherency, levels, confidence)


def scalability_sentence(name: str, fit: Scalability, unit: str = "user") -> str:
    """The report's sentence on a fitted law; a peak beyond the measured levels is called extrapolated."""
    coefficients = (
        _coefficient_text("contention", fit.contention, 3, fit.confidence),
        _coefficient_text("coherency", fit.coherency, 5, fit.confidence),
    )
    law = f"{name} follows the scalability law with {' and '.join(coefficients)}"
    if fit.peak_users <= fit.levels[0]:
        return f"{law}; its throughput is highest with {plural(round(fit.levels[0]), unit)}."
    if fit.peak_users >= 10 * fit.levels[-1]:
        return f"{law}; no peak is in sight of {plural(round(fit.levels[-1]), unit)}."
    beyond = ", extrapolated" if fit.peak_users > fit.levels[-1] else ""
    doubted = ", if at all" if fit.coherency.low <= 0 else ""
    return f"{law}; its throughput peaks at {plural(round(fit.peak_users), unit)}{doubted}{beyond}."


def _coefficient_text(name: str, coefficient: Coefficient, digits: int, confidence: float) -> str:
    """A coefficient with its interval, or a note that none was found where every fit lies on the bound."""
    if coefficient.is_absent:
        return f"no {name} found (the fit lies on its boundary)"
    low, high = (f"{bound:.{digits}f}" for bound in (coefficient.low, coefficient.high))
    at_bound = (
        f"; on its boundary in {coefficient.at_bound} of {coefficient.forks} fits" if coefficient.at_bound else ""
    )
    return f"{name} {coefficient.value:.{digits}f} ({low} to {high}, {percent_text(confidence)} interval{at_bound})"


def _coefficient(fits: Sequence[Coefficient], confidence: float) -> Coefficient:
    at_bound = sum(fit.is_absent for fit in fits)
    over = student_interval([fit.value for fit in fits], confidence)
    return Coefficient(over.estimate, max(0.0, over.low), over.high, at_bound, len(fits))


def _law(users: NDArray[np.float64], rate: float, contention: float, coherency: float) -> NDArray[np.float64]:
    return rate * users / (1 + contention * (users - 1) + coherency * users * (users - 1))
