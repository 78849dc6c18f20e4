"""Failures of a subject in service: the cause of its end or silence, from its processes, its logs and its last slice."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ...analyse.sentences import failure_phrase, load_text
from ...base.csvfiles import write_text
from ...base.text import plural
from ...hosts import sockets
from ...hosts.keeper import Exit
from ...hosts.running import RunningPart, RunningSubject
from ...models.records import Cell, Distress, Failure, Place, SlicePlan, in_format
from ...plan.kinds import kind_of
from ...results.tables import FAILURE_KINDS

# Out-of-memory messages of runtimes: JVM, V8, .NET, Mono, Go, Rust, C++, PHP, Python.
_OUT_OF_MEMORY = re.compile(
    r"java\.lang\.OutOfMemoryError|JavaScript heap out of memory|System\.OutOfMemoryException"
    r"|Garbage collector could not allocate|runtime: out of memory|memory allocation of \d+ bytes failed"
    r"|std::bad_alloc|Allowed memory size of \d+ bytes exhausted|\bMemoryError\b"
)
_DEADLOCK = re.compile(r"Found .*Java-level deadlock")
# Stack frames of a Java thread that serves a request, and of a thread that waits for the answer to its own call by
# HttpURLConnection, Apache HttpClient, or the JDK's newer client.
_SERVES = re.compile(r"^\s+at (?:\S+/)?(?:jakarta|javax)\.servlet\.", re.M)
_CALLS = re.compile(
    r"HttpURLConnection\.getInputStream|HttpURLConnection\.getResponseCode|org\.apache\.hc\.|org\.apache\.http\."
    r"|org\.apache\.cxf\.(?:endpoint\.ClientImpl|transport\.http\.\w*HTTPConduit)|jdk\.internal\.net\.http\.HttpClientImpl\.send"
)
_WAITS = re.compile(r"java\.lang\.Thread\.State: (?:TIMED_)?WAITING|sun\.nio\.ch\.NioSocketImpl\.(?:park|implRead)")
_FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_MOST_LOG_BYTES = 8 * 2**20  # bytes of log read per slice: a server in distress can write without end
_DUMP_SECONDS = 5.0
_DUMP_PAUSE = 0.25


class Watch:
    """Watches the subjects of a trial. `failure_after` is called after each slice, while no load runs.

    `request_bytes` is the mean size of a request by operation, `forms` the message format of each subject that does not use the
    service's own. `distress` holds incidents that a subject survived, such as an out-of-memory error.
    """

    def __init__(
        self,
        running: Mapping[str, RunningSubject],
        cells: Mapping[str, Cell],
        request_bytes: Mapping[str, float],
        folder: Path,
        forms: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.distress: list[Distress] = []
        self._running = running
        self._cells = cells
        self._request_bytes = request_bytes
        self._folder = folder
        self._forms = forms
        self._logs = {label: [_Log(part) for part in subject.parts] for label, subject in running.items()}
        self._memory: dict[str, str] = {}  # by subject: its last out-of-memory message
        self._kernel_kills = {
            label: part.site.reach.kernel_kills() for label, subject in running.items() for part in subject.parts[:1]
        }

    def failure_after(self, plan: SlicePlan, row: Mapping[str, str]) -> Failure | None:
        """Why the trial cannot continue after the slice of `row` (a row of slices.csv); None where all subjects live and
        answer."""
        lines = {label: line for label in self._running if (line := self._memory_line(label)) is not None}
        self._memory |= lines
        for label in sorted(self._running, key=lambda other: other != plan.subject):
            part = self._running[label].ended_part()
            if part is not None and part.keeper.exit is not None:
                return self._death(plan, label, part, part.keeper.exit)
        failure = self._silent(plan, row)
        if failure is None:
            self.distress += [
                Distress(subject=label, message=line, place=self._place(plan)) for label, line in lines.items()
            ]
        return failure

    def unreachable(self, plan: SlicePlan, label: str, message: str) -> Failure:
        """The failure of `label`, which does not answer even without load; `plan` is the last driven slice."""
        part = self._running[label].ended_part()
        if part is not None and part.keeper.exit is not None:
            return self._death(plan, label, part, part.keeper.exit)
        return self._hang(plan, label, message)

    def _death(self, plan: SlicePlan, label: str, part: RunningPart, ended: Exit) -> Failure:
        death = f"{part.part.server.name} ({part.part.place}) ended with {ended}"
        words = f"its log ends: {part.keeper.log_tail()}" if part.keeper.log_tail() else "its log is empty"
        if ended.by == signal.SIGKILL and part.site.reach.kernel_kills() > self._kernel_kills[label]:
            killer = f"{death}, while the kernel's OOM killer was active"
            return self._failure(plan, label, "out-of-memory", killer, part)
        if label in self._memory:
            return self._failure(plan, label, "out-of-memory", f"{death}; its log says: {self._memory[label]}", part)
        return self._failure(plan, label, "killed" if ended.by in _FROM_OUTSIDE else "died", f"{death}; {words}", part)

    def _silent(self, plan: SlicePlan, row: Mapping[str, str]) -> Failure | None:
        """Why no request of the slice was answered correctly; None where one was."""
        if int(row["completed"]):
            return None
        failed = {kind: int(row[kind]) for kind in FAILURE_KINDS if int(row[kind])}
        if int(row["wrong"]):
            return self._failure(plan, plan.subject, "wrong-answer", f"all {row['wrong']} answers were wrong")
        answered_after = self._cells[plan.cell].may_refuse and int(row.get("lead_in_completed", 0)) > 0
        late = answered_after or not (failed or int(row["dropped"]))
        refused = set(failed) - {"timeout"}
        if self._is_no_failure(plan, late=late, refused=bool(refused)):
            return None
        if refused:
            counts = ", ".join(f"{n} {name}" for name, n in failed.items())
            return self._no_answer(plan, "no-answer", f"every request failed: {counts}")
        if late:
            seconds = int(row["measured_ns"]) / 1e9
            words = f"no answer came within the slice of {seconds:g} s, but all came after it: use longer slices"
            return self._failure(plan, plan.subject, "too-slow", words)
        unanswered = int(row["unfinished"]) + sum(failed.values())
        return self._hang(plan, plan.subject, f"no answer came to {plural(unanswered, 'request')}")

    def _is_no_failure(self, plan: SlicePlan, *, late: bool, refused: bool) -> bool:
        """Whether a slice without a right answer is acceptable: all answers came late, or all requests were refused.

        A cold subject may need longer than a slice; the first measured slice shows whether it still does. Where all answers were
        late in one of several cells, the others can still be measured. A test with a shape looks for overload, and a cell may
        allow it: the server lives, and its refusals or slow answers are counted.
        """
        cell = self._cells[plan.cell]
        if plan.phase != "measure":
            return late or (refused and cell.may_refuse)
        if late and not refused and len(self._cells) > 1:
            return True
        return (cell.may_refuse or kind_of(cell).overload_is_a_result) and (late or refused)

    def _hang(self, plan: SlicePlan, label: str, message: str) -> Failure:
        """The failure of a silent subject, with the thread dumps of its JVMs."""
        if label in self._memory:
            return self._no_answer(plan, "hung", message, label)
        for part in self._running[label].parts:
            dump = thread_dump(part) if part.part.server.model.jvm else ""
            if not dump:
                continue
            file = self._folder / f"{label}.{part.part.place}.threads.txt"
            write_text(file, dump)
            deadlock = _DEADLOCK.search(dump)
            if deadlock is not None:
                words = f"{message}; its thread dump, {file.name}, says: {deadlock[0]}"
                return self._failure(plan, label, "deadlock", words)
            message = f"{message}; its thread dump is {file.name}"
            waiting = self_wait_reason(dump, _calls(part))
            if waiting is not None:
                return self._failure(plan, label, "self-deadlock", f"{message}; {waiting}")
        return self._failure(plan, label, "hung", message)

    def _no_answer(self, plan: SlicePlan, kind: str, message: str, label: str | None = None) -> Failure:
        """The failure of a subject that lives but does not serve; an out-of-memory message in its log is the cause."""
        subject = label or plan.subject
        if subject in self._memory:
            return self._failure(plan, subject, "out-of-memory", f"{message}; its log says: {self._memory[subject]}")
        return self._failure(plan, subject, kind, message)

    def _failure(self, plan: SlicePlan, label: str, kind: str, cause: str, part: RunningPart | None = None) -> Failure:
        """The failure of a subject, or of its process `part`; the load may be another subject's."""
        place = self._place(plan)
        name = label if part is None or part.part.judged else f"{part.part.server.name} ({part.part.place} of {label})"
        loaded = "" if label == plan.subject else f"while {plan.subject} was under load "
        message = f"{name} {failure_phrase(kind)} {loaded}{load_text(place)}: {cause}"
        return Failure(kind=kind, subject=label, message=message, place=place)

    def _place(self, plan: SlicePlan) -> Place:
        cell = self._cells[plan.cell]
        total = sum(cell.request_mix.values())
        form = self._forms.get(plan.subject, "")
        size = (
            sum(share * self._request_bytes[in_format(name, form)] for name, share in cell.request_mix.items()) / total
        )
        return Place(slice=plan.number, phase=plan.phase, cell=plan.cell, users=cell.users, request_bytes=round(size))

    def _memory_line(self, label: str) -> str | None:
        return next((line for log in self._logs[label] if (line := log.out_of_memory()) is not None), None)


class _Log:
    """The log of a part from now on, each byte read once."""

    def __init__(self, part: RunningPart) -> None:
        self._part = part
        self._path = part.log
        part.keeper.bring_log()
        self._read = self._path.stat().st_size if self._path.exists() else 0

    def out_of_memory(self) -> str | None:
        """The first new out-of-memory line."""
        self._part.keeper.bring_log()
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                new = file.read(_MOST_LOG_BYTES)
                self._read = file.seek(0, os.SEEK_END)
        except OSError:
            return None
        return memory_line(new.decode(errors="replace"))


def memory_line(text: str) -> str | None:
    """The first out-of-memory line of a runtime in `text`."""
    return next((line.strip()[:300] for line in text.splitlines() if _OUT_OF_MEMORY.search(line)), None)


def self_wait(running: RunningSubject) -> str | None:
    """Why a silent subject waits for itself, where one of its JVMs does."""
    for part in running.parts:
        dump = thread_dump(part) if part.part.server.model.jvm else ""
        waiting = self_wait_reason(dump, _calls(part))
        if waiting is not None:
            return waiting
    return None


def _calls(part: RunningPart) -> sockets.Calls:
    return part.site.reach.calls(part.keeper.pids())


def self_wait_reason(dump: str, calls: sockets.Calls) -> str | None:
    """Why a silent JVM waits for itself. All threads that serve requests wait, some of them or their helpers wait for the answer
    to a call, and every call goes to the JVM's own port. None where its dump or `calls` show otherwise."""
    threads = dump.split("\n\n")
    serving = [thread for thread in threads if _SERVES.search(thread)]
    calling = [thread for thread in threads if _CALLS.search(thread) and _WAITS.search(thread)]
    if not serving or not calling or not all(_WAITS.search(thread) for thread in serving):
        return None
    if calls.elsewhere or not calls.to_themselves:
        return None
    return (
        f"it waits for itself: all {plural(len(serving), 'thread')} that serve requests wait, and all calls lead to its own "
        "port, where no thread is left to answer them (more worker threads, a call time-out or callees on another server help)"
    )


def thread_dump(part: RunningPart) -> str:
    """The thread dump of a part's JVMs (SIGQUIT): each thread, its lock or wait, and deadlocks.

    Empty where no JVM writes one within seconds.
    """
    part.keeper.bring_log()
    begun = part.log.stat().st_size
    for process in part.keeper.use():
        if process.name == "java":
            part.site.reach.signal(process.pid, signal.SIGQUIT)
    deadline, before, size = time.monotonic() + _DUMP_SECONDS, begun, begun
    while time.monotonic() < deadline and (size == begun or size != before):
        time.sleep(_DUMP_PAUSE)
        part.keeper.bring_log()
        before, size = size, part.log.stat().st_size
    with part.log.open("rb") as file:
        file.seek(begun)
        return file.read().decode(errors="replace")
