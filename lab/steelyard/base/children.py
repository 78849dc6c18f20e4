"""Child processes of this program: registered when they start, and ended and awaited when the program ends."""

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
_END_SECONDS = 30.0  # longer than a keeper needs to end its processes

Child = TypeVar("Child", subprocess.Popen[str], subprocess.Popen[bytes])

_begun: list[subprocess.Popen[str] | subprocess.Popen[bytes]] = []


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Defer interrupting signals until this context ends, and raise them again then. Keep the body short."""
    if threading.current_thread() is not threading.main_thread():  # Python runs signal handlers only there
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


def start_child(start: Callable[[], Child]) -> Child:
    """Start a process by `start` and register it for `end_all` before any interrupt. Raises what `start` raises."""
    with hold_interrupts():
        _begun[:] = [process for process in _begun if process.returncode is None]
        process = start()
        _begun.append(process)
    return process


def run(argv: Sequence[str], *, seconds: float, text_in: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a short command to its end, with `text_in` on its standard input. Raises OSError, and TimeoutExpired after
    `seconds`.

    Unlike `subprocess.run`, it kills and awaits the whole process group after Ctrl-C or a timeout.
    """
    process = start_child(
        lambda: subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL if text_in is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    )
    try:
        out, err = process.communicate(text_in, timeout=seconds)
    finally:
        kill_group(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


def kill_group(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Kill a process that leads its own session, with its group, and wait for it. Does nothing where it has ended."""
    with hold_interrupts():
        if process.returncode is None:  # not reaped, so the id is still its own
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def end_all() -> None:
    """End all registered processes that still run, and wait for them.

    Closing their standard input ends processes that read it. Those without such an input, or still running after
    a while, are killed.
    """
    with hold_interrupts():
        left = [process for process in _begun if process.poll() is None]
        for process in left:
            if process.stdin is None:
                process.kill()
            else:
                with suppress(OSError):  # it may have just ended
                    process.stdin.close()
        for process in left:
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        _begun.clear()
