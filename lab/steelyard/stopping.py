"""When a run has enough forks: after all of them, when its budget is used, or at the first look that decides."""

from __future__ import annotations

from collections.abc import Callable

from .design import LEAST_PAIRS
from .models.records import Schedule
from .models.study import Budget, Study

Seconds = float
# From the schedule, the trials done and the seconds spent: the schedule to go on with. Fewer trials end the run sooner.
Stopping = Callable[[Schedule, int, Seconds], Schedule]
Decided = Callable[[], bool]


def stopping_of(study: Study, schedule: Schedule, decided: Decided) -> Stopping:
    """The rule for this run; `decided` judges what is stored so far. A user's own number of forks is always kept."""
    budget = study.budget
    if schedule.looks:
        return lambda now, done, spent: at_looks(now, done, spent, budget, decided)
    if budget is not None and schedule.design != "as-published" and len(schedule.trials) == study.forks:
        return lambda now, done, spent: within(now, done, spent, budget)
    return lambda now, _done, _spent: now


def within(schedule: Schedule, done: int, spent: Seconds, budget: Budget) -> Schedule:
    """After the first fork: as many as the budget holds at its cost; where even the least do not fit, fewer pairs a fork.

    The number of forks comes from what they cost, never from what they showed, so the interval keeps its meaning.
    """
    if done != 1:
        return schedule
    forks = min(len(schedule.trials), max(budget.least_forks, int(budget.seconds / spent)))
    pairs = schedule.pairs_per_cell
    excess = spent * forks - budget.seconds
    if excess > 0:
        cost_of_pair = len(schedule.cells) * len(schedule.subjects) * (schedule.slice_seconds + 0.25)
        pairs = max(LEAST_PAIRS, pairs - round(excess / (forks - 1) / cost_of_pair + 0.5))
    return schedule.model_copy(update={"trials": schedule.trials[:forks], "pairs_per_cell": pairs})


def at_looks(schedule: Schedule, done: int, spent: Seconds, budget: Budget | None, decided: Decided) -> Schedule:
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
        reachable = [look for look in schedule.looks if budget is None or spent / forks * look <= budget.seconds]
        last = max([*reachable, schedule.looks[0], forks])
    return schedule.model_copy(update={"trials": schedule.trials[: last * per_fork]})


def trials_per_fork(schedule: Schedule) -> int:
    """How many trials give every subject one fresh start beside the reference: more than one where subjects are split."""
    other = next((label for label in schedule.subjects if label != schedule.reference), schedule.reference)
    return len(schedule.trials) // max(1, sum(other in trial.start_order for trial in schedule.trials))
