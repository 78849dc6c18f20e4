"""How a run adapts to its cost: pairs for each fork, forks within the budget, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..base.progress import duration
from ..base.text import plural
from ..models.records import Schedule, TrialPlan
from ..statistics.looks import looks_within
from .designs.design import LEAST_PAIRS
from .kinds import kind_of
from .slices import seconds_of_slice, slices_in_sequence

LEAST_WARM_UP_SECONDS = 10.0  # of each subject and operation, regardless of the budget
LEAST_WARM_UP_WITHOUT_COMPILER_SECONDS = 4.0
LEAST_FOR_A_VERDICT = 4  # forks
END_SECONDS = 1.5  # of a trial, after its last pair: counts are compared, processes end
OVER = 0.05  # share by which a run may exceed its budget, since forks vary in duration
# The same where it has a verdict then, and else none: all of its time would be lost.
OVER_FOR_A_VERDICT = 0.1

Seconds = float
# From the schedule, the number of finished trials and the seconds spent: the schedule to continue with. Fewer trials
# end the run sooner.
Stopping = Callable[[Schedule, int, Seconds], Schedule]
Decided = Callable[[], bool]
Pilot = Callable[[Schedule], int]


def stopping_of(decided: Decided, pilot: Pilot, beforehand: Seconds = 0.0) -> Stopping:
    """The stopping rule for this run.

    `decided` judges the stored results; `pilot` gives the number of pairs per fork, from the first fork. The seconds `beforehand`
    were spent before the first trial, so no trial costs them, and the budget lacks them.
    """

    before: tuple[int, Seconds] = (0, 0.0)  # at the end of the last complete fork; its trials may differ in cost
    planned_trials: list[TrialPlan] = []  # of a run with looks: more may fit than the first fork let expect

    def rule(now: Schedule, done: int, spent: Seconds) -> Schedule:
        changed = of_trials(without_seconds(now, beforehand), done, spent - beforehand)
        return changed.model_copy(update={"budget_seconds": now.budget_seconds})

    def of_trials(now: Schedule, done: int, spent: Seconds) -> Schedule:
        nonlocal before
        driven, took = done - before[0], spent - before[1]
        each = took / driven if driven > 0 else spent / done
        planned = now
        if done % trials_per_fork(now) == 0:
            before = (done, spent)
        if done == 1 and not now.pairs_fixed:
            now = now.model_copy(update={"pairs_per_cell": pilot(now)})
        if now.looks:
            planned_trials[:] = planned_trials or now.trials
            if done == 1 and now.budget_seconds is not None:
                now = _with_pairs_that_fit(planned, now, spent, now.budget_seconds)
                each = min(each, _cost(planned, spent).of_trial(now.pairs_per_cell, len(now.cells)))
            return at_looks(now.model_copy(update={"trials": [*planned_trials]}), done, spent, each, decided)
        if now.budget_seconds is not None:
            return fit_after_trial(now, done, spent, each, now.budget_seconds, planned)
        return now

    return rule


def without_seconds(schedule: Schedule, seconds: Seconds) -> Schedule:
    """The schedule with what is left of its budget after `seconds`."""
    if schedule.budget_seconds is None:
        return schedule
    return schedule.model_copy(update={"budget_seconds": max(0.0, schedule.budget_seconds - seconds)})


def forks_for_a_verdict(schedule: Schedule) -> int:
    """The fewest forks that can be judged."""
    return (
        schedule.looks[0]
        if schedule.looks
        else min(LEAST_FOR_A_VERDICT, len(schedule.trials) // trials_per_fork(schedule))
    )


def least_warm_up_seconds(compiles: bool) -> Seconds:
    """The minimum warm-up of a subject in an operation, regardless of the budget, by whether it has a JIT compiler."""
    return LEAST_WARM_UP_SECONDS if compiles else LEAST_WARM_UP_WITHOUT_COMPILER_SECONDS


@dataclass(frozen=True)
class _Cost:
    """The cost of a trial in seconds: `beside` its pairs (start, verification, warm-up), and of a slice of one subject
    in one cell, of which `slices` of a pair run one after the other."""

    beside: Seconds
    of_slice: Seconds
    cells: int
    slices: int

    def of_trial(self, pairs: int, cells: int) -> Seconds:
        """Each cell has its own warm-up, so the cost beside the pairs falls with fewer cells."""
        return (self.beside / self.cells + pairs * self.slices * self.of_slice) * cells

    def pairs_within(self, seconds: Seconds, trials: float, cells: int) -> int:
        """The maximum of pairs with which so many trials take at most `seconds`."""
        left = seconds / max(1, trials) / cells - self.beside / self.cells
        return int(left / (self.slices * self.of_slice))


def trial_within(schedule: Schedule) -> Seconds | None:
    """The seconds of a trial with which the budget holds the minimum of forks;

    None without a budget, and with tests, which cannot be shortened.
    """
    if schedule.budget_seconds is None or not all(kind_of(cell).sliced for cell in schedule.cells):
        return None
    return schedule.budget_seconds / (forks_for_a_verdict(schedule) * _first_trials_per_fork(schedule))


def seconds_until_cut(schedule: Schedule) -> Seconds | None:
    """Seconds from a run's start after which nothing is measured; None without a limit.

    Only a user's budget cuts a comparison: a study's own budget only drops what does not fit, and a guaranteed number
    of forks takes precedence.
    """
    if schedule.budget_seconds is None or not schedule.looks or schedule.least_forks:
        return None
    return (1 + OVER) * schedule.budget_seconds


def warm_up_within(schedule: Schedule) -> Seconds | None:
    """Seconds from a trial's start by which its warm-up must end to keep the budget; None without a limit.

    After the warm-up, measurements follow as planned, but take at most half of a trial.
    """
    trial = trial_within(schedule)
    if trial is None:
        return None
    in_pair = slices_in_sequence(schedule, len(schedule.trials[0].start_order))
    slices = schedule.pairs_per_cell * len(schedule.cells) * in_pair
    return trial - min(trial / 2, slices * seconds_of_slice(schedule))


@dataclass(frozen=True)
class Pending:
    """A subject that is not yet steady in a cell: whether it has a compiler, its warm-up so far, and whether it still
    compiles so much in every slice that no pair would count."""

    compiler: bool
    spent: Seconds
    compiling: bool = False


def warm_up_is_over(
    within: Seconds | None, since_begin: Seconds, pending: Sequence[Pending], *, verdict_promised: bool = False
) -> bool:
    """Whether the budget ends a trial's warm-up.

    If a verdict is guaranteed regardless of the budget (a study's `least_forks`), it does not while compilers work: on
    a much slower machine all pairs would be void, and their time wasted.
    """
    if within is None or since_begin <= within:
        return False
    if verdict_promised and any(subject.compiling for subject in pending):
        return False
    return all(subject.spent > least_warm_up_seconds(subject.compiler) for subject in pending)


def pairs_are_over(
    within: Seconds | None, since_begin: Seconds, driven: int, measuring: Seconds, least: int = LEAST_PAIRS
) -> bool:
    """Whether a trial's share of the budget allows no further pair (of all cells), judged by the time of the `driven`
    ones; the `least` with which its fork counts are always driven.

    The duration of a warm-up is known only afterwards, so the number of pairs compensates; their results do not matter.
    """
    if within is None or driven < least:
        return False
    return since_begin + measuring / driven + END_SECONDS > within


def fit_after_trial(
    schedule: Schedule, done: int, spent: Seconds, each: Seconds, budget: Seconds, planned: Schedule
) -> Schedule:
    """After the first trial: as much as the budget allows at its cost. After each later fork: as many forks as still
    fit.

    Reduced in this order: forks down to the minimum for a verdict, pairs down to their minimum, operations that are not
    judged, subjects; and last the verdict, unless `least_forks` are guaranteed. `each` is the cost of the last trials.
    The first trial had as many pairs as `planned`.

    Everything depends only on the cost of trials, never on their results, so the interval stays valid.
    """
    per_fork = trials_per_fork(schedule)
    if done == 1:
        cost = _cost(planned, spent)
        changed = _plan_forks(schedule, cost, spent, budget)
        trial = cost.of_trial(changed.pairs_per_cell, len(changed.cells))
        in_fork = _first_trials_per_fork(changed)
        return _limit_forks(changed, _fitting(spent, trial * in_fork, 1 / in_fork, (1 + OVER) * budget))
    if done % per_fork:
        return schedule
    fork, forks = each * per_fork, done // per_fork
    with_verdict = min(forks_for_a_verdict(schedule), _fitting(spent, fork, forks, (1 + OVER_FOR_A_VERDICT) * budget))
    return _limit_forks(schedule, max(with_verdict, _fitting(spent, fork, forks, (1 + OVER) * budget)))


def _fitting(spent: Seconds, fork: Seconds, done: float, most: Seconds) -> int:
    """The total number of forks that fit into `most`, if each further one costs `fork`."""
    return int(done + max(0.0, most - spent) / max(fork, 1e-9))


def _limit_forks(schedule: Schedule, fitting: int) -> Schedule:
    """The schedule with no more forks than fit, except guaranteed ones."""
    return _with_forks(schedule, max(schedule.least_forks, 1, fitting))


def _with_pairs_that_fit(planned: Schedule, schedule: Schedule, spent: Seconds, budget: Seconds) -> Schedule:
    """The schedule with fewer pairs per fork if the first look would come after the budget's end, but at least the
    minimum; the first fork had as many as `planned`."""
    trials, cells = schedule.looks[0] * _first_trials_per_fork(schedule), len(schedule.cells)
    fitting = _cost(planned, spent).pairs_within(budget - spent, trials - 1, cells)
    return _with_pairs(schedule, max(LEAST_PAIRS, min(schedule.pairs_per_cell, fitting)), cells)


def _plan_forks(schedule: Schedule, cost: _Cost, spent: Seconds, budget: Seconds) -> Schedule:
    planned, cells = schedule.pairs_per_cell, len(schedule.cells)
    wanted, in_fork = forks_for_a_verdict(schedule), _first_trials_per_fork(schedule)
    left = budget - spent
    for kept in range(cells, 0, -1):
        pairs = min(planned, cost.pairs_within(left, wanted * in_fork - 1, kept))
        if pairs >= LEAST_PAIRS:
            whole = planned == pairs and kept == cells
            forks = int((1 + left / cost.of_trial(pairs, kept)) / in_fork) if whole else wanted
            return _with_forks(_with_pairs(schedule, pairs, kept), forks)
    smallest = _with_pairs(schedule, LEAST_PAIRS, 1)
    groups = int((left / cost.of_trial(LEAST_PAIRS, 1) + 1) / wanted)
    return _with_forks(_with_groups(smallest, max(1, groups)), wanted)


def _cost(schedule: Schedule, spent: Seconds) -> _Cost:
    """The cost of a trial, measured on the first one."""
    in_pair, cells = slices_in_sequence(schedule, len(schedule.trials[0].start_order)), len(schedule.cells)
    of_slice = seconds_of_slice(schedule)
    return _Cost(max(0.0, spent - schedule.pairs_per_cell * cells * in_pair * of_slice), of_slice, cells, in_pair)


def without_verdict(before: Schedule, after: Schedule, spent: Seconds, beforehand: Seconds = 0.0) -> str:
    """A message if the schedule `after`, the result of the first trial of `before`, does not hold the forks of a
    verdict, or holds them only beyond its budget; else empty. The trial began after the seconds `beforehand`."""
    if after.budget_seconds is None:
        return ""
    wanted = forks_for_a_verdict(before)
    cost = _cost(before, spent - beforehand).of_trial(after.pairs_per_cell, len(after.cells))
    needed = spent + (wanted * _first_trials_per_fork(after) - 1) * cost
    if needed <= (1 + OVER) * after.budget_seconds:
        return ""
    if len(after.trials) < wanted * trials_per_fork(after):
        held = len(after.trials) / trials_per_fork(after)
        return (
            f"the budget is enough for {held:.0f} of the {wanted} forks that a verdict needs; about {duration(needed)} "
            "would be enough"
        )
    return f"the minimum for a verdict takes about {duration(needed - after.budget_seconds)} more than the budget"


def _with_pairs(schedule: Schedule, pairs: int, kept: int) -> Schedule:
    """The schedule with fewer pairs, and with only the first of the cells that are not judged."""
    others = [cell.name for cell in schedule.cells if not cell.primary]
    dropped = others[kept - 1 :]
    left_out = list(schedule.left_out)
    if pairs < schedule.pairs_per_cell:
        left_out.append(f"{schedule.pairs_per_cell - pairs} of {plural(schedule.pairs_per_cell, 'pair')} a fork")
    if dropped:
        left_out.append(f"{', '.join(dropped)}, of which only the first fork has figures")
    cells = [cell for cell in schedule.cells if cell.name not in dropped]
    return schedule.model_copy(update={"pairs_per_cell": pairs, "cells": cells, "left_out": left_out})


def _with_forks(schedule: Schedule, forks: int) -> Schedule:
    per_fork = trials_per_fork(schedule)
    planned = len(schedule.trials) // per_fork
    if forks >= planned:
        return schedule
    left_out = [*schedule.left_out, f"{planned - forks} of {plural(planned, 'fork')}"]
    return schedule.model_copy(update={"trials": schedule.trials[: forks * per_fork], "left_out": left_out})


def _with_groups(schedule: Schedule, groups: int) -> Schedule:
    """The schedule with the first `groups` groups of subjects."""
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


def at_looks(schedule: Schedule, done: int, spent: Seconds, each: Seconds, decided: Decided) -> Schedule:
    """The schedule that ends at a look that decides, else at the last look within the budget; if that does not reach
    the first look, at the last fork that fits. `each` is the cost of the last trials.

    The looks and their alpha are fixed before the first look, by the cost of trials and never by their results, so ending
    early does not raise the rate of false alarms.
    """
    per_fork = trials_per_fork(schedule)
    forks, broken_off = divmod(done, per_fork)
    if broken_off:
        return schedule
    budget = schedule.budget_seconds
    if forks in schedule.looks and decided():
        last = forks
    elif budget is None:
        last = schedule.looks[-1]
    else:
        fitting = max(schedule.least_forks, _fitting(spent, each * per_fork, forks, (1 + OVER) * budget))
        if forks == schedule.looks[0] - 1:
            schedule = schedule.model_copy(update={"looks": looks_within(schedule.looks, fitting)})
        last = max([*(look for look in schedule.looks if look <= fitting), min(fitting, schedule.looks[0]), forks])
    return schedule.model_copy(update={"trials": schedule.trials[: last * per_fork]})


def trials_per_fork(schedule: Schedule) -> int:
    """The number of trials that start every subject once, with the reference: more than one if subjects are split into
    groups."""
    other = next((label for label in schedule.subjects if label != schedule.reference), schedule.reference)
    return len(schedule.trials) // max(1, sum(other in trial.start_order for trial in schedule.trials))


def _first_trials_per_fork(schedule: Schedule) -> float:
    """The cost of a fork as a multiple of the first trial: groups of subjects may differ in size."""
    fork = schedule.trials[: trials_per_fork(schedule)]
    return sum(len(trial.start_order) for trial in fork) / len(fork[0].start_order)
