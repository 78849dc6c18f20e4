"""The lab's side of steelyard-engine: one process, here or on another host, controlled through its standard input."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any

from ...base.children import hold_interrupts, start_child
from ...base.csvfiles import write_text
from ...base.errors import EngineError, KeeperError, ProvisionError
from ...hosts import rmi_driver
from ...hosts.clocks import steady_ahead_ns
from ...hosts.executor import Executor
from ...hosts.keeper import binary
from ...hosts.packing import Tree
from ...hosts.placement import THIS_MACHINE, EngineHost
from ...models.job import Job, StretchEdges, Turn

START_SECONDS = 60.0
_LOG_SECONDS = 5.0  # wait for the last message of an ended engine
Tick = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Secrets:
    """Secret inputs of the engine, which are never stored: header fields of every request, and values of wildcards."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


def _program(job: Job) -> list[str]:
    """The program that drives the job: the engine, or the RMI driver for RMI targets; raises ToolchainError."""
    return rmi_driver.command(job.cpus) if job.targets[0].rmi is not None else [binary("steelyard-engine")]


def _copy_job(job: Job, reach: Executor) -> Job:
    """The job for another machine, after copying its files there; raises ProvisionError."""
    files = [job.corpus, *(target.tls.ca for target in job.targets if target.tls.ca is not None)]
    reach.provide_trees([Tree(Path(file)) for file in files])
    return Job.model_validate_json(reach.remote_words(job.model_dump_json()))


class Engine:
    """A running engine; a context manager that leaves no process behind. The engine ends when its standard input closes."""

    def __init__(self, job: Job, folder: Path, secrets: Secrets | None = None, host: EngineHost = THIS_MACHINE) -> None:
        """Write `job` to folder/job.json and start the engine there; raises EngineError where it refuses.

        On another `host` it gets a copy of the corpus and reports instants by our clock; `fetch_files` copies its files back.
        `secrets` are its first line of input: they are in no file, no argument and no environment.
        """
        self.job = job
        self.folder = folder.absolute()  # the command on another host
        self._host = host
        self._log = folder / "engine.log"
        self._words: deque[str] = deque(maxlen=2)  # its latest error message
        self._lines: Queue[dict[str, Any] | None] = Queue()
        self._held = ExitStack()
        try:
            self._process = self._start_process(job, secrets)
        except (OSError, ProvisionError, KeeperError) as error:
            self._held.close()
            raise EngineError(f"the engine cannot be started: {error}") from None
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._read, self._write_log)]
        for thread in self._threads:
            thread.start()
        try:
            if secrets is not None:
                self._send_command({"headers": dict(secrets.headers), "values": dict(secrets.values)})
            if "ready" not in self._line(START_SECONDS):
                raise EngineError("the engine did not report that it is ready")
        except BaseException:
            self.kill()
            raise

    def _start_process(self, job: Job, secrets: Secrets | None) -> subprocess.Popen[str]:
        reach, path = self._host.reach, self.folder / "job.json"
        argv = [*_program(job), "run", str(path), "--out", str(self.folder)]
        argv += ["--secrets", "-"] if secrets is not None else []
        if reach.apart:
            job = _copy_job(job, reach)
            self._held.enter_context(reach.mirror_folder(self.folder))
            argv += ["--clock-ahead", str(steady_ahead_ns(reach))]
        write_text(path, job.model_dump_json(indent=1) + "\n")
        reach.send(path)
        return start_child(lambda: reach.begin(argv, None, {}))

    def fetch_files(self) -> None:
        """Copy the engine's files of drained slices into our folder, where the engine runs elsewhere; raises EngineError."""
        try:
            self._host.reach.fetch_matching(self.folder, ["*"])
        except ProvisionError as error:
            raise EngineError(f"its files cannot be copied: {error.message}") from None

    @property
    def pid(self) -> int:
        """The engine's process id."""
        return self._process.pid

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close() if kind is None else self.kill()

    def drive_slice(
        self, slice_number: int, seconds: float, on_tick: Tick, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Drive one slice and return when it is drained; raises EngineError after `seconds`.

        `meanwhile` is called after the start command: the load continues by itself, and its ticks are read afterwards.
        """
        self._send_command({"go": slice_number})
        meanwhile()
        self._until_drained([slice_number], seconds, on_tick)

    def prepare(self, slice_number: int, stretch: StretchEdges | None = None) -> None:
        """Make the engine prepare a slice, as a `stretch` where given; `await_ready` waits for that, and `begin` starts the
        slice."""
        if stretch is None:
            self._send_command({"prepare": slice_number})
        else:
            self._send_command({"stretch": {"slice": slice_number, **stretch.model_dump(), "prepare": True}})

    def await_ready(self, slice_number: int) -> None:
        """Wait until a slice is ready to begin; raises EngineError where it is not."""
        message = self._line(START_SECONDS)
        if message != {"prepared": slice_number}:
            raise EngineError(
                f"the engine answered {json.dumps(message)[:80]} instead of preparing slice {slice_number}"
            )

    def begin(self, slice_number: int, at_ns: int) -> None:
        """Start the lead-in of a prepared slice at an instant of the monotonic clock; `await_drained` waits for its end."""
        self._send_command({"go": slice_number, "at_ns": at_ns})

    def await_drained(self, slice_number: int, seconds: float, on_tick: Tick) -> None:
        """Return when a started slice is drained; raises EngineError where the engine is silent for longer than `seconds`."""
        self._until_drained([slice_number], seconds, on_tick)

    def take_turns(self, slice_numbers: Sequence[int], turn: Turn, seconds: float, on_tick: Tick) -> None:
        """Drive slices in turns, and return when all are drained; raises EngineError where the engine is silent for
        longer than `seconds`."""
        self._send_command({"turns": {"slices": list(slice_numbers), "ms": turn.ms}})
        self._until_drained(slice_numbers, seconds, on_tick)

    @property
    def drives_stretches(self) -> bool:
        """Whether the driver can drive a slice in a stretch; the RMI driver cannot."""
        return all(target.rmi is None for target in self.job.targets)

    def stretch(self, slice_number: int, stretch: StretchEdges, seconds: float, on_tick: Tick) -> None:
        """Drive one slice as `stretch` says, and return when it is drained; raises EngineError where the engine is silent for
        longer than `seconds`."""
        self._send_command({"stretch": {"slice": slice_number, **stretch.model_dump()}})
        self._until_drained([slice_number], seconds, on_tick)

    def _until_drained(self, slice_numbers: Sequence[int], seconds: float, on_tick: Tick) -> None:
        left = set(slice_numbers)
        while left:
            message = self._line(seconds)
            if "tick" in message:
                on_tick(message["tick"])
            left.discard(message.get("drained", -1))

    def end_early(self, slice_number: int, at_second: int | None = None) -> None:
        """End the measured time of the running slice soon, or after second `at_second`; does nothing where it has ended."""
        self._send_command(
            {"enough": slice_number} if at_second is None else {"enough": slice_number, "at_s": at_second}
        )

    def break_off(self) -> None:
        """End the running slice now: the engine writes its data so far, including unanswered requests, and ends."""
        assert self._process.stdin is not None
        with suppress(OSError):  # it may be ending already
            self._process.stdin.close()

    def close(self) -> None:
        """Let the engine finish its files and end; raises EngineError where it does not end, or ends with an error."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            code = self._process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise EngineError(f"the engine did not end within {START_SECONDS:g} s") from None
        finally:
            self._held.close()
        if code != 0:
            raise self._end_error()

    def kill(self) -> None:
        """Kill the engine now."""
        with hold_interrupts():  # a second Ctrl-C must not let it outlive us
            self._process.kill()
            self._process.wait()
            self._held.close()

    def _send_command(self, command: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise self._end_error() from None

    def _line(self, seconds: float) -> dict[str, Any]:
        try:
            message = self._lines.get(timeout=seconds)
        except Empty:
            raise EngineError(f"the engine was silent for {seconds:g} s") from None
        if message is None:
            raise self._end_error()
        return message

    def _end_error(self) -> EngineError:
        self._process.wait()
        self._threads[-1].join(_LOG_SECONDS)
        message = " ".join(self._words)
        return EngineError(f"the engine ended with code {self._process.returncode}: {message or 'no message'}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                self._lines.put(json.loads(line))
            except json.JSONDecodeError:
                continue
        self._lines.put(None)

    def _write_log(self) -> None:
        assert self._process.stderr is not None
        with suppress(OSError), self._log.open("w", encoding="utf-8", errors="replace", buffering=1) as log:
            for line in self._process.stderr:
                self._words.append(line.strip())
                log.write(line)
        # the disk is full: the measurement reports that, and the engine must not block on its output
        for line in self._process.stderr:
            self._words.append(line.strip())
