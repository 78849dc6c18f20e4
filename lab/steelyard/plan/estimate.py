"""Estimates how long a trial and a run take, before a fork has shown the cost; the only module that does so.

Study -> schedule -> (slices.py: how many slices, how long each) -> estimate of a trial -> of a run. `budget.py` fits a
schedule by the `least` values; a dry run and the progress show the `about` values. After the first trial its real cost
replaces them (`stopping.py`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..models.job import FixedWork
from ..models.records import Cell, Schedule
from . import shapes
from .cells import pauses_seconds
from .engine_pilot import SLICE_SECONDS, SLICES, has_pilot, heaviest_cells
from .kinds import kind_of, may_take_turns, warm_up_cells
from .slices import (
    BETWEEN_SECONDS,
    head_start_slices,
    most_head_start_slices,
    most_warm_up_slices,
    seconds_of_slice,
    seconds_of_warm_up_slice,
    slices_in_sequence,
    spare_pairs,
)
from .stopping import least_warm_up_seconds, trials_per_fork, warm_up_within

Compiles = Mapping[str, bool]  # by a subject's label: whether it has a JIT compiler


@dataclass(frozen=True)
class PlannedTime:
    """Seconds.

    `least`: each warm-up is as short as allowed, and no pair is voided; `about`: as in kept runs; `most`: every warm-up
    reaches its limit, every spare pair is driven, and fixed work takes its limit. A slow machine can take longer still.
    """

    least: float
    about: float
    most: float

    def __add__(self, other: PlannedTime) -> PlannedTime:
        return PlannedTime(self.least + other.least, self.about + other.about, self.most + other.most)

    def __mul__(self, times: float) -> PlannedTime:
        return PlannedTime(self.least * times, self.about * times, self.most * times)

    def at_most(self, seconds: float) -> PlannedTime:
        """The estimate limited to these seconds."""
        return PlannedTime(min(self.least, seconds), min(self.about, seconds), min(self.most, seconds))

    def at_least(self, other: PlannedTime) -> PlannedTime:
        """The maximum of both, figure by figure."""
        return PlannedTime(max(self.least, other.least), max(self.about, other.about), max(self.most, other.most))


NOTHING = PlannedTime(0.0, 0.0, 0.0)

# From the trials under docs/results; keys tell whether a subject has a JIT compiler.
LOOKING = PlannedTime(1.0, 1.0, 1.0)  # to examine the machine, before anything is started
START = {True: PlannedTime(1.5, 7.0, 20.0), False: PlannedTime(0.05, 1.0, 3.0)}
VERIFYING_AND_ENDING = PlannedTime(1.0, 3.0, 8.0)  # for each subject: all exchanges before, counts and records after
# In slices, not seconds: large documents need longer slices, and their code needs as many requests until it is
# compiled.
USUAL_HEAD_START_SLICES = 28  # in all cells of a subject, which share code, if it may continue while compilers work
USUAL_AFTER_HEAD_START_SLICES = 8  # of warm-up in each cell, after such a head start
USUAL_WARM_UP_SECONDS = {True: 24.0, False: 8.0}  # of load, in the first cell
USUAL_FURTHER_WARM_UP_SECONDS = {True: 10.0, False: 8.0}  # in each other cell, whose code is compiled in part already
LEAST_WARM_UP_SLICES = 3  # fewer show no steady state
USUAL_SPARE_SHARE = 1 / 6  # of the pairs, if a subject has a JIT compiler
REQUEST_SECONDS = 0.005  # of fixed work, with the requests of all users in sequence
RESTORING = PlannedTime(2.0, 7.0, 15.0)  # the service's data, before each measured load of a study that restores it
FAULT = PlannedTime(2.0, 15.0, 60.0)  # beyond its block: the part recovers, and the remaining work is done
REPORTING = PlannedTime(2.0, 10.0, 30.0)


def of_run(
    schedule: Schedule, compiles: Compiles, *, done: Collection[int] = (), engine_processors: int = 1
) -> PlannedTime:
    """The pilot, all trials except those in `done`, and the report. With a budget, at most that, except for forks that
    run regardless of it.

    Fetching, building, and the search for the number of users are not included.
    """
    schedule = _with_rates(schedule)
    left = [trial for trial in schedule.trials if trial.number not in done]
    trials = [of_trial(schedule.for_trial(trial), trial.start_order, compiles) for trial in left]
    pilot = NOTHING if done else of_pilot(schedule, compiles, engine_processors)
    whole = pilot + _side_by_side(trials, schedule.at_once) + REPORTING
    if schedule.budget_seconds is None:
        return whole
    promised = schedule.trials[: schedule.least_forks * trials_per_fork(schedule)]
    certain = sum(
        (of_trial(schedule.for_trial(trial), trial.start_order, compiles) for trial in left if trial in promised),
        pilot,
    )
    return whole.at_most(schedule.budget_seconds).at_least(certain)


def of_pilot(schedule: Schedule, compiles: Compiles, engine_processors: int) -> PlannedTime:
    """The pilot before the first trial: each subject is started alone and driven, again where it needs more engine
    threads."""
    if not has_pilot(schedule, engine_processors):
        return NOTHING
    cells = heaviest_cells(schedule.cells)
    round_seconds = sum(SLICES * (SLICE_SECONDS + kind_of(cell).lead_in_ms / 1000) for cell in cells)
    rounds = PlannedTime(1, 1, 1 + math.ceil(math.log2(engine_processors))) * round_seconds
    return sum(
        (START[compiles[label]] + VERIFYING_AND_ENDING + rounds for label in schedule.subjects),
        NOTHING,
    )


def _with_rates(schedule: Schedule) -> Schedule:
    """The schedule as after the first fork, when the rate of each subject is known: any rate takes the same time."""
    rates = dict.fromkeys(schedule.subjects, 1.0)
    cells = [cell.model_copy(update={"subject_rates": rates}) if cell.share else cell for cell in schedule.cells]
    return schedule.model_copy(update={"cells": cells})


def _side_by_side(trials: Sequence[PlannedTime], at_once: int) -> PlannedTime:
    """Trials in order, so many at a time: each begins when a place is free."""
    places = [NOTHING] * at_once
    for trial in trials:
        free = min(range(at_once), key=lambda place: places[place].about)
        places[free] += trial
    longest = NOTHING
    for place in places:
        longest = longest.at_least(place)
    return longest


def of_trial(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """One trial of these subjects: preparation, pairs and tests, and its end."""
    pairs = of_pair(schedule, subjects) * schedule.pairs_per_cell + _spare_pair_time(schedule, subjects, compiles)
    return overhead_of(schedule, subjects, compiles) + pairs + _tests(schedule, subjects)


def of_pair(schedule: Schedule, subjects: Sequence[str]) -> PlannedTime:
    """A measured slice of each subject in every cell that is cut into slices."""
    sliced = [_load(schedule, cell) for cell in schedule.cells if kind_of(cell).sliced]
    return sum(sliced, NOTHING) * slices_in_sequence(schedule, len(subjects))


def overhead_of(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """The time of a trial beside its measurements: starts, head starts, warm-up, ends."""
    up = sum((START[compiles[label]] + VERIFYING_AND_ENDING for label in subjects), LOOKING)
    before_warm_up = up + _head_starts(schedule, subjects, compiles)
    warm_up = sum((_warm_up(schedule, compiles[label]) for label in subjects), NOTHING)
    end = warm_up_within(schedule)
    if end is not None:  # the budget ends a warm-up, but only after each subject's minimum
        warm_up = PlannedTime(
            warm_up.least,
            max(warm_up.least, min(warm_up.about, end - before_warm_up.about)),
            max(warm_up.least, min(warm_up.most, end - before_warm_up.about)),
        )
    return before_warm_up + warm_up


def _head_starts(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """The head starts of subjects with a JIT compiler, on all processors."""
    cells = warm_up_cells(schedule.cells)
    each = sum(seconds_of_warm_up_slice(schedule, cell) for cell in cells)
    least, most = head_start_slices(schedule), most_head_start_slices(schedule)
    usual = max(least, min(most, USUAL_HEAD_START_SLICES / max(1, len(cells))))
    of_all = each * sum(compiles[label] for label in subjects)
    return PlannedTime(of_all * least, of_all * usual, of_all * most)


def _warm_up(schedule: Schedule, compiling: bool) -> PlannedTime:
    """The warm-up of one subject in all its warm-up cells."""
    most = most_warm_up_slices(schedule)
    whole = NOTHING
    for place, cell in enumerate(warm_up_cells(schedule.cells)):
        each = seconds_of_warm_up_slice(schedule, cell)
        least = min(most * each, max(LEAST_WARM_UP_SLICES * each, least_warm_up_seconds(compiling)))
        usual = min(most, _usual_warm_up_slices(schedule, cell, compiling, first=place == 0))
        whole += PlannedTime(least, max(least, usual * each), most * each)
    return whole


def _usual_warm_up_slices(schedule: Schedule, cell: Cell, compiling: bool, *, first: bool) -> int:
    """The warm-up slices of a cell, as in kept runs; a load in one stretch is rarely steady before the limit."""
    if not kind_of(cell).sliced:
        return most_warm_up_slices(schedule)
    if compiling and most_head_start_slices(schedule) > head_start_slices(schedule):
        return USUAL_AFTER_HEAD_START_SLICES
    seconds = USUAL_WARM_UP_SECONDS if first else USUAL_FURTHER_WARM_UP_SECONDS
    return math.ceil(seconds[compiling] / schedule.slice_seconds)


def _spare_pair_time(schedule: Schedule, subjects: Sequence[str], compiles: Compiles) -> PlannedTime:
    """The spare pairs that replace those in which a subject compiled."""
    if not any(compiles[label] for label in subjects):
        return NOTHING
    spare = of_pair(schedule, subjects) * spare_pairs(schedule)
    return PlannedTime(0.0, spare.about * USUAL_SPARE_SHARE, spare.most)


def _tests(schedule: Schedule, subjects: Sequence[str]) -> PlannedTime:
    """Loads with a shape, each once per subject, or once per fault."""
    unsliced = [
        (_load(schedule, cell) + (FAULT if kind_of(cell).breaks else NOTHING)) * kind_of(cell).blocks(schedule, cell)
        for cell in schedule.cells
        if not kind_of(cell).sliced
    ]
    return sum(unsliced, NOTHING) * len(subjects)


def _load(schedule: Schedule, cell: Cell) -> PlannedTime:
    """One measured load of a cell on one subject, with its preparation."""
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
    """The time of the users' work: their pauses in parallel, their requests in sequence."""
    requests = pauses = 0.0
    for name, weight in cell.mix.items():
        session = schedule.sessions.get(name)
        share = weight / sum(cell.mix.values())
        requests += share * (len(session.steps) if session else 1)
        pauses += share * (pauses_seconds(session) if session else 0.0)
    return profile.each * (pauses + profile.users * requests * REQUEST_SECONDS)


def _fixed_time(seconds: float) -> PlannedTime:
    return PlannedTime(seconds, seconds, seconds)
