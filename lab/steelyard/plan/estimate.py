"""What a trial and a run are expected to take, before any fork has shown its cost: all that says so beforehand asks here.

Study -> schedule -> (slices.py: how many slices, each how long) -> estimate of a trial -> of a run. `budget.py` fits a schedule by
the least of it, a dry run and the progress tell what it is about; after the first trial its real cost takes over (`stopping.py`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..models.job import FixedWork
from ..models.records import Cell, Schedule
from . import shapes
from .cells import pauses_seconds
from .kinds import kind_of, may_take_turns, warm_up_cells
from .slices import (
    BETWEEN_SECONDS,
    head_start_slices,
    most_head_start_slices,
    most_warm_up_slices,
    seconds_of_slice,
    seconds_of_warm_up_slice,
    spare_pairs,
)
from .stopping import least_warm_up_seconds, trials_per_fork, warm_up_within

Compiles = Mapping[str, bool]  # of each subject by its label: whether it compiles while it runs


@dataclass(frozen=True)
class PlannedTime:
    """Seconds. `least`: each warm-up is over as soon as it may be, and no pair is voided; `about`: as kept runs went; `most`: every
    warm-up goes to its limit, every spare pair is driven, fixed work takes all it may. A slow machine can take longer still."""

    least: float
    about: float
    most: float

    def __add__(self, other: PlannedTime) -> PlannedTime:
        return PlannedTime(self.least + other.least, self.about + other.about, self.most + other.most)

    def __mul__(self, times: float) -> PlannedTime:
        return PlannedTime(self.least * times, self.about * times, self.most * times)

    def at_most(self, seconds: float) -> PlannedTime:
        """The same, ended by then."""
        return PlannedTime(min(self.least, seconds), min(self.about, seconds), min(self.most, seconds))

    def at_least(self, other: PlannedTime) -> PlannedTime:
        """Of the two the longer one, figure by figure."""
        return PlannedTime(max(self.least, other.least), max(self.about, other.about), max(self.most, other.most))


NOTHING = PlannedTime(0.0, 0.0, 0.0)

# By the trials under docs/results; the keys say whether a subject compiles while it runs.
LOOKING = PlannedTime(1.0, 1.0, 1.0)  # at the machine, before anything is started
START = {True: PlannedTime(1.5, 7.0, 20.0), False: PlannedTime(0.05, 1.0, 3.0)}
VERIFYING_AND_ENDING = PlannedTime(1.0, 3.0, 8.0)  # of each subject: all exchanges before, counts and records after
# In slices, not seconds: documents that take longer want longer slices, and their code as many requests until it is compiled.
USUAL_HEAD_START_SLICES = 12  # in each cell, where it may go on while compilers are at work
USUAL_AFTER_HEAD_START_SLICES = 10  # of warm-up in each cell, after such a one
USUAL_WARM_UP_SECONDS = {True: 24.0, False: 8.0}  # of load, in each operation
LEAST_WARM_UP_SLICES = 3  # fewer show no steady state
USUAL_SPARE_SHARE = 1 / 6  # of the pairs, where a subject compiles while it runs
REQUEST_SECONDS = 0.005  # of fixed work, with those of all users after each other
RESTORING = PlannedTime(2.0, 7.0, 15.0)  # what a service wrote, before each measured load of a study that asks for it
FAULT = PlannedTime(2.0, 15.0, 60.0)  # beyond its block: the part comes back, the work that is left is done
REPORTING = PlannedTime(2.0, 10.0, 30.0)


def of_run(schedule: Schedule, compiles: Compiles, *, done: Collection[int] = ()) -> PlannedTime:
    """All trials but those whose numbers are `done`, and the report; where there is a budget, no more than that, but for the forks
    that are driven whatever they take.

    What is fetched and built before is not in it, nor a search for the number of users.
    """
    left = [trial for trial in schedule.trials if trial.number not in done]
    trials = [of_trial(schedule.for_trial(trial), trial.start_order, compiles) for trial in left]
    whole = _side_by_side(trials, schedule.at_once) + REPORTING
    if schedule.budget_seconds is None:
        return whole
    promised = schedule.trials[: schedule.least_forks * trials_per_fork(schedule)]
    certain = sum(
        (of_trial(schedule.for_trial(trial), trial.start_order, compiles) for trial in left if trial in promised),
        NOTHING,
    )
    return whole.at_most(schedule.budget_seconds).at_least(certain)


def _side_by_side(trials: Sequence[PlannedTime], at_once: int) -> PlannedTime:
    """Trials in their order, so many at a time: each begins when a place is free."""
    places = [NOTHING] * at_once
    for trial in trials:
        free = min(range(at_once), key=lambda place: places[place].about)
        places[free] += trial
    longest = NOTHING
    for place in places:
        longest = longest.at_least(place)
    return longest


def of_trial(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """One trial of these subjects: up to its pairs and tests, these, and its end."""
    pairs = of_pair(schedule, subjects) * schedule.pairs_per_cell + _spare_pair_time(schedule, subjects, compiles)
    return overhead_of(schedule, subjects, compiles) + pairs + _tests(schedule, subjects)


def of_pair(schedule: Schedule, subjects: Sequence[str]) -> PlannedTime:
    """A measured slice of each subject in every cell that is cut into slices."""
    sliced = [_load(schedule, cell) for cell in schedule.cells if kind_of(cell).sliced]
    return sum(sliced, NOTHING) * len(subjects)


def overhead_of(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """What a trial takes beside what it measures: bringing subjects up, head starts, warm-up, ends."""
    up = sum((START[compiles[label]] + VERIFYING_AND_ENDING for label in subjects), LOOKING)
    before_warm_up = up + _head_starts(schedule, subjects, compiles)
    warm_up = sum((_warm_up(schedule, compiles[label]) for label in subjects), NOTHING)
    end = warm_up_within(schedule)
    if end is not None:  # the budget ends a warm-up, but not before each subject had the least of it
        warm_up = PlannedTime(
            warm_up.least,
            max(warm_up.least, min(warm_up.about, end - before_warm_up.about)),
            max(warm_up.least, min(warm_up.most, end - before_warm_up.about)),
        )
    return before_warm_up + warm_up


def _head_starts(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """On all processors, of the subjects that compile while they run."""
    each = sum(seconds_of_warm_up_slice(schedule, cell) for cell in warm_up_cells(schedule.cells))
    least, most = head_start_slices(schedule), most_head_start_slices(schedule)
    usual = max(least, min(most, USUAL_HEAD_START_SLICES))
    of_all = each * sum(compiles[label] for label in subjects)
    return PlannedTime(of_all * least, of_all * usual, of_all * most)


def _warm_up(schedule: Schedule, compiling: bool) -> PlannedTime:
    """Of one subject in all cells that it warms up in."""
    most = most_warm_up_slices(schedule)
    begun_warm = compiling and most_head_start_slices(schedule) > head_start_slices(schedule)
    cold = math.ceil(USUAL_WARM_UP_SECONDS[compiling] / schedule.slice_seconds)
    usual = min(most, USUAL_AFTER_HEAD_START_SLICES if begun_warm else cold)
    whole = NOTHING
    for cell in warm_up_cells(schedule.cells):
        each = seconds_of_warm_up_slice(schedule, cell)
        least = min(most * each, max(LEAST_WARM_UP_SLICES * each, least_warm_up_seconds(compiling)))
        whole += PlannedTime(least, max(least, usual * each), most * each)
    return whole


def _spare_pair_time(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """The pairs that make up for those in which a subject compiled."""
    if not any(compiles[label] for label in subjects):
        return NOTHING
    spare = of_pair(schedule, subjects) * spare_pairs(schedule)
    return PlannedTime(0.0, spare.about * USUAL_SPARE_SHARE, spare.most)


def _tests(schedule: Schedule, subjects: Sequence[str]) -> PlannedTime:
    """Loads with a shape, each once on each subject, or once for each of its faults."""
    unsliced = [
        (_load(schedule, cell) + (FAULT if kind_of(cell).breaks else NOTHING)) * kind_of(cell).blocks(schedule, cell)
        for cell in schedule.cells
        if not kind_of(cell).sliced
    ]
    return sum(unsliced, NOTHING) * len(subjects)


def _load(schedule: Schedule, cell: Cell) -> PlannedTime:
    """One measured load of a cell on one subject, with what comes before it."""
    restored = schedule.restore == "test" and not may_take_turns(schedule, cell)
    before = RESTORING if restored else NOTHING
    kind, profile = kind_of(cell), cell.profile
    if isinstance(profile, FixedWork):
        usual = min(profile.most_seconds, _work_seconds(schedule, cell, profile))
        return (
            before + PlannedTime(usual, usual, profile.most_seconds) + _fixed_time(kind.rest_seconds + BETWEEN_SECONDS)
        )
    if kind.sliced:
        return before + _fixed_time(seconds_of_slice(schedule))
    return before + _fixed_time(shapes.seconds_of(profile) + kind.rest_seconds + BETWEEN_SECONDS)


def _work_seconds(schedule: Schedule, cell: Cell, profile: FixedWork) -> float:
    """What users need for their work: their pauses at the same time, their requests after each other."""
    requests = pauses = 0.0
    for name, weight in cell.mix.items():
        session = schedule.sessions.get(name)
        share = weight / sum(cell.mix.values())
        requests += share * (len(session.steps) if session else 1)
        pauses += share * (pauses_seconds(session) if session else 0.0)
    return profile.each * (pauses + profile.users * requests * REQUEST_SECONDS)


def _fixed_time(seconds: float) -> PlannedTime:
    return PlannedTime(seconds, seconds, seconds)
