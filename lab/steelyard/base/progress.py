"""Progress output: in a terminal a block with stage, time left, subjects and intervals; elsewhere plain lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live as RichLive
from rich.text import Text

from .live import Live, LiveComparison
from .live_block import block, interval_text

_EVERY_SECONDS = 1.0
_MOST_SAID = 3


class Progress:
    """The progress block of one command, on standard error. `planned_seconds` may be corrected later.

    It is drawn at most once a second, and for each new stage, by the thread that drives the engine: a thread of its
    own would run on the servers' processors. Without a terminal each stage is one line.
    """

    def __init__(self, console: Console) -> None:
        self.live = Live()
        self._console = console
        self._is_terminal = console.is_terminal
        self._shown: set[str] = set()
        self._begun = time.monotonic()
        self._planned: float | None = None
        self._watched: tuple[Path, int] | None = None
        self._followers: list[Callable[[], None]] = []
        self._block = RichLive(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
        self._refreshed = 0.0

    def __enter__(self) -> Progress:
        if self._is_terminal:
            self._block.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_terminal:
            self._block.stop()

    def plan(self, seconds_left: float) -> None:
        """Set the remaining time, in seconds from now."""
        self._planned = time.monotonic() - self._begun + max(0.0, seconds_left)

    def seconds_left(self) -> float | None:
        """Remaining planned seconds. None without a plan."""
        return None if self._planned is None else max(0.0, self._planned - (time.monotonic() - self._begun))

    def share(self) -> float | None:
        """The share of the planned time that has passed, 0 to 1. None without a plan."""
        if self._planned is None:
            return None
        return min(1.0, (time.monotonic() - self._begun) / self._planned) if self._planned else 1.0

    def show(self, stage: str) -> None:
        """Begin a stage. Without a terminal each stage is printed once, even where it recurs."""
        if stage not in self._shown and not self._is_terminal:
            self._shown.add(stage)
            left = self.seconds_left()
            note = f"  ({duration(left)} left)" if left else ""
            self.print_line(f"{stage}{note}")
        self.set_stage(stage)

    def set_stage(self, stage: str) -> None:
        """Change the stage above the bar. A new stage is drawn, and followers are called, at once."""
        if stage != self.live.stage:
            self.live.stage = stage
            self.live.note_stage()
            self._refreshed = float("-inf")
        self.refresh()

    def print_line(self, line: str) -> None:
        """Print a permanent line."""
        self._console.print(line, highlight=False, markup=False)

    def second(self, tick: Mapping[str, Any]) -> None:
        """Add a second of a slice from the engine."""
        self.live.second(tick)
        self.refresh()

    def add_intervals(self, comparisons: list[LiveComparison]) -> None:
        """Add the intervals so far. Without a terminal, print a line for each of a few comparisons."""
        self.live.add_intervals(comparisons)
        if not self._is_terminal and len(comparisons) <= _MOST_SAID:
            for compared in comparisons:
                forks = compared.intervals[-1].forks
                self.print_line(
                    f"so far, fork {forks}: {compared.a} / {compared.b}, {compared.measure} of {compared.cell}: "
                    f"{interval_text(compared.intervals[-1])}"
                )
        self.refresh()

    @contextmanager
    def followed_by(self, follower: Callable[[], None]) -> Iterator[None]:
        """While the body runs, call `follower` whenever the block would be drawn, and once more at the end.

        What it raises ends the command.
        """
        self._followers.append(follower)
        try:
            yield
        finally:
            self._followers.remove(follower)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hide the block while the body prints to standard output, so that redrawing does not erase those lines."""
        if self._is_terminal:
            self._block.stop()
        yield
        if self._is_terminal:
            self._block.start()

    def refresh(self) -> None:
        """Draw the block and call the followers if that is due."""
        now = time.monotonic()
        if now - self._refreshed < _EVERY_SECONDS:
            return
        self._refreshed = now
        if self._is_terminal:
            share, note = self._bar()
            lines = block(self.live, share, note, self._console.width - 1, self._console.height - 1)
            self._block.update(Text("\n".join(lines), no_wrap=True), refresh=True)
        for follower in self._followers:
            follower()

    def _bar(self) -> tuple[float | None, str]:
        """The share done (None where unknown), and the text beside the bar."""
        if self._watched is not None:
            folder, size = self._watched
            got = _size_of(folder)
            return min(got, size) / size, f"{got / 1e6:.0f} of {size / 1e6:.0f} MB"
        if self._planned is not None:
            return self.share(), f"{duration(self.seconds_left() or 0)} left"
        return None, f"{duration(time.monotonic() - self._begun)} so far"

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Show `name` while the body runs."""
        before = self.live.stage
        self.show(name)
        yield
        self.live.stage = before

    @contextmanager
    def measure_bytes(self, name: str, size: int | None, folder: Path) -> Iterator[None]:
        """Show `name` with the size of `folder` out of `size` bytes."""
        self._watched = (folder, size) if size else None
        try:
            with self.stage(name):
                yield
        finally:
            self._watched = None


def duration(seconds: float) -> str:
    """Seconds as text, rounded: "1 h 05 min" or "2 min 00 s"."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 60} min {whole % 60:02d} s" if whole >= 60 else f"{whole} s"


def _size_of(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    except OSError:
        return 0
