"""Blocks read back second by second, and by the number of users: what charts and detectors of loads with a shape draw on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models.records import Cell
from ..results.stored_run import Run, Trial
from ..results.tables import Tick
from .pairing import Void, measured_slices, slice_voids

LEAST_TICK_SECONDS = 0.5  # a shorter rest at a block's end is no second
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """One block on one subject in one fork, each array (n,), a value a second.

    `second` is where each ends, from the block's begin; `seconds` how long it was; `users` those active at its end; `completed`
    right answers, `spent_s` the sum of their response times; `failures` are by kind, wrong answers among them. `finished`
    is how many spans ended by which a study is judged, whose work outlives its answers; None where it is judged by answers alone.
    """

    trial: int
    second: Numbers
    seconds: Numbers
    users: Numbers
    completed: Numbers
    spent_s: Numbers
    failures: dict[str, Numbers]
    finished: Numbers | None = None

    @property
    def throughput_per_s(self) -> Numbers:
        """Right answers per second."""
        return self.completed / self.seconds

    @property
    def response_ms(self) -> Numbers:
        """Mean response time of each second's right answers; NaN where there was none."""
        return _quotients(1000 * self.spent_s, self.completed)

    @property
    def failed_per_s(self) -> Numbers:
        """Failures of all kinds per second."""
        return sum(self.failures.values(), np.zeros(len(self.second))) / self.seconds


@dataclass(frozen=True)
class Levels:
    """One fork's block by the number of users: each array (levels,), users rising. NaN where there was no right answer."""

    users: Numbers
    throughput_per_s: Numbers
    response_ms: Numbers


def series(run: Run, cell: Cell, subject: str) -> list[Series]:
    """One a fork: all blocks that were driven to their end as planned, also in a trial that failed later.

    A block of which the engine says that it did not drive it as it should is nothing that the server did, and left out; so is one
    that began beside work that was left of another, or in which others were at work.
    """
    span = cell.judged_by if cell.judged_by in {each.name for each in run.schedule.spans} else None
    forks = []
    for trial in run.trials:
        for number in measured_slices(trial, cell.name, subject).values():
            whole = number in trial.slices and trial.ticks_by_slice.get(number)
            voids = slice_voids(trial, number, unbroken=True)
            if whole and voids != (Void.ENGINE,) and not {Void.BURDENED, Void.FOREIGN} & {*voids}:
                forks.append(series_of(trial, number, span))
    return [fork for fork in forks if len(fork.second)]


def series_of(trial: Trial, number: int, span: str | None = None) -> Series:
    """One slice of a trial second by second, which has rows in ticks.csv; `span` is the name of those by which it is judged."""
    by_instant: dict[int, list[Tick]] = {}
    for tick in trial.ticks_by_slice[number]:
        by_instant.setdefault(tick.time_ns, []).append(tick)
    begin = trial.slices[number].begin_ns
    instants = np.array(sorted(by_instant), float)
    seconds = np.diff(instants, prepend=begin) / 1e9
    kept = seconds >= LEAST_TICK_SECONDS
    if not kept.any():  # work that was done sooner than that is all there is to show
        kept = seconds > 0
    rows = [by_instant[int(instant)] for instant in instants[kept]]
    kinds = sorted({kind for ticks in rows for tick in ticks for kind in tick.failures})

    def column(value: Any) -> Numbers:
        return np.array([value(ticks) for ticks in rows], float)

    return Series(
        trial=trial.number,
        second=(instants[kept] - begin) / 1e9,
        seconds=seconds[kept],
        users=column(lambda ticks: max(tick.users_active for tick in ticks)),
        completed=column(lambda ticks: sum(tick.completed for tick in ticks)),
        spent_s=column(lambda ticks: sum(tick.response_ns_sum for tick in ticks) / 1e9),
        failures={
            kind: column(lambda ticks, kind=kind: sum(tick.failures.get(kind, 0) for tick in ticks)) for kind in kinds
        },
        finished=None if span is None else _ends_per_interval(trial, number, span, instants)[kept],
    )


def _ends_per_interval(trial: Trial, number: int, span: str, instants: Numbers) -> Numbers:
    """How many spans of that name ended up to each instant since the one before."""
    rows = (trial.spans or {}).get(number, ())
    ends = np.array([row.begin_ns + row.ns for row in rows if row.name == span and row.ns is not None], float)
    return np.diff(np.searchsorted(np.sort(ends), instants, side="right"), prepend=0).astype(float)


def by_users(block: Series) -> Levels:
    """A block by the users that were active; seconds without any are left out."""
    users = np.unique(block.users[block.users > 0])
    masks = [block.users == level for level in users]
    completed = np.array([block.completed[mask].sum() for mask in masks])
    spent = np.array([block.spent_s[mask].sum() for mask in masks])
    seconds = np.array([block.seconds[mask].sum() for mask in masks])
    return Levels(users, completed / seconds, _quotients(1000 * spent, completed))


def level_means(block: Series, levels: Sequence[tuple[int, float, float]]) -> tuple[Numbers, Numbers, Numbers]:
    """Users, throughput per second and held seconds of the levels (users, from second, to second) that were held, each (levels,).

    Throughput is that of the work which is finished, where that outlives its answers: a queue takes in more than it lets out.
    A second at a level's edge counts for neither of its neighbours, and a level that the block did not hold to its end for none.
    """
    held_levels = []
    done = block.completed if block.finished is None else block.finished
    for users, begin, end in levels:
        inside = (block.second - block.seconds >= begin - 0.1) & (block.second <= end + 0.1)
        seconds = block.seconds[inside].sum()
        if seconds and end <= block.second[-1] + 0.1:
            held_levels.append((users, done[inside].sum() / seconds, end - begin))
    table = np.array(held_levels, float).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _quotients(first: Numbers, second: Numbers) -> Numbers:
    quotients: Numbers = np.divide(first, second, out=np.full(len(first), np.nan), where=second > 0)
    return quotients
