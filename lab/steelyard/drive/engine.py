"""The lab's side of steelyard-engine: one process, driven in step over its standard input."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any

from ..base.children import begun, interrupts_held
from ..base.csvfiles import write_text
from ..base.errors import EngineError
from ..models.job import Job, Turn
from ..provision.keeper import binary

START_SECONDS = 60.0
_PIPE_BYTES = 60_000
Tick = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Secrets:
    """What the engine needs to know and nobody may read: header fields of every request, and values of places in requests."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


def _piped(secrets: Secrets) -> int:
    """The reading end of a pipe that holds the secrets; raises EngineError where they are longer than a pipe holds."""
    text = json.dumps({"headers": dict(secrets.headers), "values": dict(secrets.values)}).encode()
    if len(text) > _PIPE_BYTES:
        raise EngineError(f"the secrets are longer than {_PIPE_BYTES:,} bytes")
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(text)
    return reading


class Engine:
    """A running engine; a context manager that leaves none alive. Its end of file is our end, however that comes."""

    def __init__(self, job: Job, folder: Path, secrets: Secrets | None = None) -> None:
        """Write `job` to folder/job.json and start the engine there; raises EngineError where it refuses.

        `secrets` reach it through a pipe: they are in no file, no argument and no environment.
        """
        self.job = job
        path = folder / "job.json"
        write_text(path, job.model_dump_json(indent=1) + "\n")
        self._log = folder / "engine.log"
        argv = [binary("steelyard-engine"), "run", str(path), "--out", str(folder)]
        pipe = None if secrets is None else _piped(secrets)
        if pipe is not None:
            argv += ["--secrets", f"/dev/fd/{pipe}"]
        try:
            with self._log.open("wb") as log:
                self._process = begun(
                    lambda: subprocess.Popen(
                        argv,
                        pass_fds=() if pipe is None else (pipe,),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=log,
                        text=True,
                        start_new_session=True,
                    )
                )
        except OSError as error:
            raise EngineError(f"the engine cannot be started: {error}") from None
        finally:
            if pipe is not None:
                os.close(pipe)
        self._lines: Queue[dict[str, Any] | None] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            if "ready" not in self._line(START_SECONDS):
                raise EngineError("the engine did not say that it is ready")
        except BaseException:
            self.kill()
            raise

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

    def go(
        self, slice_number: int, seconds: float, on_tick: Tick, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Drive one slice and return when it is drained; raises EngineError where that takes longer than `seconds`.

        `meanwhile` is called once the engine was told to begin: the load goes on by itself, and its ticks are read afterwards.
        """
        self._say({"go": slice_number})
        meanwhile()
        self._until_drained([slice_number], seconds, on_tick)

    def prepare(self, slice_number: int) -> None:
        """Have a slice made ready; `prepared` waits for that, and `begin` says when it begins."""
        self._say({"prepare": slice_number})

    def prepared(self, slice_number: int) -> None:
        """Wait until a slice is ready to begin; raises EngineError where that does not come."""
        said = self._line(START_SECONDS)
        if said != {"prepared": slice_number}:
            raise EngineError(f"the engine said {json.dumps(said)[:80]} where slice {slice_number} was to be prepared")

    def begin(self, slice_number: int, at_ns: int) -> None:
        """Have a prepared slice begin its lead-in at an instant of the monotonic clock; `follow` waits for its end."""
        self._say({"go": slice_number, "at_ns": at_ns})

    def follow(self, slice_number: int, seconds: float, on_tick: Tick) -> None:
        """Return when a slice that was begun is drained; raises EngineError where nothing is said for longer than `seconds`."""
        self._until_drained([slice_number], seconds, on_tick)

    def take_turns(self, slice_numbers: Sequence[int], turn: Turn, seconds: float, on_tick: Tick) -> None:
        """Drive slices in turns, and return when all are drained; raises EngineError where the engine is silent for
        longer than `seconds`."""
        self._say({"turns": {"slices": list(slice_numbers), "ms": turn.ms}})
        self._until_drained(slice_numbers, seconds, on_tick)

    def _until_drained(self, slice_numbers: Sequence[int], seconds: float, on_tick: Tick) -> None:
        left = set(slice_numbers)
        while left:
            said = self._line(seconds)
            if "tick" in said:
                on_tick(said["tick"])
            left.discard(said.get("drained", -1))

    def enough(self, slice_number: int, at_second: int | None = None) -> None:
        """End the measured time of the running slice soon, or after so many seconds; nothing where it has ended by itself."""
        self._say({"enough": slice_number} if at_second is None else {"enough": slice_number, "at_s": at_second})

    def close(self) -> None:
        """Let the engine finish its files and end; raises EngineError where it does not, or not well."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            code = self._process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise EngineError(f"the engine did not end within {START_SECONDS:g} s") from None
        if code != 0:
            raise self._ended()

    def kill(self) -> None:
        """End the engine now."""
        with interrupts_held():  # a second Ctrl-C must not leave it to end after us
            self._process.kill()
            self._process.wait()

    def _say(self, asked: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def _line(self, seconds: float) -> dict[str, Any]:
        try:
            said = self._lines.get(timeout=seconds)
        except Empty:
            raise EngineError(f"the engine was silent for {seconds:g} s") from None
        if said is None:
            raise self._ended()
        return said

    def _ended(self) -> EngineError:
        self._process.wait()
        words = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return EngineError(
            f"the engine ended with code {self._process.returncode}: {' '.join(words[-2:]) or 'no message'}"
        )

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                self._lines.put(json.loads(line))
            except json.JSONDecodeError:
                continue
        self._lines.put(None)
