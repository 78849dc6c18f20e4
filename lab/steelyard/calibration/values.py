"""From the bank to numbers: one log ratio a fork and level, what each comparison would have cost, and the slices behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..statistics.interval import fork_value
from .bank import Bank, SliceEntry
from .planted import AGAIN, face, partner

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Values:
    """What the forks that count say; every array has one entry a fork, in order.

    By level (0 is the same artifact unchanged): `ratios` are the medians over rounds of log(again at that level / the face of a
    beside it), as a comparison of two subjects would have had them; `truths` those of log(again at that level / again at 0),
    within one process; `seconds` what the fork would have cost with those two subjects alone. `pairs` are a fork's log ratios at
    level 0, of which `ratios` holds the median, `throughputs` those of a's and again's measured slices at level 0. `rounds` and
    `voided` count pairs at level 0.
    """

    forks: list[int]
    ratios: dict[float, Floats]
    truths: dict[float, Floats]
    seconds: dict[float, Floats]
    pairs: list[list[float]]
    throughputs: list[tuple[list[float], list[float]]]
    rounds: int
    voided: int
    left_out: list[int]

    @property
    def levels(self) -> list[float]:
        """The planted levels, without 0."""
        return [level for level in self.ratios if level > 0]


def values_of(bank: Bank) -> Values:
    """All forks that ended whole and kept at least half of their rounds at every level; `left_out` are the others."""
    by_fork: dict[int, list[SliceEntry]] = {fork.fork: [] for fork in bank.complete}
    for one in bank.slices:
        if one.fork in by_fork:
            by_fork[one.fork].append(one)
    levels = sorted({one.level for one in bank.slices if one.subject == AGAIN})
    found = Values([], {}, {}, {}, [], [], 0, 0, [])
    ratios: dict[float, list[float]] = {level: [] for level in levels}
    truths: dict[float, list[float]] = {level: [] for level in levels}
    seconds: dict[float, list[float]] = {level: [] for level in levels}
    rounds = voided = 0
    for fork in bank.complete:
        slices = by_fork[fork.fork]
        plain = {level: _by_round(slices, partner(level)) for level in levels}
        slowed = {level: _by_round(slices, face(level)) for level in levels}
        against = {level: _log_ratios(slowed[level], plain[level]) for level in levels}
        within = {level: _log_ratios(slowed[level], slowed[0.0]) for level in levels}
        least = max(1, math.ceil(len(plain[0.0]) / 2))
        if any(len(logs) < least for logs in (*against.values(), *within.values())):
            found.left_out.append(fork.fork)
            continue
        found.forks.append(fork.fork)
        rounds += len(plain[0.0])
        voided += len(plain[0.0]) - len(against[0.0])
        for level in levels:
            ratios[level].append(fork_value(against[level]))
            truths[level].append(fork_value(within[level]))
            seconds[level].append(fork.seconds - _faces_seconds(slices, level))
        found.pairs.append(against[0.0])
        found.throughputs.append((_counted(plain[0.0]), _counted(slowed[0.0])))
    return Values(
        found.forks,
        {level: np.array(logs) for level, logs in ratios.items()},
        {level: np.array(logs) for level, logs in truths.items()},
        {level: np.array(spent) for level, spent in seconds.items()},
        found.pairs,
        found.throughputs,
        rounds,
        voided,
        found.left_out,
    )


def _by_round(slices: Sequence[SliceEntry], label: str) -> dict[int, SliceEntry]:
    return {one.round: one for one in slices if one.phase == "measure" and one.label == label}


def _log_ratios(first: dict[int, SliceEntry], second: dict[int, SliceEntry]) -> list[float]:
    """log(first / second) of the rounds in which both count."""
    return [
        math.log(first[number].throughput_per_s / second[number].throughput_per_s)
        for number in sorted(first)
        if number in second and not first[number].voided and not second[number].voided
    ]


def _counted(slices: dict[int, SliceEntry]) -> list[float]:
    return [one.throughput_per_s for number, one in sorted(slices.items()) if not one.voided]


def _faces_seconds(slices: Sequence[SliceEntry], level: float) -> float:
    """Seconds of measured slices that a comparison of a with again at `level` would not have had.

    Warm-up counts whole: the slices that open the other faces' connections stand in for as many of the two's own.
    """
    kept = {partner(level), face(level)}
    return sum(one.spent_ns / 1e9 for one in slices if one.phase == "measure" and one.label not in kept)
