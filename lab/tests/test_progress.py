"""Progress is a block on a terminal and plain lines elsewhere, on standard error whatever is printed."""

import io
import re
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from steelyard.base.live import LiveComparison, LiveInterval
from steelyard.base.progress import Progress


def lines_of(*stages: str, seconds_left: float | None = None) -> list[str]:
    written = io.StringIO()
    with Progress(Console(file=written, force_terminal=False, width=200)) as progress:
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


def test_in_a_pipe_an_interval_is_a_line_and_many_are_none() -> None:
    written = io.StringIO()
    progress = Progress(Console(file=written, force_terminal=False, width=200))
    each = [
        LiveComparison(name, "go", "echo", "throughput", 0.95, [LiveInterval(2, 0.78, 0.71, 0.86)]) for name in "abcd"
    ]
    progress.add_intervals(each)
    assert written.getvalue() == ""
    progress.add_intervals(each[:1])
    assert written.getvalue() == "so far, fork 2: a / go, throughput of echo: 0.78 (0.71 to 0.86)\n"


def test_on_a_terminal_the_block_shows_stage_and_time_left_and_is_gone_at_the_end() -> None:
    written = io.StringIO()
    with Progress(Console(file=written, force_terminal=True, width=100)) as progress:
        progress.plan(60)
        progress.show("measuring")
    text = written.getvalue()
    assert "measuring" in text
    assert "left" in text
    assert text.endswith("\x1b[2K")


def test_what_follows_is_called_while_it_follows_and_what_it_raises_ends_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = count(100.0, 2.0)  # each look at the clock is two seconds after the one before
    monkeypatch.setattr("steelyard.base.progress.time", SimpleNamespace(monotonic=lambda: next(clock)))
    progress = Progress(Console(file=io.StringIO()))
    calls: list[str] = []
    with progress.followed_by(lambda: calls.append("called")):
        progress.refresh()
    progress.refresh()
    assert calls == ["called"]

    def stop() -> None:
        raise KeyboardInterrupt

    with progress.followed_by(stop), pytest.raises(KeyboardInterrupt):
        progress.refresh()


def test_commands_that_print_json_show_their_progress_too() -> None:
    import steelyard

    commands = Path(steelyard.__file__).parent / "commands"
    made = [made for path in commands.glob("*.py") for made in re.findall(r"Progress\(.*\)", path.read_text())]
    assert made and all("console()" in each and "json" not in each for each in made), made
