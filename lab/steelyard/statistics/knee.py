"""The knee: the number of users at which throughput stops growing, from levels held long enough to have a throughput."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.errors import InsufficientDataError
from ..base.text import existence_clause, percent_text, plural, value_text
from .distributions import fisher_quantile
from .interval import CONFIDENCE, student_interval

LEAST_HELD_SECONDS = 5.0
LEAST_LEVELS = 6
STILL_GROWING = 0.1
_BEFORE, _BEYOND = 2, 3
_GRID = 200


@dataclass(frozen=True)
class Knee:
    """Users at the knee; None where throughput still grows at `most_users` (`grows`), and where neither was shown. `low` and `high`
    are None with the knee.

    A knee at `least_users` means that throughput never grew. `seen` of `forks` showed a knee.
    """

    users: float | None
    low: float | None
    high: float | None
    least_users: float
    most_users: float
    seen: int
    forks: int
    confidence: float
    grows: bool = False

    def sentence(self, name: str, rate: str = "throughput") -> str:
        """The report's sentence, such as "tomcat's throughput stops growing at 9.4 users (95% interval 8.1 to 11, 4 forks)."."""
        forks = plural(self.forks, "fork")
        if self.users is None or self.low is None or self.high is None:
            seen = f"; {self.seen} of {forks} showed one" if self.seen else ""
            if self.grows:
                return f"No knee of {name} up to {self.most_users:g} users: its {rate} still grows{seen}."
            levels = f"its levels up to {self.most_users:g} users scatter too much"
            return f"Whether {name}'s {rate} stops growing is not decided: {levels}{seen}."
        if self.users <= self.least_users:
            return f"{name}'s {rate} does not grow beyond {plural(round(self.least_users), 'user')} ({forks})."
        interval = f"{percent_text(self.confidence)} interval {value_text(self.low)} to {value_text(self.high)}"
        seen = f", {self.seen} of {forks}" if self.seen < self.forks else f", {forks}"
        return f"{name}'s {rate} stops growing at {value_text(self.users)} users ({interval}{seen})."


@dataclass(frozen=True)
class _Lines:
    """Two connected straight lines through the levels of one fork.

    `crossing` is where they meet, with its interval. Throughput `stops_beyond` by its growth per user there, and `grows_beyond`
    where the whole interval of that growth says so; neither may be true.
    """

    crossing: tuple[float, float, float]
    grows_before: bool
    stops_beyond: bool
    grows_beyond: bool


def fork_knee(
    users: ArrayLike, throughput_per_s: ArrayLike, held_seconds: ArrayLike, confidence: float = CONFIDENCE
) -> tuple[float, float, float] | None:
    """One fork's knee and its interval from the fork's levels; None where throughput does not stop growing.

    Each array is (levels,): users, right answers per second, and the time that each level was held. The knee is where two
    connected straight lines fit the levels best, by least squares (Hinkley 1969, "Inference about the intersection in two-phase
    regression"; as segmented regression, Muggeo 2003). Its interval holds all connection points that the F test at `confidence`
    does not reject. A knee requires that throughput grows beyond it by less than a tenth of its growth per user before, with at
    least two levels up to it and three beyond. Where throughput never grows by a tenth, the knee is the lowest level (or below
    it). Raises InsufficientDataError under six levels, or where a level was held for less than 5 s: a short ramp has no
    throughput per level.
    """
    at, measured = _levels(users, throughput_per_s, held_seconds)
    return _knee_of(at, _lines(at, measured, confidence))


def _knee_of(at: NDArray[np.float64], lines: _Lines) -> tuple[float, float, float] | None:
    if not lines.grows_before:
        return float(at[0]), float(at[0]), float(at[1])
    return lines.crossing if lines.stops_beyond else None


def _lines(at: NDArray[np.float64], measured: NDArray[np.float64], confidence: float) -> _Lines:
    grid = np.linspace(at[_BEFORE - 1], at[-_BEYOND - 1], _GRID)
    hinges = np.maximum(at - grid[:, None], 0)
    designs = np.stack([np.ones_like(hinges), np.broadcast_to(at, hinges.shape), hinges], axis=2)
    inverses = np.linalg.pinv(designs)
    coefficients = inverses @ measured
    fitted = np.einsum("glc,gc->gl", designs, coefficients)
    errors = np.sum((measured - fitted) ** 2, axis=1)
    place = int(np.argmin(errors))
    before, change = coefficients[place, 1:]
    spare = len(at) - 4
    allowed = errors[place] * (1 + fisher_quantile(confidence, 1, spare) / spare)
    kept = grid[errors <= allowed]
    # growth per user beyond the knee is a sum of the levels with these weights, which gives its standard error
    weights = inverses[place, 1] + inverses[place, 2]
    within = np.sqrt(fisher_quantile(confidence, 1, spare) * errors[place] / spare * np.sum(weights**2))
    return _Lines(
        crossing=(float(grid[place]), float(kept[0]), float(kept[-1])),
        grows_before=bool(fitted[place].max() >= (1 + STILL_GROWING) * fitted[place, 0]),
        stops_beyond=bool(before + change < STILL_GROWING * before),
        grows_beyond=bool(before + change - within >= STILL_GROWING * before),
    )


def knee(
    users: ArrayLike, throughput_per_s: Sequence[ArrayLike], held_seconds: ArrayLike, confidence: float = CONFIDENCE
) -> Knee:
    """A server's knee over forks: one throughput (levels,) per fork, at the same `users` (levels,).

    A knee is reported where most forks show one: each fork has one number, and the interval is Student's t over them; for one
    fork, its own. Throughput still grows where most forks show that: the interval of their growth beyond the best point is wholly
    above the tenth. Raises InsufficientDataError as `fork_knee` does.
    """
    if not throughput_per_s:
        raise InsufficientDataError("a knee needs at least one fork")
    levels = [_levels(users, fork, held_seconds) for fork in throughput_per_s]
    lines = [_lines(at, measured, confidence) for at, measured in levels]
    of_forks = [_knee_of(at, fork) for (at, _), fork in zip(levels, lines, strict=True)]
    knees = [of_fork for of_fork in of_forks if of_fork is not None]
    at, forks = levels[0][0], len(lines)
    least, most = float(at[0]), float(at[-1])
    if 2 * len(knees) <= forks:
        grows = 2 * sum(fork.grows_beyond for fork in lines) > forks
        return Knee(None, None, None, least, most, len(knees), forks, confidence, grows)
    if len(knees) == 1:
        return Knee(*knees[0], least, most, 1, forks, confidence)
    over = student_interval([value for value, _, _ in knees], confidence)
    return Knee(over.estimate, max(least, over.low), over.high, least, most, len(knees), forks, confidence)


def _levels(
    users: ArrayLike, throughput: ArrayLike, held: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    at, measured = np.asarray(users, float), np.asarray(throughput, float)
    seconds = np.broadcast_to(np.asarray(held, float), at.shape)
    if len(np.unique(at)) < LEAST_LEVELS or len(at) != len(measured):
        raise InsufficientDataError(
            f"a knee needs {LEAST_LEVELS} levels of users, and {existence_clause(len(np.unique(at)))}"
        )
    if seconds.min() < LEAST_HELD_SECONDS:
        raise InsufficientDataError(
            f"a knee needs levels held for {LEAST_HELD_SECONDS:g} s, and one was held for {seconds.min():g} s"
        )
    order = np.argsort(at)
    return at[order], measured[order]
