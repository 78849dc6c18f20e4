"""The status of a run in its own folder while it runs, and the request to stop it."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from ..base.csvfiles import read_small, write_text
from ..base.errors import StoreError
from ..base.progress import Progress
from ..models.live import ComparisonSoFar, RunningNow, StageSoFar, SubjectNow

FILE_NAME = "live.json"
STOP = "stop-asked"
STOPPED = "that was asked for"  # why a run ended early, as its figures word it
MOST_BYTES = 4_000_000


class StopRequested(KeyboardInterrupt):
    """Someone requested the run to stop from outside, not at the keyboard. It ends with the results so far."""


class LiveFile:
    """Writes the status of a run in `folder` on each call. A context manager: the file exists while its body runs.

    A file that cannot be written ends no run. A call after a request to stop raises StopRequested. That is a KeyboardInterrupt, so
    it ends a command as Ctrl-C does.
    """

    def __init__(self, folder: Path, progress: Progress, server_cpus: list[int]) -> None:
        self._folder = folder
        self._progress = progress
        self._server_cpus = server_cpus
        self._begun = _now()
        self._process = (os.getpid(), started_ticks(os.getpid()) or 0, _boot())

    def __enter__(self) -> LiveFile:
        self._remove()  # left by a killed run that is resumed now
        with suppress(StoreError, ValidationError):
            self._write()
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def __call__(self) -> None:
        """Write the file, or end the run if a stop was requested."""
        if (self._folder / STOP).exists():
            raise StopRequested
        with suppress(StoreError, ValidationError):
            self._write()

    def _write(self) -> None:
        live, (pid, ticks, boot) = self._progress.live, self._process
        now = RunningNow(
            pid=pid,
            started_ticks=ticks,
            boot=boot,
            begun=self._begun,
            updated=_now(),
            stage=live.stage[:2000],
            stages=self._stages_so_far(),
            share=self._progress.share(),
            seconds_left=self._progress.seconds_left(),
            server_cpus=self._server_cpus,
            subjects=[SubjectNow.model_validate(subject, from_attributes=True) for subject in live.subjects.values()],
            comparisons=[ComparisonSoFar.model_validate(each, from_attributes=True) for each in live.comparisons],
        )
        # Not synchronized with the disk, which would disturb the measurement. Readers still see a complete file.
        write_text(self._folder / FILE_NAME, now.model_dump_json(), lasting=False)

    def _stages_so_far(self) -> list[StageSoFar]:
        """The last stages of the command, those before the run's folder included, and the current one."""
        live = self._progress.live
        live.note_stage()
        ends = [*(stage.begun for stage in live.stages), time.monotonic()][1:]
        return [
            StageSoFar(name=stage.name[:2000], seconds=round(end - stage.begun, 1))
            for stage, end in zip(live.stages, ends, strict=True)
        ]

    def _remove(self) -> None:
        for name in (FILE_NAME, STOP):
            with suppress(OSError):
                (self._folder / name).unlink(missing_ok=True)


def running_now(folder: Path) -> RunningNow | None:
    """The status of the run in `folder`; None where it does not run, or its file cannot be read."""
    try:
        now = RunningNow.model_validate_json(read_small(folder / FILE_NAME, MOST_BYTES))
    except (StoreError, ValidationError):
        return None
    alive = now.boot == _boot() and started_ticks(now.pid) == now.started_ticks
    return now if alive else None


def ask_to_stop(folder: Path) -> bool:
    """Ask the run in `folder` to stop within a second of load, with a report on its results so far. Returns whether it runs.

    It sends no signal to a process: a folder from elsewhere could contain any process number.
    """
    if running_now(folder) is None:
        return False
    write_text(folder / STOP, "requested by another program\n", lasting=False)
    return True


def started_ticks(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; None if there is none. It detects a reused process number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # its name, in parentheses, may contain any character
    return None if fields[0] in ("Z", "X") else int(fields[19])


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
