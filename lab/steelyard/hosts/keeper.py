"""The client of steelyard-keeper, through which every process is started, queried and stopped."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any

from ..base.children import hold_interrupts, start_child
from ..base.errors import CommandFailedError, KeeperError, ToolchainError
from ..statistics.clocks import BothClocks, TimeStamps
from .executor import HERE, Executor

ANSWER_SECONDS = 30.0  # a keeper answers at once, but was seen to wait 10 s for a processor on an overloaded machine
# A keeper and then its guard wait five seconds each for killed processes; then the guard reports survivors. A keeper whose guard
# was killed has as long.
_GUARD_SECONDS = 20.0
_AFTERWARDS_SECONDS = 15.0  # for the command that is run afterwards, which a keeper ends after ten
_LEFT_SOME = 3
PROGRAM = "steelyard-keeper"
# A remote keeper without a message for `UNHEARD_SECONDS` takes the connection for lost and kills all.
BEAT_SECONDS = 10.0
UNHEARD_SECONDS = 60


@dataclass(frozen=True)
class ProcessUse:
    """The use of one process since its start: CPU and JIT compiler time in ns; resident memory in bytes, now.

    `start_ticks` is its start in clock ticks since boot, because process ids are reused.
    """

    pid: int
    start_ticks: int
    name: str
    cpu_ns: int
    jit_ns: int
    rss_bytes: int


@dataclass(frozen=True)
class Exit:
    """The end of a kept command: an exit code or a signal number; the other is None."""

    code: int | None
    signal: int | None

    @property
    def by(self) -> int | None:
        """The signal that ended the command, directly or by the exit code 128 + signal of a shell around it."""
        return self.signal if self.code is None else self.code - 128 if self.code > 128 else None

    def __str__(self) -> str:
        if self.by is None:
            return f"exit code {self.code}"
        name = f"signal {self.by}"
        with suppress(ValueError):
            name += f" ({signal.Signals(self.by).name})"
        return name if self.code is None else f"exit code {self.code}, as after {name}"


def binary(name: str) -> str:
    """The path of one of the engine crate's binaries: beside this interpreter, else on PATH."""
    beside = Path(sys.executable).with_name(name)
    program = str(beside) if beside.is_file() else shutil.which(name)
    if program is None:
        raise ToolchainError(f"the program '{name}' is not built", hint="`make build` builds it")
    return program


class Keeper:
    """One kept command with all its descendants; a context manager that leaves no process behind.

    Only this process holds the keeper's standard input: when the lab ends for any reason, the keeper reads the end of file and
    kills all.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        log: Path,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        cpus: Sequence[int] = (),
        control: Path | None = None,
        reach: Executor = HERE,
        afterwards: Sequence[str] = (),
    ) -> None:
        """Start `argv`. `control` is the path of the socket over which the engine pauses and resumes processes and reads clocks;
        `reach` is the keeper's host; `afterwards` is a command that is run once all processes have ended, for whatever reason."""
        self.argv = list(argv)
        self.log = log.resolve()  # absolute, because the command runs in another folder
        self.exit: Exit | None = None
        self._reach = reach
        options = ["--cpus", ",".join(map(str, cpus))] if cpus else []
        options += ["--control", str(control)] if control is not None else []
        options += ["--afterwards", shlex.join(afterwards)] if afterwards else []
        self._guard_seconds = _GUARD_SECONDS + (_AFTERWARDS_SECONDS if afterwards else 0.0)
        words = [binary(PROGRAM), "--log", str(self.log), *reach.keeper_options, *options, "--", *self.argv]
        try:
            self._process = start_child(lambda: reach.begin(words, cwd, environment or {}))
        except OSError as error:
            raise KeeperError(f"'{self.argv[0]}' cannot be started: {error}") from None
        self._input = threading.Lock()
        self._answers: Queue[dict[str, Any] | None] = Queue()
        self._ended = threading.Event()
        self._gone = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if reach.apart:
            threading.Thread(target=self._beat, daemon=True).start()
        try:
            self.pid = int(self._answer()["started"])
            if control is not None:
                reach.join(control)
        except BaseException:
            with suppress(KeeperError):
                self.kill()
            raise

    def __enter__(self) -> Keeper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.kill()
        except KeeperError:
            if error is None:
                raise

    def freeze(self) -> None:
        """Pause all processes (SIGSTOP); raises KeeperError."""
        self._ask("freeze")

    def thaw(self) -> None:
        """Continue paused processes (SIGCONT); raises KeeperError."""
        self._ask("thaw")

    def pin(self, cpus: Sequence[int]) -> None:
        """Bind all threads of all processes, present and future, to `cpus`."""
        self._ask(f"pin {','.join(map(str, cpus))}")

    def use(self) -> list[ProcessUse]:
        """The use of each live process since its start; raises KeeperError."""
        return [ProcessUse(**row) for row in self._ask("cpu")["cpu"]]

    def pids(self) -> list[int]:
        """The ids of all live processes; raises KeeperError."""
        return [used.pid for used in self.use()]

    def time(self) -> BothClocks:
        """NTP's four timestamps of one query, by both clocks; raises KeeperError."""
        sent = time.time_ns(), time.monotonic_ns()
        theirs = self._ask("time")["time"]
        received = time.time_ns(), time.monotonic_ns()
        return BothClocks(
            TimeStamps(sent[0], theirs["received_ns"], theirs["sent_ns"], received[0]),
            TimeStamps(sent[1], theirs["received_monotonic_ns"], theirs["sent_monotonic_ns"], received[1]),
        )

    def wait(self, seconds: float, while_waiting: Callable[[], None] | None = None) -> Exit | None:
        """The command's exit, or None where it still runs after `seconds`; `while_waiting` is called every 0.1 s."""
        deadline = time.monotonic() + seconds
        while not self._ended.wait(min(0.1, max(0.0, deadline - time.monotonic()))):
            if while_waiting is not None:
                while_waiting()
            if time.monotonic() >= deadline:
                return None
        return self.exit

    def stop(self, seconds: float = 5.0) -> int:
        """Send SIGTERM to all processes, and kill those left after `seconds`; returns the number killed."""
        try:
            self._send(f"stop {seconds:g}")
            return int(self._answer(seconds + ANSWER_SECONDS)["stopped"])
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill all processes now; returns when the keeper confirms it. Raises KeeperError that names survivors."""
        with hold_interrupts():  # a second Ctrl-C must not let it outlive us
            with self._input, suppress(OSError):  # the keeper may have ended
                if self._process.stdin is not None:
                    self._process.stdin.close()
            try:
                ended = self._process.wait(self._guard_seconds)
            except subprocess.TimeoutExpired:
                ended = self._kill_guard()
        self.bring_log()
        if ended == _LEFT_SOME and (printed := self._error_output()):
            raise KeeperError(printed)

    def _kill_guard(self) -> int:
        """Kill the guard; the keeper below it then kills all, and holds our pipe until then."""
        self._process.kill()
        ended = self._process.wait()
        self._reader.join(self._guard_seconds)
        if self._reader.is_alive():
            raise KeeperError(
                f"the keeper of '{self.argv[0]}' did not end within {2 * self._guard_seconds:g} s",
                hint="end remaining processes: they have STEELYARD_KEEPER in their environment",
            )
        return ended

    def log_tail(self, lines: int = 3) -> str:
        """The last non-empty lines of the command's output, on one line; empty without output."""
        self.bring_log()
        try:
            with self.log.open("rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - 8192))
                text = file.read().decode(errors="replace")
        except OSError:
            return ""
        return " | ".join([line.strip() for line in text.splitlines() if line.strip()][-lines:])

    def bring_log(self) -> None:
        """Copy the command's output so far into `log` here."""
        self._reach.fetch_file(self.log)

    def _ask(self, line: str) -> dict[str, Any]:
        self._send(line)
        return self._answer()

    def _send(self, line: str) -> None:
        if not self._write(line):
            raise KeeperError(f"the keeper of '{self.argv[0]}' is gone ({self.exit or 'it was ended'})")

    def _write(self, line: str) -> bool:
        """Write a line to the keeper; returns whether that succeeded."""
        assert self._process.stdin is not None
        try:
            with self._input:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def _beat(self) -> None:
        """Send a remote keeper a heartbeat: after a lost connection it may see no end of file."""
        while not self._gone.wait(BEAT_SECONDS) and self._write("beat"):
            pass

    def _answer(self, seconds: float = ANSWER_SECONDS) -> dict[str, Any]:
        try:
            answer = self._answers.get(timeout=seconds)
        except Empty:
            raise KeeperError(f"the keeper of '{self.argv[0]}' did not answer within {seconds:g} s") from None
        if answer is None:
            raise KeeperError(self._error_output() or f"the keeper of '{self.argv[0]}' ended unexpectedly")
        if "error" in answer:
            raise KeeperError(f"keeper of '{self.argv[0]}': {answer['error']}")
        return answer

    def _error_output(self) -> str:
        """The keeper's standard error until its end, as far as not yet read."""
        return self._process.stderr.read().strip() if self._process.stderr else ""

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                answer = json.loads(line)
            except json.JSONDecodeError:
                continue
            if "exited" in answer:
                self.exit = Exit(**answer["exited"])
                self._ended.set()
            else:
                self._answers.put(answer)
        self._answers.put(None)
        self._gone.set()
        self._ended.set()


def run(
    argv: Sequence[str],
    *,
    log: Path,
    cwd: Path,
    environment: Mapping[str, str],
    seconds: float,
    reach: Executor = HERE,
    while_waiting: Callable[[], None] | None = None,
    afterwards: Sequence[str] = (),
) -> None:
    """Run a command to its end under a keeper, also on another host (`reach`), and then the command `afterwards`, also where this
    process is killed; raises CommandFailedError with the end of its output where it fails."""
    with Keeper(argv, log=log, cwd=cwd, environment=environment, reach=reach, afterwards=afterwards) as kept:
        _await_end(kept, " ".join(argv), seconds, while_waiting)


def output(
    argv: Sequence[str],
    *,
    log: Path,
    cwd: Path,
    environment: Mapping[str, str],
    seconds: float,
    reach: Executor = HERE,
    while_waiting: Callable[[], None] | None = None,
) -> str:
    """The standard output of a command, run as by `run`; raises KeeperError also where it is not text."""
    # A unique name: copies from another host continue at the length of the last file with that name.
    printed = log.with_suffix(f".{secrets.token_hex(4)}.output").resolve()
    to_file = ["sh", "-c", 'exec "$@" >"$0"', str(printed), *argv]
    try:
        with Keeper(to_file, log=log, cwd=cwd, environment=environment, reach=reach) as kept:
            _await_end(kept, " ".join(argv), seconds, while_waiting)
            reach.fetch_file(printed)
        return printed.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KeeperError(f"what '{' '.join(argv)}' printed cannot be read: {error}") from None
    finally:
        printed.unlink(missing_ok=True)


def _await_end(kept: Keeper, command: str, seconds: float, while_waiting: Callable[[], None] | None) -> None:
    ended = kept.wait(seconds, while_waiting)
    if ended is None:
        raise KeeperError(
            f"'{command}' was still running after {seconds:g} s and was ended; its output is in {kept.log}"
        )
    if ended.code != 0:
        printed = kept.log_tail()
        raise CommandFailedError(
            f"'{command}' failed ({ended}): {printed or 'no output'}",
            f"its output is in {kept.log}",
            ended.code,
            printed,
        )
