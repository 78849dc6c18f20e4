"""What this process has started: known from its first moment, ended with all interrupts held, and waited for when the lab ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TypeVar

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_END_SECONDS = 30.0  # more than a keeper needs to end what it keeps

Child = TypeVar("Child", subprocess.Popen[str], subprocess.Popen[bytes])

_begun: list[subprocess.Popen[str] | subprocess.Popen[bytes]] = []


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Signals that interrupt the lab wait for the end of this context and are then sent again; what is done here must be short."""
    if threading.current_thread() is not threading.main_thread():  # only that one is ever interrupted
        yield
        return
    came: list[int] = []

    def hold(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, hold) for number in _INTERRUPTS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for interrupt in dict.fromkeys(came):
            signal.raise_signal(interrupt)


def begun(start: Callable[[], Child]) -> Child:
    """The process that `start` starts, known to `end_all` before any interrupt can come between; raises what `start` raises."""
    with interrupts_held():
        _begun[:] = [process for process in _begun if process.returncode is None]
        process = start()
        _begun.append(process)
    return process


def run(argv: Sequence[str], *, seconds: float, said: str | None = None) -> subprocess.CompletedProcess[str]:
    """A short command run to its end, with `said` on its standard input; raises OSError, and TimeoutExpired after `seconds`.

    Unlike `subprocess.run`, which after Ctrl-C does not wait for what it killed, and after a time-out kills the
    command alone, this one leaves nothing of its process group.
    """
    process = begun(
        lambda: subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL if said is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    )
    try:
        out, err = process.communicate(said, timeout=seconds)
    finally:
        kill_group(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


def kill_group(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a session of its own, with its group, and wait for it; nothing where it has ended."""
    with interrupts_held():
        if process.returncode is None:  # its id is still its own
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def end_all(seconds: float = _END_SECONDS) -> None:
    """End what was begun and still runs, and wait for it.

    Who reads our end of file ends by it, with all that it started; who does not within `seconds`, or has no such input, is killed.
    """
    with interrupts_held():
        left = [process for process in _begun if process.poll() is None]
        for process in left:
            if process.stdin is None:
                process.kill()
            else:
                with suppress(OSError):  # it may end just now
                    process.stdin.close()
        for process in left:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        _begun.clear()
