"""Processes that draw charts beside each other (`chart_program.py`), which end with the lab and may fail without it."""

from __future__ import annotations

import functools
import json
import os
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from ..base import children
from ..base.errors import SteelyardError

_PROGRAM = Path(__file__).with_name("chart_program.py")
_MOST_PROCESSES = 4
_LIMIT_SECONDS = 120.0  # for one chart, the start of the program included
_EXIT_SECONDS = 5.0
_KEPT = 512  # charts; a kept run is drawn twice, to compare both pages


class ChartProcess:
    """A process that draws one chart at a time."""

    def __init__(self) -> None:
        self._process = children.start_child(
            lambda: subprocess.Popen(
                [sys.executable, "-P", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
        )

    @property
    def has_ended(self) -> bool:
        """Whether it has ended since its last chart, as at the end of a command."""
        return self._process.poll() is not None

    def svg(self, chart: str) -> str:
        """The SVG of a chart in Vega-Lite, which is one line. Raises SteelyardError where the process ended, and ValueError for
        a chart that the library refuses."""
        written, answers = self._process.stdin, self._process.stdout
        if written is None or answers is None:
            raise AssertionError("the process was started without pipes")
        line = ""
        try:
            written.write(f"{chart}\n")
            written.flush()
            poll = select.poll()
            poll.register(answers, select.POLLIN)
            if poll.poll(_LIMIT_SECONDS * 1000):
                line = answers.readline()
        except (OSError, ValueError):  # it has ended, or its pipe was closed at the end of the lab
            pass
        if not line.endswith("\n"):
            raise SteelyardError(self._end())
        answer: dict[str, str] = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["svg"]

    def _end(self) -> str:
        """End the process; returns how it ended by itself, or that it did not."""
        try:
            code = self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            children.kill_group(self._process)
            return f"the process that draws charts did not answer within {_LIMIT_SECONDS:g} s"
        if code < 0:
            return f"the process that draws charts was ended by {signal.Signals(-code).name}"
        return f"the process that draws charts ended with exit code {code}"


class ChartPool:
    """Draws charts in up to four processes. Once one of them failed at a chart, no further chart is drawn (`failure` is why)."""

    def __init__(self) -> None:
        self.failure = ""
        self._threads = ThreadPoolExecutor(
            min(_MOST_PROCESSES, len(os.sched_getaffinity(0))), thread_name_prefix="charts"
        )
        self._of_thread = threading.local()
        self._starting = threading.Lock()

    def submit(self, chart: str) -> Future[str | None]:
        """The SVG of a chart in Vega-Lite as soon as it is drawn; None where it cannot be drawn."""
        try:
            return self._threads.submit(self._draw, chart)
        except RuntimeError as error:  # no further thread can be started
            self.failure = self.failure or str(error)
            missing: Future[str | None] = Future()
            missing.set_result(None)
            return missing

    def _draw(self, chart: str) -> str | None:
        if self.failure:
            return None
        try:
            return self._process().svg(chart)
        except (OSError, SteelyardError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.failure = self.failure or reason or type(error).__name__
            return None

    def _process(self) -> ChartProcess:
        """The process of this thread, started where there is none or it has ended."""
        process: ChartProcess | None = getattr(self._of_thread, "process", None)
        if process is None or process.has_ended:
            with self._starting:
                process = self._of_thread.process = ChartProcess()
        return process


@functools.cache
def pool() -> ChartPool:
    """The pool of this process."""
    return ChartPool()


@functools.lru_cache(_KEPT)
def submit(chart: str) -> Future[str | None]:
    """As `ChartPool.submit` of this process's pool; the same chart is drawn once."""
    return pool().submit(chart)
