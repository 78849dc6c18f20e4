"""Work of other programs on the subjects' processors: how much there was in each cell, and which processes did it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import is_stored
from ..base.errors import StoreError
from ..base.text import join_words, plural
from ..models.records import Cell, Schedule, TrialPlan
from ..results.foreign_table import NAME, ForeignWork
from ..results.stored_run import Run, Trial, read_trial
from ..statistics.foreign_share import FOREIGN_LIMIT, foreign_share
from .instrument import Finding, Level
from .pairing import Void, slice_voids

OTHERS_AT_WORK = "Others at work"
UNSEEN = "a process that cannot be seen from here"  # as seen from within a container
_MOST_TRIALS = 4  # that a caveat lists one by one


@dataclass(frozen=True)
class Disturbance:
    """Work of others during a cell's pairs in one trial: pairs measured, pairs voided, and the busiest process.

    `share` is what that process used, as a share of one processor.
    """

    trial: int
    pairs: int
    void: int
    name: str
    share: float

    def __str__(self) -> str:
        return f"{self.name} used {self.share:.0%} of a processor"


def examine_foreign(run: Run) -> Iterator[Finding]:
    """One finding for each cell in which work of others was looked for; none for older runs."""
    for cell in run.schedule.cells:
        readings = [row for trial in run.trials for row in _readings(trial, cell) if row.share is not None]
        if readings:
            yield _finding(run, cell, readings)


def too_busy(seen: Sequence[Disturbance], where: str = "") -> str:
    """The sentence that replaces a verdict where others disturbed most of these pairs; empty otherwise."""
    void, pairs = sum(each.void for each in seen), sum(each.pairs for each in seen)
    if 2 * void <= pairs:
        return ""
    worst = max(seen, key=lambda each: (each.void, each.share))
    on = f" on {where}" if where else ""
    return f"this machine is busy: {worst} while {void} of {plural(pairs, 'pair')}{on} were measured"


def disturbances(trials: Sequence[Trial], cell: Cell) -> list[Disturbance]:
    """Work of others during a cell's pairs, trial by trial, without trials that failed or were not observed."""
    return [
        disturbance
        for trial in trials
        if trial.foreign and trial.status != "failed"
        if (disturbance := _disturbance(trial, cell)).pairs
    ]


def _finding(run: Run, cell: Cell, readings: Sequence[ForeignWork]) -> Finding:
    seen = disturbances(run.trials, cell)
    share = foreign_share(
        sum(row.foreign_ns for row in readings),
        sum(row.available_ns for row in readings),
        sum(row.end_ns - row.begin_ns for row in readings),
    )
    void, pairs = sum(each.void for each in seen), sum(each.pairs for each in seen)
    reading, limit = f"{share or 0.0:.1%}, {void} of {pairs} pairs void", f"at most {FOREIGN_LIMIT:.0%}"
    level, reason = Level.OK, ""
    if busy := too_busy(seen, cell.where):
        level, reason = Level.INVALID, busy
    elif void:
        level = Level.WARNING
        seen_in = f"{void} of {plural(pairs, 'pair')}"
        reason = f"other programs ran during {seen_in} on {cell.where}, which do not count: {_by_trial(seen)}"
    elif listed := _by_trial(seen):  # slices of a single subject are never void
        level, reason = (
            Level.WARNING,
            f"other programs ran on {cell.where} and disturbed the measurement: {listed}",
        )
    return Finding(OTHERS_AT_WORK, cell.name, None, level, reading, limit, reason)


def _by_trial(seen: Sequence[Disturbance]) -> str:
    """Each disturbed trial with its own figures, such as "make used 40% of a processor in trial 2"; empty if there is none."""
    disturbed = [each for each in seen if each.share]
    listed = [f"{each} in trial {each.trial}" for each in disturbed[:_MOST_TRIALS]]
    if len(disturbed) > _MOST_TRIALS:
        listed.append(f"others in {plural(len(disturbed) - _MOST_TRIALS, 'more trial')}")
    return join_words(listed) if listed else ""


def _readings(trial: Trial, cell: Cell) -> list[ForeignWork]:
    """The readings taken while slices of the cell were measured, each once."""
    numbers = [plan.number for plan in trial.plans.values() if plan.phase == "measure" and plan.cell == cell.name]
    rows = (trial.foreign_by_slice[number] for number in numbers if number in trial.foreign_by_slice)
    return list(dict.fromkeys(rows))


def _disturbance(trial: Trial, cell: Cell) -> Disturbance:
    pairs: dict[int, bool] = {}
    for plan in trial.plans.values():
        if plan.phase == "measure" and plan.cell == cell.name and plan.pair is not None:
            is_void = Void.FOREIGN in slice_voids(trial, plan.number, unbroken=True)
            pairs[plan.pair] = pairs.get(plan.pair, False) or is_void
    rows = [row for row in _readings(trial, cell) if row.is_disturbed]
    name, share = _busiest(trial, rows)
    return Disturbance(trial.number, len(pairs), sum(pairs.values()), name, share)


def _busiest(trial: Trial, rows: Sequence[ForeignWork]) -> tuple[str, float]:
    """The process name that used most during these rows, and its use as a share of one processor.

    Such processes may have run on other processors too. Their share is therefore at most the foreign work on the subjects'
    processors.
    """
    seconds, foreign = sum(row.seconds for row in rows), sum(row.foreign_ns for row in rows) / 1e9
    if not seconds:
        return UNSEEN, 0.0
    numbers = {number for row in rows for number in row.numbers}
    used: dict[str, float] = {}
    for stranger in trial.strangers:
        if stranger.numbers & numbers:
            used[stranger.process] = used.get(stranger.process, 0.0) + stranger.cpu_ns / 1e9
    name = max(used, key=lambda each: used[each], default=UNSEEN)
    return name, min(used.get(name, foreign), foreign) / seconds


class BusySoFar:
    """Decides after each trial whether others keep the machine so busy that the run ends.

    A disturbance in one trial may pass, so it takes two trials, or all that are planned.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._trials = 0
        self._seen: list[Disturbance] = []

    def __call__(self, schedule: Schedule, plan: TrialPlan) -> str:
        """The sentence with which the run ends after `plan`; empty where it goes on."""
        folder = self._folder / "trials" / f"{plan.number:02d}"
        self._trials += 1
        if is_stored(folder / NAME):
            with suppress(StoreError):  # the analysis reports damaged files
                trial = read_trial(plan, folder)
                self._seen += [each for cell in schedule.cells for each in disturbances([trial], cell)]
        return too_busy(self._seen) if self._trials >= min(2, len(schedule.trials)) else ""
