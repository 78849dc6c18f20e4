"""How each subject ended in each reliability cell: good, slow, errors, out of memory or hang, by detectors that give the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..base.text import bytes_text, join_words, plural, share_text, value_text
from ..models.records import Cell, Failure, Schedule
from ..plan.designs import design_named
from ..results.stored_run import Run, Trial
from ..results.tables import SliceRow, request_bytes, stored_sizes
from .sentences import Wording


class EndState(StrEnum):
    """How a subject ended in a cell, from best to worst."""

    GOOD = "good"
    SLOW = "slow"
    ERRORS = "errors"
    OUT_OF_MEMORY = "out of memory"
    HANG = "hang"


BROKEN = frozenset({EndState.ERRORS, EndState.OUT_OF_MEMORY, EndState.HANG})
_STATE_OF_FAILURE = {
    "out-of-memory": EndState.OUT_OF_MEMORY,
    "hung": EndState.HANG,
    "deadlock": EndState.HANG,
    "self-deadlock": EndState.HANG,
    "died": EndState.ERRORS,
    "killed": EndState.ERRORS,
    "no-answer": EndState.ERRORS,
    "wrong-answer": EndState.ERRORS,
    "too-slow": EndState.SLOW,
}


@dataclass(frozen=True)
class DrivenCell:
    """One subject's stretch of a cell, with its trial. `row` is its slice; None where the trial ended before."""

    cell: Cell
    subject: str
    trial: Trial
    row: SliceRow | None

    @property
    def failure(self) -> Failure | None:
        """Why the trial ended early; None where it did not."""
        return self.trial.record_or_empty.failure


@dataclass(frozen=True)
class Ending:
    """How a subject ended in a cell.

    `state` is None where it is unknown, with the reason in `why`. `bytes` is the size of a request, `tps` are right answers per
    second, and `response_ms` is their mean response time (None where there was none).
    """

    cell: Cell
    subject: str
    state: EndState | None
    why: str
    bytes: float | None
    tps: float | None
    response_ms: float | None

    @property
    def load(self) -> str:
        """The users and the size of a request, such as "25 users, requests of 775.1 KiB"."""
        size = f", requests of {bytes_text(self.bytes)}" if self.bytes is not None else ""
        return f"{plural(self.cell.users, 'user')}{size}"


def is_ending(failure: Failure) -> bool:
    """Whether the failure of a trial shows how its subject ended. Other failures come from the environment or from Steelyard."""
    return failure.kind in _STATE_OF_FAILURE


def is_expected_result(schedule: Schedule, failure: Failure) -> bool:
    """Whether a trial of this schedule has its result although it ended with this failure."""
    return design_named(schedule.design).cell_by_cell and is_ending(failure)


def out_of_memory(driven: DrivenCell) -> str | None:
    """Out of memory: the subject died of it, or its log shows that it kept running without memory."""
    if driven.failure is not None and driven.failure.kind == "out-of-memory":
        return driven.failure.message
    distress = driven.trial.record_or_empty.distress
    return next(
        (f"it kept running, but its log has: {each.message}" for each in distress if each.subject == driven.subject),
        None,
    )


def hang(driven: DrivenCell) -> str | None:
    """Hang: the process lives but does not answer.

    It answered no request at all, or none of the requests in flight when the load ended was answered while the engine waited (twice
    the time from which answers count as slow).
    """
    failure, row = driven.failure, driven.row
    if failure is not None and _STATE_OF_FAILURE.get(failure.kind) is EndState.HANG:
        return failure.message
    if row is None or not row.unfinished or row.dropped + row.outside_timeout < row.unfinished:
        return None
    stopped = f"answers stopped after {row.completed:,}" if row.completed else "no answer came"
    return f"{stopped}: {plural(row.unfinished, 'request')} got none"


def errors(driven: DrivenCell) -> str | None:
    """Errors: the subject exited, refused every request, or failed more requests than the cell allows."""
    failure = driven.failure
    if failure is not None and _STATE_OF_FAILURE.get(failure.kind) is EndState.ERRORS:
        return failure.message
    if driven.row is None or driven.cell.until is None:
        return None
    failed = {**driven.row.failures, **({"wrong": driven.row.wrong} if driven.row.wrong else {})}
    ended = driven.row.completed + sum(failed.values())
    share = sum(failed.values()) / ended if ended else 0.0
    if share <= driven.cell.until.failed_share:
        return None
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in failed.items())
    return f"{share_text(share)} of {plural(ended, 'request')} failed: {kinds}"


def slow(driven: DrivenCell) -> str | None:
    """Slow: the mean response time is longer than the cell allows, or answers came only after its time."""
    failure = driven.failure
    if failure is not None and _STATE_OF_FAILURE.get(failure.kind) is EndState.SLOW:
        return failure.message
    if driven.row is None or driven.cell.until is None:
        return None
    if not driven.row.completed:
        return f"no answer came within {driven.row.seconds:g} s, only later"
    most, mean, waited = driven.cell.until.response_ms, response_ms(driven.row), waited_ms(driven.row)
    if mean is not None and mean > most:
        return f"the mean response time is {value_text(mean / 1000)} s"
    if waited > most:
        came = plural(driven.row.completed, "answer")
        return f"{came} came, and its requests had waited {value_text(waited / 1000)} s on average when the slice ended"
    return None


# The worst first: a server without memory also answers with errors, and a server that hangs has errors before.
DETECTORS: Mapping[EndState, Callable[[DrivenCell], str | None]] = {
    EndState.OUT_OF_MEMORY: out_of_memory,
    EndState.HANG: hang,
    EndState.ERRORS: errors,
    EndState.SLOW: slow,
}


def response_ms(row: SliceRow) -> float | None:
    """The mean response time of a stretch's right answers; None where there was none."""
    return row.response_ns_sum / row.completed / 1e6 if row.completed else None


def waited_ms(row: SliceRow) -> float:
    """The mean time that a stretch's requests waited for their answer, or had waited when the stretch ended.

    Each waits no longer than this bound. Where few requests are answered, it exceeds the mean response time.
    """
    waited_ns = row.response_ns_sum + row.unfinished_ns_sum
    return waited_ns / max(1, row.completed + row.unfinished) / 1e6


def state_of(driven: DrivenCell) -> tuple[EndState | None, str]:
    """How the subject ended and why; None where its trial was interrupted, or failed for a reason that is not the subject's."""
    if driven.failure is not None and not is_ending(driven.failure):
        return None, driven.failure.message
    for state, detector in DETECTORS.items():
        why = detector(driven)
        if why is not None:
            return state, why
    if driven.row is None or driven.trial.status != "complete":
        return None, driven.trial.damage or "its trial was stopped early"
    return EndState.GOOD, ""


def endings(run: Run) -> list[Ending]:
    """One ending for each cell and subject in the schedule's order, the worst of several forks.

    Empty for runs whose trials do not each cover one cell.
    """
    if not design_named(run.schedule.design).cell_by_cell:
        return []
    sizes, formats = stored_sizes(run.folder / "corpus"), run.formats
    return [
        _ending(cell, subject, trials, request_bytes(cell, sizes, formats.get(subject, "")))
        for cell in run.schedule.cells
        for subject in run.schedule.subjects
        if (
            trials := [
                trial
                for trial in run.trials
                if (trial.planned.cell, trial.planned.start_order) == (cell.name, [subject])
            ]
        )
        or not cell.pushed
    ]


def _ending(cell: Cell, subject: str, trials: list[Trial], size: float | None) -> Ending:
    order = [None, *EndState]
    worst = Ending(cell, subject, None, "its trial was not run", size, None, None)
    for trial in trials:
        numbers = trial.measured_slices.get((cell.name, subject), {})
        row = next((trial.slices[number] for number in numbers.values() if number in trial.slices), None)
        state, why = state_of(DrivenCell(cell, subject, trial, row))
        if trial is trials[0] or order.index(state) > order.index(worst.state):
            tps = row.throughput_per_s if row is not None and row.completed else None
            worst = Ending(cell, subject, state, why, size, tps, response_ms(row) if row is not None else None)
    return worst


def broken_subjects(run: Run) -> set[tuple[str, str]]:
    """The pairs of subject and operation where a cell broke the subject."""
    return {(ending.subject, ending.cell.operation) for ending in endings(run) if ending.state in BROKEN}


def ending_wordings(run: Run) -> Iterator[Wording]:
    """For each operation a summary if there are several subjects, then for each subject where each state begins."""
    all_endings = endings(run)
    several = len(run.schedule.subjects) > 2
    if several:
        for operation in dict.fromkeys(ending.cell.operation for ending in all_endings):
            known = [
                ending for ending in all_endings if ending.cell.operation == operation and ending.state is not None
            ]
            if known:
                yield Wording(_summed_up(operation, known), plural(len(known), "cell"))
    yield from (replace(wording, detail=several) for wording in _wordings_by_subject(all_endings))


def _summed_up(operation: str, known: Sequence[Ending]) -> str:
    """Which subjects broke and at which load, in order, and which did not break."""
    broke: dict[str, list[str]] = {}
    for ending in known:
        if ending.state in BROKEN:
            broke.setdefault(ending.load, []).append(f"{ending.subject} ({ending.state})")
    broken = {ending.subject for ending in known if ending.state in BROKEN}
    whole = list(dict.fromkeys(ending.subject for ending in known if ending.subject not in broken))
    last = next((ending.load for ending in reversed(known) if ending.subject in whole), "")
    parts = [f"{join_words(names)} at {load}" for load, names in broke.items()]
    parts += [f"nothing breaks {join_words(whole)} up to {last}"] if whole else []
    return f"What breaks on {operation}: {'; '.join(parts)}" if broke else f"{operation}: {parts[0]}"


def _wordings_by_subject(all_endings: Sequence[Ending]) -> Iterator[Wording]:
    for operation, subject in dict.fromkeys((ending.cell.operation, ending.subject) for ending in all_endings):
        mine = [ending for ending in all_endings if (ending.cell.operation, ending.subject) == (operation, subject)]
        known = [ending for ending in mine if ending.state is not None]
        begins = {ending.state: ending for ending in reversed(known)}
        if not known:
            yield Wording(f"{subject} on {operation}: how it ends is unknown: {mine[0].why}")
            continue
        parts = [f"{state} from {begins[state].load}" for state in begins if state is not EndState.GOOD]
        good = [ending for ending in known if ending.state is EndState.GOOD]
        parts = [f"good up to {good[-1].load}" if good else "good in no cell", *reversed(parts)]
        worst = next((ending for ending in known if ending.state in BROKEN), None)
        why = f"What broke it: {worst.why}." if worst is not None else "Nothing broke it."
        yield Wording(f"{subject} on {operation}: {'; '.join(parts)}", plural(len(known), "cell"), why)
