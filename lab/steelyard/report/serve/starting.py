"""Starts runs from the page, if the server allows it: one at a time, ended with the server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from ...base.children import hold_interrupts
from ...base.errors import ConfigurationError
from ...catalogue import entries

_BUDGET = re.compile(r"[0-9]{1,5}(\.[0-9]{1,2})?[smh]")
_ENDING_SECONDS = 120.0


class Starter:
    """Starts `steelyard run` and keeps its output. A context manager that asks a running run to stop, and waits for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._cpus = os.sched_getaffinity(0)
        self._process: subprocess.Popen[bytes] | None = None
        self._command: list[str] = []
        self._log = Path()

    def __enter__(self) -> Starter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            with hold_interrupts():  # a second Ctrl-C must not leave the run to end after us
                self._process.send_signal(signal.SIGTERM)
                try:
                    self._process.wait(_ENDING_SECONDS)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
        self._log.unlink(missing_ok=True) if self._log.is_file() else None

    def studies(self) -> list[str]:
        """The studies that can be started."""
        return sorted(entries.study_files())

    def start(self, study: str, budget: str) -> None:
        """Start a run of a study by its name within a budget (`10m`; empty: the study's own times). Raises ConfigurationError."""
        if study not in entries.study_files():
            raise ConfigurationError(f"there is no study '{study[:100]}'")
        if budget and _BUDGET.fullmatch(budget) is None:
            raise ConfigurationError(f"'{budget[:40]}' is not a duration", hint="write 90s, 10m or 1.5h")
        if self._process is not None and self._process.poll() is None:
            raise ConfigurationError(
                "a run that was started here is still running", hint="start one at a time: two runs disturb each other"
            )
        handle, name = tempfile.mkstemp(prefix="steelyard-serve-", suffix=".log")
        self._log.unlink(missing_ok=True) if self._log.is_file() else None
        self._log = Path(name)
        self._command = ["run", study, "--out", str(self._folder), *(["--budget", budget] if budget else [])]
        with os.fdopen(handle, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "steelyard", *self._command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        os.sched_setaffinity(self._process.pid, self._cpus)  # the server may have left processors to another run

    def last_run_text(self) -> str:
        """The status of the last run that was started here, in a line; empty where there was none."""
        if self._process is None:
            return ""
        command = f"steelyard {' '.join(self._command)}"
        code = self._process.poll()
        if code is None:
            return f"{command}: started; {self._last_line()}"
        return f"{command}: ended with exit code {code}; {self._last_line()}"

    def _last_line(self) -> str:
        with self._log.open("rb") as log:
            log.seek(max(0, self._log.stat().st_size - 2000))
            lines = log.read().decode("utf-8", errors="replace").strip().splitlines()
        errors = [line for line in lines if line.startswith("error: ")]
        return (errors or lines or ["no output yet"])[-1][:300]
