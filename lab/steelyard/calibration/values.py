"""Computes values from the bank: a log ratio per fork and level, the cost of each comparison, and the slices behind
them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..plan.designs.design import LEAST_PAIRS
from ..statistics.interval import fork_value, predicted_variance
from .bank import Bank, ForkEntry, SliceEntry
from .planted import AGAIN, REFERENCE, face, partner

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LevelForks:
    """Comparisons of again at a level with a. Each array has one entry per fork that was to measure them, in order.

    `ratios` are the medians over rounds of log(again at the level / the face of a beside it), as in a comparison of two
    subjects; NaN for a lost fork, which failed or kept fewer than half of its rounds. `scatter` is the variance of that
    median, predicted from its rounds (`ended`). `planted` is the true log ratio of each fork: -log(1 + planted
    microseconds / the process's CPU time per request at level 0), exactly 0 at level 0 (NaN: unknown clock).

    `within` are log(again at the level / again at 0), within one process; `clocked` is the increase in that process's
    CPU time per request from level 0 (NaN: unknown). `seconds` is the real time of a fork with only those two subjects,
    for lost forks too: starts, verification, warm-up, slices, ends. `sittings` is the sitting of each fork.
    """

    forks: list[int]
    ratios: Floats
    scatter: Floats
    planted: Floats
    within: Floats
    clocked: Floats
    seconds: Floats
    sittings: list[int]

    @property
    def counted_ratios(self) -> list[float]:
        """The ratios of the valid forks."""
        return [float(ratio) for ratio in self.ratios if not math.isnan(ratio)]

    @property
    def truth(self) -> float:
        """The mean true log ratio of the valid forks; NaN if unknown."""
        known = self.planted[~np.isnan(self.planted) & ~np.isnan(self.ratios)]
        return float(np.mean(known)) if len(known) else math.nan

    @property
    def scored_ratios(self) -> Floats:
        """The ratios as if each fork had the mean truth: the deviation of a fork's own truth is removed."""
        return self.ratios - self.planted + self.truth

    @property
    def least_deviation(self) -> float:
        """The minimum standard deviation of the forks' ratios, by the scatter of their rounds."""
        return math.sqrt(float(np.nanmean(self.scatter))) if self.counted_ratios else 0.0


@dataclass(frozen=True)
class Values:
    """The values of the forks by level; 0 is the unchanged artifact.

    `pairs` are a fork's log ratios at level 0, whose median is its ratio; `throughputs` those of a's and again's
    measured slices at level 0; both of valid forks. `rounds` and `voided` count pairs at level 0; `lost` are the forks
    that do not count there.
    """

    levels: dict[float, LevelForks]
    pairs: list[list[float]]
    throughputs: list[tuple[list[float], list[float]]]
    rounds: int
    voided: int
    lost: list[int]

    @property
    def equal(self) -> LevelForks:
        """Again against a, both unchanged."""
        return self.levels[0.0]

    @property
    def planted_levels(self) -> list[float]:
        """The levels without 0."""
        return [level for level in self.levels if level > 0]


def values_of(bank: Bank, within: float = math.inf) -> Values:
    """All finished forks, failed ones as lost; forks that the user stopped are left out.

    `within` are the seconds of a fork of two subjects within a budget: a fork that took longer loses its last rounds,
    which a run would not have driven.
    """
    by_fork: dict[int, list[SliceEntry]] = {fork.fork: [] for fork in bank.forks if fork.status != "interrupted"}
    for entry in bank.slices:
        if entry.fork in by_fork:
            by_fork[entry.fork].append(entry)
    levels = sorted({entry.level for entry in bank.slices if entry.subject == AGAIN})
    rows: dict[float, list[tuple[float, ...]]] = {level: [] for level in levels}
    values = Values({}, [], [], 0, 0, [])
    rounds = voided = 0
    for fork in bank.forks:
        if fork.fork not in by_fork:
            continue
        slices = by_fork[fork.fork]
        for level in levels:
            if fork.status == "complete" and not _by_round(slices, face(level)):
                continue  # this fork measured another level
            rows[level].append(_row(bank, fork, slices, level, within))
        driven = _slices_in_time(fork, slices, 0.0, within)[0]
        plain, slowed = _by_round(driven, partner(0.0)), _by_round(driven, face(0.0))
        rounds, voided = rounds + len(plain), voided + len(plain) - len(_log_ratios(slowed, plain))
        if levels and math.isnan(rows[0.0][-1][1]):
            values.lost.append(fork.fork)
            continue
        values.pairs.append(_log_ratios(slowed, plain))
        values.throughputs.append((_counted_throughputs(plain), _counted_throughputs(slowed)))
    sitting_of = {fork.fork: bank.sitting_of(fork) for fork in bank.forks}
    compared = {level: _level_forks(rows[level], sitting_of) for level in levels}
    return Values(compared, values.pairs, values.throughputs, rounds, voided, values.lost)


def tail_forks(bank: Bank) -> LevelForks:
    """Again against a on the 99th percentile, for a bank under open load: log ratios, without pairs and so without a
    floor."""
    of_fork = {(tail.fork, tail.label): tail.p99_us for tail in bank.tails}
    forks = [fork for fork in bank.forks if fork.status != "interrupted"]
    ratios = [
        math.log(of_fork[fork.fork, AGAIN] / of_fork[fork.fork, REFERENCE])
        if {(fork.fork, AGAIN), (fork.fork, REFERENCE)} <= of_fork.keys()
        else math.nan
        for fork in forks
    ]
    unknown, nothing = np.full(len(forks), math.nan), np.zeros(len(forks))
    seconds = np.array([fork.seconds for fork in forks], float)
    sittings = [bank.sitting_of(fork) for fork in forks]
    numbers = [fork.fork for fork in forks]
    return LevelForks(numbers, np.array(ratios, float), nothing, nothing, unknown, unknown, seconds, sittings)


def _slices_in_time(
    fork: ForkEntry, slices: Sequence[SliceEntry], level: float, limit: float
) -> tuple[list[SliceEntry], float]:
    """A fork's slices without the rounds beyond `limit` seconds of a comparison of a with again at `level`, and the
    seconds of that comparison."""
    seconds = fork.seconds - _faces_seconds(slices, level)
    kept = {partner(level), face(level)}
    of_two = [entry for entry in slices if entry.phase == "measure" and entry.label in kept]
    rounds = 1 + max((entry.round for entry in of_two), default=-1)
    if seconds <= limit or rounds <= LEAST_PAIRS:
        return list(slices), seconds
    round_seconds = sum(entry.spent_ns for entry in of_two) / 1e9 / rounds
    driven = max(LEAST_PAIRS, rounds - math.ceil((seconds - limit) / round_seconds))
    return [entry for entry in slices if entry.round < driven], seconds - (rounds - driven) * round_seconds


def _row(bank: Bank, fork: ForkEntry, slices: Sequence[SliceEntry], level: float, limit: float) -> tuple[float, ...]:
    """The fork, ratio, scatter, true log ratio, log ratio within one process, clocked share, and seconds."""
    slices, seconds = _slices_in_time(fork, slices, level, limit)
    plain, slowed, unslowed = (_by_round(slices, label) for label in (partner(level), face(level), face(0.0)))
    against, within = _log_ratios(slowed, plain), _log_ratios(slowed, unslowed)
    if fork.status != "complete" or len(against) < max(1, math.ceil(len(plain) / 2)):
        return fork.fork, *[math.nan] * 5, seconds
    scatter = predicted_variance(against) if len(against) > 1 else math.nan
    planted = -math.log1p(bank.planted_us(fork, level) / request_us(unslowed.values())) if level else 0.0
    by_process = fork_value(within) if within else math.nan
    return (
        fork.fork,
        fork_value(against),
        scatter,
        planted,
        by_process,
        _processor_time_change(slowed, unslowed),
        seconds,
    )


def request_us(slices: Iterable[SliceEntry]) -> float:
    """The CPU time per request in the turns of the valid slices, in microseconds; NaN if unknown."""
    kept = [entry for entry in slices if not entry.voided]
    answered = sum(entry.completed for entry in kept)
    if not answered or any(entry.cpu_own_ns <= 0 for entry in kept):
        return math.nan
    return sum(entry.cpu_own_ns for entry in kept) / answered / 1000


def _level_forks(rows: Sequence[tuple[float, ...]], sitting_of: Mapping[int, int]) -> LevelForks:
    columns = [np.array([row[place] for row in rows], float) for place in range(1, 7)]
    forks = [int(row[0]) for row in rows]
    ratios, scatter, planted, within, clocked, seconds = columns
    sittings = [sitting_of[fork] for fork in forks]
    return LevelForks(forks, ratios, scatter, planted, within, clocked, seconds, sittings)


def _processor_time_change(slowed: dict[int, SliceEntry], unslowed: dict[int, SliceEntry]) -> float:
    """The relative increase in CPU time per request, by the process's clock in its own turns, over rounds with both
    valid."""
    both = [number for number in slowed if number in unslowed]
    kept = [number for number in both if not slowed[number].voided and not unslowed[number].voided]
    return request_us(slowed[number] for number in kept) / request_us(unslowed[number] for number in kept) - 1


def _by_round(slices: Sequence[SliceEntry], label: str) -> dict[int, SliceEntry]:
    return {entry.round: entry for entry in slices if entry.phase == "measure" and entry.label == label}


def _log_ratios(first: dict[int, SliceEntry], second: dict[int, SliceEntry]) -> list[float]:
    """log(first / second) of the rounds in which both slices are valid."""
    return [
        math.log(first[number].throughput_per_s / second[number].throughput_per_s)
        for number in sorted(first)
        if number in second and not first[number].voided and not second[number].voided
    ]


def _counted_throughputs(slices: dict[int, SliceEntry]) -> list[float]:
    return [entry.throughput_per_s for number, entry in sorted(slices.items()) if not entry.voided]


def _faces_seconds(slices: Sequence[SliceEntry], level: float) -> float:
    """The seconds of measured slices that a comparison of a with again at `level` would not have.

    Warm-up counts in full: the slices that open the other faces' connections replace slices of the two.
    """
    kept = {partner(level), face(level)}
    return sum(entry.spent_ns / 1e9 for entry in slices if entry.phase == "measure" and entry.label not in kept)
