"""Error rates of the stopping rule: many comparisons are redrawn from measured forks and judged at the looks.

A redraw is not a measurement: it shows the effect of chance on the forks at hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InsufficientDataError
from ..base.text import existence_clause
from .distributions import student_quantile
from .looks import LOOKS, alpha_of
from .proportions import exact_interval
from .verdict_words import MARGIN

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
# Forks: the cube root of 20 to 60, the best order by Hall, Horowitz and Jing 1995, "On blocking rules for the bootstrap with
# dependent data".
BLOCK = 3
_SHUFFLES = 10_000
_SEED = 20040806


class Conclusion(IntEnum):
    """The verdict's word on the first subject's value against the second's, without a better direction."""

    UNDECIDED = 0
    EQUIVALENT = 1
    ABOVE = 2
    BELOW = 3


@dataclass(frozen=True)
class Ended:
    """The end of each comparison: its forks, its interval of the log ratio, and its word."""

    forks: NDArray[np.int64]
    low: Floats
    high: Floats
    decision: NDArray[np.int64]

    @property
    def alarms(self) -> Bools:
        """Whether the interval at the end excludes a ratio of 1."""
        return (self.low > 0) | (self.high < 0)


def judge_at_looks(
    values: Floats,
    looks: Sequence[int] = LOOKS,
    margin: float = MARGIN,
    alpha: float | None = None,
    scatter: Floats | None = None,
) -> Ended:
    """Judge comparisons at the looks until each is decided, or until the last look.

    `values` has the shape (comparisons, forks) with at least as many forks as the last look; each is a fork's log ratio, or NaN
    for a lost fork, which takes time and does not count. A look with fewer valid forks than the first look decides nothing.
    `alpha` is that of each look, by default that of `looks`. `scatter`, of the same shape, is the variance that each fork's pairs
    predict for its value, the floor of the interval's variance; None: no floor. Word and interval are those of `words` and
    `student_interval` for one comparison with the looks' alpha; a test holds them together.
    """
    if values.ndim != 2 or values.shape[1] < looks[-1]:
        raise InsufficientDataError(f"comparisons need {looks[-1]} forks each")
    alpha, count = alpha_of(looks) if alpha is None else alpha, len(values)
    endings = Ended(
        np.full(count, looks[-1]),
        np.empty(count),
        np.empty(count),
        np.full(count, Conclusion.UNDECIDED, dtype=np.int64),
    )
    running = np.ones(count, dtype=bool)
    for look in looks:
        low, high = _interval(values[:, :look], 1 - alpha, None if scatter is None else scatter[:, :look], looks[0])
        decision = _classify(low, high, margin)
        ends = running & ((decision != Conclusion.UNDECIDED) | (look == looks[-1]))
        for kept, new in ((endings.low, low), (endings.high, high), (endings.decision, decision)):
            kept[ends] = new[ends]
        endings.forks[ends] = look
        running &= ~ends
    return endings


def _interval(values: Floats, confidence: float, scatter: Floats | None, least: int) -> tuple[Floats, Floats]:
    """The interval of each row's mean, over the values that are not NaN: Student's t with the pairs' floor; infinite where there
    are fewer than `least`."""
    counts = np.sum(~np.isnan(values), axis=1)
    enough = counts >= least
    safe = np.where(enough[:, None], values, 0.0)
    mean, deviation = np.nanmean(safe, axis=1), np.nanstd(safe, axis=1, ddof=1)
    quantiles = np.zeros(len(values))
    for count in np.unique(counts[enough]):
        quantiles[counts == count] = student_quantile((1 + confidence) / 2, int(count) - 1)
    half = quantiles * deviation
    if scatter is not None:
        counting = np.where(np.isnan(values), np.nan, scatter)
        predicted = np.sqrt(np.nanmean(np.where(enough[:, None], counting, 0.0), axis=1))
        half = np.maximum(half, NormalDist().inv_cdf((1 + confidence) / 2) * predicted)
    half = np.where(enough, half / np.sqrt(np.maximum(counts, 1)), np.inf)
    return mean - half, mean + half


def _classify(low: Floats, high: Floats, margin: float) -> NDArray[np.int64]:
    slack = math.log1p(margin)
    differs = np.where(low > 0, Conclusion.ABOVE, np.where(high < 0, Conclusion.BELOW, Conclusion.UNDECIDED))
    return np.where((low >= -slack) & (high <= slack), Conclusion.EQUIVALENT, differs).astype(np.int64)


def redrawn(
    sittings: Sequence[int], redraws: int, draw: np.random.Generator, length: int = LOOKS[-1], block: int = BLOCK
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of forks, drawn with replacement in blocks of neighbours, and the number of each one's block: (redraws, length)
    each.

    `sittings` has the sitting of each fork, in order of measurement. Neighbouring forks ran on the same host and may correlate; a
    block keeps that. No block extends into another sitting: a sitting's first fork follows its last one. Source: Politis and
    Romano 1992, "A circular block-resampling procedure for stationary data". Only whole forks are drawn, since they are the
    replicates. Raises InsufficientDataError under two forks.
    """
    forks = len(sittings)
    if forks < 2:
        raise InsufficientDataError(f"redraws need at least 2 forks, and {existence_clause(forks)}")
    following = _following(sittings)
    places = draw.integers(0, forks, size=(redraws, length))
    for column in range(1, length):
        if column % block:
            places[:, column] = following[places[:, column - 1]]
    return places, np.broadcast_to(np.arange(length) // block, places.shape)


def _following(sittings: Sequence[int]) -> NDArray[np.int64]:
    """The place of the next fork of the same sitting; for a sitting's last fork, its first."""
    following = np.zeros(len(sittings), dtype=np.int64)
    for sitting in set(sittings):
        own = np.flatnonzero(np.asarray(sittings) == sitting)
        following[own] = np.roll(own, -1)
    return following


def swap_labels(values: Floats, blocks: NDArray[np.int64], draw: np.random.Generator) -> Floats:
    """The same log ratios with the labels of the two subjects swapped at random, block by block.

    Both subjects are one artifact, so the labels are exchangeable and there is no true difference (a permutation test's null:
    Fisher 1935, "The design of experiments", chapter 3). Swaps fork by fork would remove the correlation of neighbours.
    """
    swap = draw.random((len(values), int(blocks.max()) + 1)) < 0.5
    return np.where(np.take_along_axis(swap, blocks, axis=1), -values, values)


@dataclass(frozen=True)
class EndedComparison:
    """One completed comparison: its forks, the interval of its log ratio, and its word."""

    forks: int
    low: float
    high: float
    decision: Conclusion

    @property
    def alarm(self) -> bool:
        """Whether the interval excludes a ratio of 1."""
        return not self.holds(0.0)

    def holds(self, truth: float) -> bool:
        """Whether the interval contains a log ratio."""
        return self.low <= truth <= self.high


def disjoint_comparisons(
    values: Sequence[float],
    looks: Sequence[int] = LOOKS,
    margin: float = MARGIN,
    scatter: Sequence[float] | None = None,
) -> list[EndedComparison]:
    """Disjoint comparisons made of forks in their order: each ends by the stopping rule, the next begins with the next fork.

    `values` and `scatter` are those of `judge_at_looks`, for one comparison. Remaining forks that decide nothing make no
    comparison.
    """
    comparisons: list[EndedComparison] = []
    at = 0
    while at + looks[0] <= len(values):
        reached = [look for look in looks if at + look <= len(values)]
        taken = slice(at, at + reached[-1])
        floor = None if scatter is None else np.asarray(scatter[taken], float)[None, :]
        ending = judge_at_looks(np.asarray(values[taken], float)[None, :], reached, margin, alpha_of(looks), floor)
        if len(reached) < len(looks) and ending.decision[0] == Conclusion.UNDECIDED:
            break
        bounds = float(ending.low[0]), float(ending.high[0])
        comparisons.append(EndedComparison(int(ending.forks[0]), *bounds, Conclusion(ending.decision[0])))
        at += comparisons[-1].forks
    return comparisons


@dataclass(frozen=True)
class Proportion:
    """`count` of `total`, with a two-sided interval for the underlying probability."""

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The observed share, from 0 to 1."""
        return self.count / self.total


def clopper_pearson(count: int, total: int) -> Proportion:
    """The exact interval of a probability from `count` successes in `total` trials; see `exact_interval`."""
    if not 0 <= count <= total or total < 1:
        raise InsufficientDataError(f"{count} of {total} is no proportion")
    return Proportion(count, total, *exact_interval(count, total))


def lag_1_correlation(values: Sequence[float]) -> float:
    """The correlation of each value with the next; independent values stay within +-2 / sqrt(n) about 95 times of 100.

    Source: Bartlett 1946, "On the theoretical specification and sampling properties of autocorrelated time-series".
    """
    if len(values) < 3:
        raise InsufficientDataError(
            f"a correlation with the next needs at least 3 values, and {existence_clause(len(values))}"
        )
    centred = np.asarray(values, float) - np.mean(values)
    spread = float(centred @ centred)
    return float(centred[:-1] @ centred[1:]) / spread if spread > 0 else 0.0


def lag_1_p_value(values: Sequence[float]) -> float:
    """Two-sided p of `lag_1_correlation` by permutation: the share of random orders with at least that correlation.

    Source: Wald and Wolfowitz 1943, "An exact test for randomness in the non-parametric case based on serial correlation". The
    seed is fixed; the standard error of a p of 0.05 is 0.002.
    """
    observed = abs(lag_1_correlation(values))
    draw = np.random.default_rng(_SEED)
    centred = np.asarray(values, float) - np.mean(values)
    spread = float(centred @ centred)
    if spread == 0:
        return 1.0
    shuffled = draw.permuted(np.tile(centred, (_SHUFFLES, 1)), axis=1)
    correlations = np.abs(np.sum(shuffled[:, :-1] * shuffled[:, 1:], axis=1)) / spread
    return float((1 + np.sum(correlations >= observed * (1 - 1e-12))) / (_SHUFFLES + 1))


def fewest_compatible(total: int, share: float) -> int:
    """The smallest count of `total` whose exact 95% interval contains `share` or lies above it."""
    return next(count for count in range(total + 1) if clopper_pearson(count, total).high >= share)
