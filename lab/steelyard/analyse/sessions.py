"""Sessions read back: how long whole ones took, what each of their requests took, and what made others end early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..base.histogram import Histogram, merge_histograms
from ..base.text import plural
from ..models.records import Cell, Schedule
from ..plan.kinds import unbroken
from ..results.stored_run import Run
from .pairing import counted_slices, measured_slices

# What ended a session early, in words; other kinds of failure are words already.
_WORDS = {
    "capture": "an answer without the value that later requests need",
    "wrong": "a wrong answer",
    "status": "an answer with another status",
    "fault": "an unexpected fault",
    "tls": "an error of TLS",
    "stale_failed": "a connection closed twice",
}


@dataclass(frozen=True)
class StepTimes:
    """What requests of one operation took within sessions, over all forks: `times` are response times.

    `each` is how often a session makes such a request; `failures` are by kind, wrong answers among them, of all measured slices.
    """

    operation: str
    each: int
    times: Histogram
    failures: Mapping[str, int]


@dataclass(frozen=True)
class SessionTimes:
    """One subject's sessions of one name in a cell, over all forks.

    `times` are those of whole sessions in counted slices, from when the first request was due to the last answer. `whole` and
    `ended_early` count sessions of all measured slices; None where the cell mixes sessions, which are counted together.
    """

    subject: str
    cell: Cell
    name: str
    times: Histogram
    whole: int | None
    ended_early: int | None
    steps: tuple[StepTimes, ...]

    @property
    def mean_ms(self) -> float | None:
        """The mean time of a whole session; None where none was."""
        return self.times.mean() / 1000 if self.times.total else None

    def parts_ms(self) -> dict[str, float]:
        """The mean time of a whole session taken apart: what its requests of each operation took, and under "" what lies between
        them, the pauses; empty where no session was whole or an operation was never answered.

        Requests of sessions that ended early, or that a slice's end cut off, are among those of which means are taken.
        """
        if self.mean_ms is None or not all(step.times.total for step in self.steps):
            return {}
        asked = {step.operation: step.each * step.times.mean() / 1000 for step in self.steps}
        return {**asked, "": max(0.0, self.mean_ms - sum(asked.values()))}


def session_cells(schedule: Schedule) -> list[Cell]:
    """The cells that ask for sessions."""
    return [cell for cell in schedule.cells if _names(schedule, cell)]


def session_times(run: Run, cell: Cell) -> Iterator[SessionTimes]:
    """Each session of the cell's mix, for each subject that was measured in it."""
    names = _names(run.schedule, cell)
    for name in names:
        for subject in run.schedule.subjects:
            if any(measured_slices(trial, cell.name, subject) for trial in run.trials):
                yield _session_times(run, cell, name, subject, alone=len(names) == 1)


def ended_early_text(sessions: SessionTimes) -> str:
    """How many sessions ended before their last step, of how many, and by what; empty where nothing counts them."""
    if sessions.whole is None or sessions.ended_early is None:
        return ""
    both = sessions.whole + sessions.ended_early
    if not sessions.ended_early:
        return f"All {plural(both, 'session')} of {sessions.subject} came to their end." if both else ""
    words = [
        f"in {step.operation}, {_WORDS.get(kind, kind)} ({plural(count, 'time')})"
        for step in sessions.steps
        for kind, count in sorted(step.failures.items(), key=lambda item: -item[1])
    ]
    why = f": {'; '.join(words)}" if words else ""
    share = sessions.ended_early / both
    return f"{sessions.ended_early:,} of {both:,} sessions of {sessions.subject} ended early ({share:.1%}){why}."


def _names(schedule: Schedule, cell: Cell) -> list[str]:
    return [name for name in cell.mix if name in schedule.sessions]


def _session_times(run: Run, cell: Cell, name: str, subject: str, *, alone: bool) -> SessionTimes:
    whole = unbroken(run.schedule, cell)
    counted_by_trial = {
        trial.number: counted_slices(trial, cell.name, subject, unbroken=whole)
        for trial in run.trials
        if trial.status != "failed"
    }
    measured = [
        trial.slices[number]
        for trial in run.trials
        for number in measured_slices(trial, cell.name, subject).values()
        if number in trial.slices
    ]
    sessions, failed = sum(row.sessions for row in measured), sum(row.sessions_failed for row in measured)
    each = Counter(step.operation for step in run.schedule.sessions[name].steps)
    failures = _failures(run, cell, subject)

    def times(kind: str, operation: str) -> Histogram:
        return merge_histograms(
            trial.histogram(counted_by_trial.get(trial.number, ()), kind, operation) for trial in run.trials
        )

    return SessionTimes(
        subject=subject,
        cell=cell,
        name=name,
        times=times("session", cell.request_name(name)),
        whole=sessions if alone else None,
        ended_early=failed if alone else None,
        steps=tuple(
            StepTimes(
                operation,
                count,
                times("response", cell.request_name(operation)),
                failures.get(cell.request_name(operation), {}),
            )
            for operation, count in each.items()
        ),
    )


def _failures(run: Run, cell: Cell, subject: str) -> dict[str, Counter[str]]:
    """What went wrong in measured slices, by what the engine calls the operation, and by kind."""
    by_operation: dict[str, Counter[str]] = {}
    for trial in run.trials:
        for number in measured_slices(trial, cell.name, subject).values():
            for tick in trial.ticks_by_slice.get(number, ()):
                by_operation.setdefault(tick.operation, Counter()).update(tick.failures)
    return by_operation
