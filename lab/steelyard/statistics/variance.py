"""The variance of an experiment by level, and the repetitions that each level needs (Kalibera and Jones 2013)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from ..base.errors import InsufficientDataError


@dataclass(frozen=True)
class Components:
    """Variances on the scale of the values: `between` forks, without the pairs' share, and `within` a fork.

    `between_biased` is the plain variance of the forks' means (Kalibera and Jones' S2 squared); `between` may be below 0, which
    means that pairs alone explain the forks.
    """

    within: float
    between: float
    between_biased: float
    forks: int
    pairs: float


def components(forks: Sequence[Sequence[float]]) -> Components:
    """The two-level variance components of a pilot: one sequence of pair values per fork.

    T1^2 = S1^2 and T2^2 = S2^2 - S1^2 / r1. Source: Kalibera and Jones 2013, "Rigorous benchmarking in reasonable time", section
    6; r1 is the harmonic mean where voided pairs made forks unequal. Needs two forks of two pairs.
    """
    if len(forks) < 2 or any(len(pairs) < 2 for pairs in forks):
        raise InsufficientDataError("variance components need at least 2 forks of at least 2 pairs")
    within = fmean(variance(pairs) for pairs in forks)
    biased = variance([fmean(pairs) for pairs in forks])
    harmonic = len(forks) / math.fsum(1 / len(pairs) for pairs in forks)
    return Components(within, biased - within / harmonic, biased, len(forks), harmonic)


def pairs_a_fork(variances: Components, fork_cost_seconds: float, pair_cost_seconds: float, most: int = 1000) -> int:
    """The number of pairs per fork: ceil(sqrt(c2 / c1 * T1^2 / T2^2)); at least 1, at most `most`.

    `fork_cost_seconds` is the time of a fork besides its pairs (start and warm-up). Source: Kalibera and Jones 2013, section 6.3.
    Where forks add no variance of their own, more pairs are as good as more forks, and the result is `most`.
    """
    if fork_cost_seconds < 0 or pair_cost_seconds <= 0:
        raise ValueError("costs must be positive")
    if variances.between <= 0:
        return most
    best = math.sqrt(fork_cost_seconds / pair_cost_seconds * variances.within / variances.between)
    return max(1, min(most, math.ceil(best)))
