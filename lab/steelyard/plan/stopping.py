"""What a run learns from what it has driven: how many pairs a fork deserves, what its budget holds, when it has enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..base.text import counted
from ..models.records import Schedule
from .designs.design import LEAST_PAIRS
from .kinds import kind_of
from .schedule import seconds_of_slice

LEAST_WARM_UP_SECONDS = 10.0  # of each subject and operation, whatever the budget

Seconds = float
# From the schedule, the trials done and the seconds spent: the schedule to go on with. Fewer trials end the run sooner.
Stopping = Callable[[Schedule, int, Seconds], Schedule]
Decided = Callable[[], bool]
Pilot = Callable[[Schedule], int]


def stopping_of(decided: Decided, pilot: Pilot) -> Stopping:
    """The rule for this run.

    `decided` judges what is stored so far; `pilot` says how many pairs a fork should hold, from the first fork.
    """

    def rule(now: Schedule, done: int, spent: Seconds) -> Schedule:
        if done == 1 and not now.pairs_fixed:
            now = now.model_copy(update={"pairs_per_cell": pilot(now)})
        if now.looks:
            return at_looks(now, done, spent, decided)
        if now.budget_seconds is not None:
            return within(now, done, spent, now.budget_seconds)
        return now

    return rule


@dataclass(frozen=True)
class _Cost:
    """What a trial costs: `beside` its pairs (start, verification, warm-up), and a slice of one subject in one cell, in s."""

    beside: Seconds
    of_slice: Seconds
    cells: int
    subjects: int

    def of_trial(self, pairs: int, cells: int) -> Seconds:
        """Warm-up is each cell's own, so what stands beside the pairs shrinks with the cells too."""
        return (self.beside / self.cells + pairs * self.subjects * self.of_slice) * cells

    def pairs_within(self, seconds: Seconds, trials: int, cells: int) -> int:
        """The most pairs with which so many trials take no more than `seconds`."""
        left = seconds / max(1, trials) / cells - self.beside / self.cells
        return int(left / (self.subjects * self.of_slice))


def warm_up_within(schedule: Schedule) -> Seconds | None:
    """Seconds from a trial's begin by which its warm-up must end for the budget to hold the least forks; None where all may take
    their time: without a budget, and where tests come after, of which none can be cut short.

    What comes after the warm-up is measured as planned, but in no more than half of a trial.
    """
    if schedule.budget_seconds is None or not all(kind_of(cell).sliced for cell in schedule.cells):
        return None
    forks = schedule.looks[0] if schedule.looks else schedule.least_forks
    trial = schedule.budget_seconds / (forks * trials_per_fork(schedule))
    slices = schedule.pairs_per_cell * len(schedule.cells) * len(schedule.trials[0].start_order)
    return trial - min(trial / 2, slices * seconds_of_slice(schedule))


def warm_up_is_over(within: Seconds | None, since_begin: Seconds, spent: Sequence[Seconds]) -> bool:
    """Whether the budget ends a trial's warm-up: `spent` is what each subject and operation that is not steady yet had of it."""
    return within is not None and since_begin > within and all(one > LEAST_WARM_UP_SECONDS for one in spent)


def within(schedule: Schedule, done: int, spent: Seconds, budget: Seconds) -> Schedule:
    """After the first trial: what the budget holds at its cost. After each later fork: no more forks than still fit.

    Given up in this order: forks down to the least, pairs down to the least, operations that are not judged, subjects.
    All of it comes from what trials cost, never from what they showed, so the interval keeps its meaning.
    """
    per_fork = trials_per_fork(schedule)
    if done == 1:
        return _planned(schedule, spent, budget)
    if done % per_fork:
        return schedule
    more = int((budget - spent) / (spent / done * per_fork))
    forks = max(schedule.least_forks, done // per_fork + max(0, more))
    return _with_forks(schedule, forks)


def _planned(schedule: Schedule, spent: Seconds, budget: Seconds) -> Schedule:
    planned, cells, cost = schedule.pairs_per_cell, len(schedule.cells), _cost(schedule, spent)
    least = schedule.least_forks * trials_per_fork(schedule)
    left = budget - spent
    for kept in range(cells, 0, -1):
        pairs = min(planned, cost.pairs_within(left, least - 1, kept))
        if pairs >= LEAST_PAIRS:
            forks = 1 + int(left / cost.of_trial(pairs, kept)) if planned == pairs and kept == cells else least
            return _with_forks(_with(schedule, pairs, kept), forks // trials_per_fork(schedule))
    smallest = _with(schedule, LEAST_PAIRS, 1)
    groups = int((left / cost.of_trial(LEAST_PAIRS, 1) + 1) / schedule.least_forks)
    return _with_forks(_with_groups(smallest, max(1, groups)), schedule.least_forks)


def _cost(schedule: Schedule, spent: Seconds) -> _Cost:
    """What a trial costs, by the first one."""
    subjects, cells = len(schedule.trials[0].start_order), len(schedule.cells)
    of_slice = seconds_of_slice(schedule)
    return _Cost(max(0.0, spent - schedule.pairs_per_cell * cells * subjects * of_slice), of_slice, cells, subjects)


def over_budget(before: Schedule, after: Schedule, spent: Seconds) -> Seconds:
    """By how much `after`, which the first trial of `before` led to, goes over the budget all the same; 0 where it does not.

    It does where the least that a verdict needs, four forks of three pairs, costs more.
    """
    if after.budget_seconds is None:
        return 0.0
    trials = after.looks[0] * trials_per_fork(after) if after.looks else len(after.trials)
    left = (trials - 1) * _cost(before, spent).of_trial(after.pairs_per_cell, len(after.cells))
    return max(0.0, spent + left - after.budget_seconds)


def _with(schedule: Schedule, pairs: int, kept: int) -> Schedule:
    """The schedule with fewer pairs, and of the cells that are not judged only the first ones."""
    others = [cell.name for cell in schedule.cells if not cell.primary]
    dropped = others[kept - 1 :]
    said = list(schedule.left_out)
    if pairs < schedule.pairs_per_cell:
        said.append(f"{schedule.pairs_per_cell - pairs} of {counted(schedule.pairs_per_cell, 'pair')} a fork")
    if dropped:
        said.append(f"{', '.join(dropped)}, of which only the first fork has figures")
    cells = [cell for cell in schedule.cells if cell.name not in dropped]
    return schedule.model_copy(update={"pairs_per_cell": pairs, "cells": cells, "left_out": said})


def _with_forks(schedule: Schedule, forks: int) -> Schedule:
    per_fork = trials_per_fork(schedule)
    planned = len(schedule.trials) // per_fork
    if forks >= planned:
        return schedule
    said = [*schedule.left_out, f"{planned - forks} of {counted(planned, 'fork')}"]
    return schedule.model_copy(update={"trials": schedule.trials[: forks * per_fork], "left_out": said})


def _with_groups(schedule: Schedule, groups: int) -> Schedule:
    """The schedule with the first so many groups of subjects."""
    per_fork = trials_per_fork(schedule)
    if groups >= per_fork:
        return schedule
    trials = [trial for place, trial in enumerate(schedule.trials) if place % per_fork < groups]
    kept = {label for trial in trials for label in trial.start_order}
    dropped = [label for label in schedule.subjects if label not in kept]
    return schedule.model_copy(
        update={
            "trials": trials,
            "subjects": [label for label in schedule.subjects if label in kept],
            "left_out": [*schedule.left_out, f"the subjects {', '.join(dropped)}"],
        }
    )


def at_looks(schedule: Schedule, done: int, spent: Seconds, decided: Decided) -> Schedule:
    """End at a look that decides, else at the last look that the budget reaches, but never before the first look.

    The looks and their alpha were fixed before the first fork, so ending early raises no more false alarms.
    """
    per_fork = trials_per_fork(schedule)
    forks, broken_off = divmod(done, per_fork)
    if broken_off:
        return schedule
    if forks in schedule.looks and decided():
        last = forks
    else:
        budget = schedule.budget_seconds
        reachable = [look for look in schedule.looks if budget is None or spent / forks * look <= budget]
        last = max([*reachable, schedule.looks[0], forks])
    return schedule.model_copy(update={"trials": schedule.trials[: last * per_fork]})


def trials_per_fork(schedule: Schedule) -> int:
    """How many trials give every subject one fresh start beside the reference: more than one where subjects are split."""
    other = next((label for label in schedule.subjects if label != schedule.reference), schedule.reference)
    return len(schedule.trials) // max(1, sum(other in trial.start_order for trial in schedule.trials))
