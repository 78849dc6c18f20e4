"""What a budget holds, planned before anything runs: shorter slices and fewer pairs for its sake, and what it cannot hold, said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..base.progress import duration
from ..base.text import counted
from ..models.records import Schedule
from .designs.design import LEAST_PAIRS
from .kinds import kind_of, warmed
from .schedule import BETWEEN_SECONDS, seconds_of_slice
from .stopping import forks_for_a_verdict, least_warm_up_seconds, trials_per_fork

SHORTEST_SLICE_SECONDS = 1.0
HEAD_START_SECONDS = 8.0  # on all processors, of those that compile while they run
STEADY_SLICES = 3  # the least that a warm-up takes

# What a trial costs beside its load, as a first guess; after the first one its cost takes over. In seconds.
START_SECONDS = {True: 3.0, False: 0.5}  # of a subject that compiles while it runs, and of any other
BESIDE_SECONDS = 4.0  # the look at the machine, verification, ends


@dataclass(frozen=True)
class Fitted:
    """A schedule that is expected to keep to its budget, and what is to be said of it before anything starts."""

    schedule: Schedule
    said: tuple[str, ...] = ()


def fitted(schedule: Schedule, compiles: Sequence[bool], *, slice_fixed: bool) -> Fitted:
    """The schedule with as many pairs, and slices as long, as the forks of a verdict leave room for within its budget.

    `compiles` says of each subject of a trial whether it compiles while it runs; `slice_fixed`, that the user chose the length of
    slices. A schedule without a budget, or with tests, whose length is theirs, stays as it is.
    """
    if schedule.budget_seconds is None or not all(kind_of(cell).sliced for cell in schedule.cells):
        return Fitted(schedule)
    trial = schedule.budget_seconds / (forks_for_a_verdict(schedule) * trials_per_fork(schedule))
    lengths = [schedule.slice_seconds]
    if not slice_fixed and schedule.slice_seconds > SHORTEST_SLICE_SECONDS:
        lengths.append(SHORTEST_SLICE_SECONDS)
    for length in lengths:
        tried = schedule.model_copy(update={"slice_seconds": length})
        pairs = min(schedule.pairs_per_cell, int((trial - beside_pairs(tried, compiles)) / _pair(tried, len(compiles))))
        if pairs >= LEAST_PAIRS:
            kept = tried.model_copy(update={"pairs_per_cell": pairs})
            return Fitted(kept, tuple(_shortened(schedule, kept)))
    least = schedule.model_copy(update={"slice_seconds": lengths[-1], "pairs_per_cell": LEAST_PAIRS})
    return Fitted(least, (_too_small(least, compiles), *_shortened(schedule, least)))


def beside_pairs(schedule: Schedule, compiles: Sequence[bool]) -> float:
    """A guess of what a trial costs beside its pairs, in seconds: starts, head starts, the least warm-up, ends."""
    cells = len(warmed(schedule.cells))
    each = schedule.slice_seconds + BETWEEN_SECONDS
    return BESIDE_SECONDS + sum(
        START_SECONDS[compiling]
        + (min(HEAD_START_SECONDS, schedule.warm_up_limit_seconds * cells) if compiling else 0.0)
        + min(max(STEADY_SLICES * each, least_warm_up_seconds(compiling)), schedule.warm_up_limit_seconds + each)
        * cells
        for compiling in compiles
    )


def _pair(schedule: Schedule, subjects: int) -> float:
    """What a pair of every cell costs, in seconds."""
    return seconds_of_slice(schedule) * subjects * len(schedule.cells)


def _shortened(asked: Schedule, kept: Schedule) -> list[str]:
    said = []
    if kept.slice_seconds < asked.slice_seconds:
        said.append(f"slices of {kept.slice_seconds:g} s, not {asked.slice_seconds:g}")
    if kept.pairs_per_cell < asked.pairs_per_cell:
        said.append(f"at most {counted(kept.pairs_per_cell, 'pair')} a fork, not {asked.pairs_per_cell}")
    return [f"to keep to {duration(asked.budget_seconds or 0)}: {', '.join(said)}"] if said else []


def _too_small(least: Schedule, compiles: Sequence[bool]) -> str:
    """What the budget does not hold, and what would hold it."""
    wanted, budget = forks_for_a_verdict(least), least.budget_seconds or 0.0
    fork = (beside_pairs(least, compiles) + LEAST_PAIRS * _pair(least, len(compiles))) * trials_per_fork(least)
    holds = max(1, int(budget / fork))
    return (
        f"{duration(budget)} hold about {holds} of the {counted(wanted, 'fork')} that a verdict takes, so there may be none; "
        f"a budget of about {duration(wanted * fork)} would hold them"
    )
