"""Results of user sessions: the time of complete sessions, the time of each request, and why others ended early."""

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

# Why a session ended early, in words; other kinds of failure are readable as they are.
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
    """Requests of one operation within sessions, over all forks: `times` are response times.

    `each` is how often a session makes such a request, on average where a step has a condition. `failures` are by kind, wrong
    answers included, over all measured slices.
    """

    operation: str
    each: float
    times: Histogram
    failures: Mapping[str, int]


@dataclass(frozen=True)
class SessionTimes:
    """One subject's sessions of one name in a cell, over all forks.

    `times` are those of complete sessions in counted slices, from the due instant of the first request to the last answer. `whole`
    and `ended_early` count sessions of all measured slices; None where the cell mixes sessions, which are counted together.
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
        """The mean time of a complete session; None where there was none."""
        return self.times.mean() / 1000 if self.times.total else None

    def parts_ms(self) -> dict[str, float]:
        """The mean time of a complete session by part: its requests by operation, and the pauses between them under "".

        Empty where no session was complete or an operation was never answered. The means include requests of sessions that ended
        early or were cut off by the end of a slice.
        """
        if self.mean_ms is None or not all(step.times.total for step in self.steps):
            return {}
        request_ms = {step.operation: step.each * step.times.mean() / 1000 for step in self.steps}
        return {**request_ms, "": max(0.0, self.mean_ms - sum(request_ms.values()))}


def session_cells(schedule: Schedule) -> list[Cell]:
    """The cells whose load is sessions."""
    return [cell for cell in schedule.cells if _names(schedule, cell)]


def session_times(run: Run, cell: Cell) -> Iterator[SessionTimes]:
    """Each session of the cell's mix, for each subject measured in it."""
    names = _names(run.schedule, cell)
    for name in names:
        for subject in run.schedule.subjects:
            if any(measured_slices(trial, cell.name, subject) for trial in run.trials):
                yield _session_times(run, cell, name, subject, alone=len(names) == 1)


def ended_early_text(sessions: SessionTimes) -> str:
    """How many sessions ended before their last step, and why; empty where they were not counted."""
    if sessions.whole is None or sessions.ended_early is None:
        return ""
    both = sessions.whole + sessions.ended_early
    if not sessions.ended_early:
        return f"All {plural(both, 'session')} of {sessions.subject} were completed." if both else ""
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
    steps = run.schedule.sessions[name].steps
    planned = Counter(step.operation for step in steps)
    conditional = {step.operation for step in steps if step.if_captured is not None}
    failures = _failures(run, cell, subject)

    def times(kind: str, operation: str) -> Histogram:
        return merge_histograms(
            trial.histogram(counted_by_trial.get(trial.number, ()), kind, operation) for trial in run.trials
        )

    all_sessions = times("session", cell.request_name(name))

    def step_times(operation: str) -> StepTimes:
        requests = times("response", cell.request_name(operation))
        each: float = planned[operation]
        if operation in conditional and all_sessions.total:
            each = requests.total / all_sessions.total
        return StepTimes(operation, each, requests, failures.get(cell.request_name(operation), {}))

    return SessionTimes(
        subject=subject,
        cell=cell,
        name=name,
        times=all_sessions,
        whole=sessions if alone else None,
        ended_early=failed if alone else None,
        steps=tuple(step_times(operation) for operation in planned),
    )


def _failures(run: Run, cell: Cell, subject: str) -> dict[str, Counter[str]]:
    """Failures in measured slices, by the engine's name of the operation and by kind."""
    by_operation: dict[str, Counter[str]] = {}
    for trial in run.trials:
        for number in measured_slices(trial, cell.name, subject).values():
            for tick in trial.ticks_by_slice.get(number, ()):
                by_operation.setdefault(tick.operation, Counter()).update(tick.failures)
    return by_operation
