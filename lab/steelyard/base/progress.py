"""What the user sees while waiting: the stage, a bar and the time left; plain lines where there is no terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as RichProgress


class Progress:
    """One bar on standard error for the whole of a command; `planned_seconds` may be corrected as more is known.

    On a terminal the bar is redrawn twice a second at most, since drawing shares the engine's processor. Elsewhere
    each stage is one line.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._live = console.is_terminal and not quiet
        self._quiet = quiet
        self._stage = ""
        self._shown: set[str] = set()
        self._begun = time.monotonic()
        self._planned: float | None = None
        self._watched: tuple[Path, int] | None = None
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[note]}"),
            console=console,
            auto_refresh=False,
            transient=True,
        )
        self._task: TaskID = self._bar.add_task("", total=None, note="")
        self._drawn = 0.0

    def __enter__(self) -> Progress:
        if self._live:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bar.stop()

    def plan(self, seconds_left: float) -> None:
        """Say how much is still to come, in seconds from now."""
        self._planned = time.monotonic() - self._begun + max(0.0, seconds_left)

    def seconds_left(self) -> float | None:
        """Planned seconds still to come; None where nothing was planned."""
        return None if self._planned is None else max(0.0, self._planned - (time.monotonic() - self._begun))

    def show(self, stage: str) -> None:
        """Begin a stage; where there is no terminal, each stage is a line once, however often it is come back to."""
        if stage not in self._shown and not self._live and not self._quiet:
            self._shown.add(stage)
            left = self.seconds_left()
            note = f"  ({duration(left)} left)" if left else ""
            self._console.print(f"{stage}{note}", highlight=False, markup=False)
        self._stage = stage
        self.refresh()

    def tell(self, stage: str) -> None:
        """Change what stands beside the bar; nothing where there is no terminal."""
        self._stage = stage
        self.refresh()

    def say(self, line: str) -> None:
        """Print a line that stays."""
        if not self._quiet:
            self._console.print(line, highlight=False, markup=False)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bar away while the body prints on standard output: the bar's erasure would take those lines with it."""
        if self._live:
            self._bar.stop()
        yield
        if self._live:
            self._bar.start()

    def refresh(self) -> None:
        """Redraw the bar if it is due."""
        now = time.monotonic()
        if not self._live or now - self._drawn < 0.5:
            return
        self._drawn = now
        done = now - self._begun
        note, total, completed = f"{duration(done)} so far", None, 0.0
        if self._watched is not None:
            folder, size = self._watched
            got = _size_of(folder)
            note, total, completed = f"{got / 1e6:.0f} of {size / 1e6:.0f} MB", float(size), float(min(got, size))
        elif self._planned is not None:
            note, total, completed = (
                f"{duration(self.seconds_left() or 0)} left",
                self._planned,
                min(done, self._planned),
            )
        self._bar.update(self._task, description=self._stage, total=total, completed=completed, note=note)
        self._bar.refresh()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Show `name` for as long as the body runs."""
        before = self._stage
        self.show(name)
        yield
        self._stage = before

    @contextmanager
    def measure_bytes(self, name: str, size: int | None, folder: Path) -> Iterator[None]:
        """Show `name` with the growth of `folder` against `size` bytes."""
        self._watched = (folder, size) if size else None
        try:
            with self.stage(name):
                yield
        finally:
            self._watched = None


def duration(seconds: float) -> str:
    """Seconds in words, rounded: "1 h 05 min" or "2 min 00 s"."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 60} min {whole % 60:02d} s" if whole >= 60 else f"{whole} s"


def _size_of(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    except OSError:
        return 0
