"""Where a run stands, in its own folder while it lasts: written by the run, read by whoever looks; and the wish to stop it."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from ..base.csvfiles import read_small, write_text
from ..base.errors import StoreError
from ..base.progress import Progress
from ..models.live import ComparisonSoFar, RunningNow, SubjectNow

FILE_NAME = "live.json"
STOP = "stop-asked"
STOPPED = "that was asked for"  # why something ended early, in the words of its figures
MOST_BYTES = 4_000_000


class StopAsked(KeyboardInterrupt):
    """Someone asked from outside, and not at the keyboard, that what runs should end with what it has."""


class LiveFile:
    """Tells of a run in `folder` whenever it is called. A context manager: the file is there as long as the body runs.

    That it cannot be written, or cannot hold what it would say, ends no run. Called after someone asked the run to stop, it
    raises StopAsked, which is a KeyboardInterrupt, so that it ends a command as Ctrl-C does where nothing better is known.
    """

    def __init__(self, folder: Path, progress: Progress, server_cpus: list[int]) -> None:
        self._folder = folder
        self._progress = progress
        self._server_cpus = server_cpus
        self._begun = _now()
        self._process = (os.getpid(), started_ticks(os.getpid()) or 0, _boot())

    def __enter__(self) -> LiveFile:
        self._remove()  # of a run that was killed, and is taken up again
        with suppress(StoreError, ValidationError):
            self._write()
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def __call__(self) -> None:
        """Write the file, or end the run where that was asked for."""
        if (self._folder / STOP).exists():
            raise StopAsked
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
            share=self._progress.share(),
            seconds_left=self._progress.seconds_left(),
            server_cpus=self._server_cpus,
            subjects=[SubjectNow.model_validate(subject, from_attributes=True) for subject in live.subjects.values()],
            comparisons=[ComparisonSoFar.model_validate(each, from_attributes=True) for each in live.comparisons],
        )
        # Not synchronized with the disk, for that would disturb what is measured; who reads it finds it whole nevertheless.
        write_text(self._folder / FILE_NAME, now.model_dump_json(), lasting=False)

    def _remove(self) -> None:
        for name in (FILE_NAME, STOP):
            with suppress(OSError):
                (self._folder / name).unlink(missing_ok=True)


def running_now(folder: Path) -> RunningNow | None:
    """Where the run in `folder` stands; None where it does not run, or what its file says cannot be read."""
    try:
        now = RunningNow.model_validate_json(read_small(folder / FILE_NAME, MOST_BYTES))
    except (StoreError, ValidationError):
        return None
    alive = now.boot == _boot() and started_ticks(now.pid) == now.started_ticks
    return now if alive else None


def ask_to_stop(folder: Path) -> bool:
    """Ask the run in `folder` to stop after at most a second of load, with a report on what it has; whether it runs.

    No process is signalled: a folder that came from elsewhere could name any.
    """
    if running_now(folder) is None:
        return False
    write_text(folder / STOP, "asked for from outside\n", lasting=False)
    return True


def started_ticks(pid: int) -> int | None:
    """When a process began, in clock ticks since the machine did, since its number may be another's by now; None: there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # its name, in parentheses, may hold anything
    return None if fields[0] in ("Z", "X") else int(fields[19])


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
