"""Progress is a bar on a terminal and plain lines elsewhere."""

import io

from rich.console import Console
from steelyard.base.progress import Progress


def lines_of(*stages: str, seconds_left: float | None = None, quiet: bool = False) -> list[str]:
    written = io.StringIO()
    with Progress(Console(file=written, force_terminal=False, width=200), quiet=quiet) as progress:
        if seconds_left is not None:
            progress.plan(seconds_left)
        for stage in stages:
            progress.show(stage)
    return written.getvalue().splitlines()


def test_in_a_pipe_each_stage_is_one_line_however_often_it_comes_back() -> None:
    assert lines_of("warming up a", "warming up b", "warming up a", "measuring") == [
        "warming up a",
        "warming up b",
        "measuring",
    ]


def test_the_time_left_stands_beside_a_stage() -> None:
    assert lines_of("measuring", seconds_left=125) == ["measuring  (2 min 05 s left)"]


def test_quiet_says_nothing() -> None:
    assert lines_of("measuring", quiet=True) == []


def test_on_a_terminal_the_bar_shows_stage_and_time_left_and_is_gone_at_the_end() -> None:
    written = io.StringIO()
    with Progress(Console(file=written, force_terminal=True, width=100)) as progress:
        progress.plan(60)
        progress.show("measuring")
    text = written.getvalue()
    assert "measuring" in text
    assert "left" in text
    assert text.endswith("\x1b[2K")
