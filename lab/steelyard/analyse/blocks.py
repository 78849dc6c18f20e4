"""Unbroken loads (blocks) second by second and by number of users, for charts and detectors of shaped loads."""

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

LEAST_TICK_SECONDS = 0.5  # a shorter remainder at a block's end does not count as a second
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """One block on one subject in one fork. Each array is (n,), one value per second.

    `second` is the end of each second, counted from the block's start; `seconds` are their lengths; `users` are those active at the
    end. `completed` are right answers and `spent_s` the sum of their response times. `failures` are by kind, wrong answers
    included. `finished` counts the spans that ended, for a study that is judged by background work; None where it is judged by
    answers.
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
    """One fork's block by number of users. Each array is (levels,) with rising users; NaN where there was no right answer."""

    users: Numbers
    throughput_per_s: Numbers
    response_ms: Numbers


def series(run: Run, cell: Cell, subject: str) -> list[Series]:
    """One per fork: all blocks that were completed as planned, also in a trial that failed later.

    Left out are blocks that the engine did not drive as it should, blocks that started while other work was unfinished, and blocks
    in which other programs ran.
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
    """One slice of a trial by second, from its rows in ticks.csv. `span` names the spans that the study is judged by, if any."""
    by_instant: dict[int, list[Tick]] = {}
    for tick in trial.ticks_by_slice[number]:
        by_instant.setdefault(tick.time_ns, []).append(tick)
    begin = trial.slices[number].begin_ns
    instants = np.array(sorted(by_instant), float)
    seconds = np.diff(instants, prepend=begin) / 1e9
    kept = seconds >= LEAST_TICK_SECONDS
    if not kept.any():  # work that finished sooner is shown as a whole
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
    """The number of spans of this name that ended in each interval between two instants."""
    rows = (trial.spans or {}).get(number, ())
    ends = np.array([row.begin_ns + row.ns for row in rows if row.name == span and row.ns is not None], float)
    return np.diff(np.searchsorted(np.sort(ends), instants, side="right"), prepend=0).astype(float)


def by_users(block: Series) -> Levels:
    """A block by number of active users; seconds without users are left out."""
    users = np.unique(block.users[block.users > 0])
    masks = [block.users == level for level in users]
    completed = np.array([block.completed[mask].sum() for mask in masks])
    spent = np.array([block.spent_s[mask].sum() for mask in masks])
    seconds = np.array([block.seconds[mask].sum() for mask in masks])
    return Levels(users, completed / seconds, _quotients(1000 * spent, completed))


def level_means(block: Series, levels: Sequence[tuple[int, float, float]]) -> tuple[Numbers, Numbers, Numbers]:
    """Users, throughput per second and held seconds of the levels (users, from second, to second), each (levels,).

    Throughput is that of finished work where work outlives its answers, because a queue accepts more than it processes. A second at
    the edge of two levels counts for neither. A level that the block did not hold to its end is left out.
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
