"""Fits a schedule to a budget before anything runs: shorter slices and fewer pairs, and messages about what does not
fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..base.errors import ConfigurationError
from ..base.progress import duration
from ..base.text import plural
from ..models.records import Schedule
from .designs.design import LEAST_PAIRS
from .estimate import Compiles, of_pair, of_pilot, of_trial, overhead_of
from .kinds import kind_of
from .stopping import OVER, forks_for_a_verdict, seconds_until_cut, trials_per_fork

SHORTEST_SLICE_SECONDS = 1.0


@dataclass(frozen=True)
class Fitted:
    """A schedule that should keep to its budget, and messages to print before the run starts."""

    schedule: Schedule
    messages: tuple[str, ...] = ()


def fit_to_budget(schedule: Schedule, compiles: Compiles, *, slice_fixed: bool, engine_processors: int = 1) -> Fitted:
    """The schedule with as many pairs, and slices as long, as its budget allows for the forks of a verdict.

    `compiles` tells for each subject whether it has a JIT compiler; `slice_fixed`, whether the user chose the length of
    slices. Where the engine has several processors, the budget also holds the pilot of its threads. A schedule without a
    budget, or with tests of fixed length, is returned unchanged.
    """
    if schedule.budget_seconds is None or not all(kind_of(cell).sliced for cell in schedule.cells):
        return Fitted(schedule)
    pilot = of_pilot(schedule, compiles, engine_processors).least
    trial = (schedule.budget_seconds - pilot) / (forks_for_a_verdict(schedule) * trials_per_fork(schedule))
    lengths = [schedule.slice_seconds]
    if not slice_fixed and schedule.slice_seconds > SHORTEST_SLICE_SECONDS:
        lengths.append(SHORTEST_SLICE_SECONDS)
    for length in lengths:
        tried = schedule.model_copy(update={"slice_seconds": length})
        beside, pair = _least_seconds(tried, compiles)
        pairs = min(schedule.pairs_per_cell, int((trial - beside) / pair))
        if pairs >= LEAST_PAIRS:
            kept = tried.model_copy(update={"pairs_per_cell": pairs})
            return Fitted(kept, tuple(_reduction_sentences(schedule, kept)))
    least = schedule.model_copy(update={"slice_seconds": lengths[-1], "pairs_per_cell": LEAST_PAIRS})
    if seconds_until_cut(least) is not None:
        _require_one_fork(least, compiles, pilot)
    return Fitted(least, (_too_small(least, compiles, pilot), *_reduction_sentences(schedule, least)))


def _least_seconds(schedule: Schedule, compiles: Compiles) -> tuple[float, float]:
    """The minimum seconds of the most expensive trial without its pairs, and of one of its pairs."""
    subjects = max(
        (trial.start_order for trial in schedule.trials), key=lambda order: of_trial(schedule, order, compiles).least
    )
    return overhead_of(schedule, subjects, compiles).least, of_pair(schedule, subjects).least


def _least_fork(least: Schedule, compiles: Compiles) -> float:
    """The minimum seconds of a fork with the minimum of pairs."""
    beside, pair = _least_seconds(least, compiles)
    return (beside + LEAST_PAIRS * pair) * trials_per_fork(least)


def _require_one_fork(least: Schedule, compiles: Compiles, pilot: float) -> None:
    """Raise ConfigurationError if the budget ends before the first fork has the minimum of pairs; `pilot` are seconds."""
    fork, budget = _least_fork(least, compiles), least.budget_seconds or 0.0
    if pilot + fork > (1 + OVER) * budget:
        wanted = forks_for_a_verdict(least)
        raise ConfigurationError(
            f"a budget of {duration(budget)} is too small: one fork takes about {duration(fork)}, and a verdict "
            f"needs {plural(wanted, 'fork')}",
            hint=f"--budget {math.ceil((pilot + wanted * fork) / 10) * 10}s is enough",
        )


def _reduction_sentences(wanted: Schedule, kept: Schedule) -> list[str]:
    reductions = []
    if kept.slice_seconds < wanted.slice_seconds:
        reductions.append(f"slices of {kept.slice_seconds:g} s, not {wanted.slice_seconds:g}")
    if kept.pairs_per_cell < wanted.pairs_per_cell:
        reductions.append(f"at most {plural(kept.pairs_per_cell, 'pair')} per fork, not {wanted.pairs_per_cell}")
    return [f"to keep to {duration(wanted.budget_seconds or 0)}: {', '.join(reductions)}"] if reductions else []


def _too_small(least: Schedule, compiles: Compiles, pilot: float) -> str:
    """A sentence that the budget is too small, and which one would suffice; `pilot` are seconds."""
    wanted, budget = forks_for_a_verdict(least), least.budget_seconds or 0.0
    fork = _least_fork(least, compiles)
    holds = max(1, int((budget - pilot) / fork))
    return (
        f"{duration(budget)} is enough for about {holds} of the {plural(wanted, 'fork')} that a verdict needs, so "
        f"there may be no verdict; a budget of about {duration(pilot + wanted * fork)} would be enough"
    )
