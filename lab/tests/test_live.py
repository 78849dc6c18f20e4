"""The display of an active run: the engine's seconds, the terminal block, and live.json."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from steelyard.analyse.narrowing import interim_comparisons
from steelyard.base.live import KEPT_STAGES, Live, LiveComparison, LiveInterval
from steelyard.base.live_block import block, sparkline
from steelyard.base.progress import Progress
from steelyard.measure.trial.last_slices import LastSlices
from steelyard.models.live import RunningNow
from steelyard.results import live_file
from steelyard.results.live_file import LiveFile, ask_to_stop, running_now, started_ticks
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

LONG_NAME = "tomcat-metro@heap=512m,gc=Parallel,threads=400,parser=woodstox,access_log=off"


def second(elapsed: float, completed: int, **more: Any) -> dict[str, Any]:
    return {
        **{"slice": 0, "subject": "go", "elapsed_s": elapsed, "completed": completed},
        **{"failed": 0, "wrong": 0, "response_ms": 0.7, **more},
    }


def interval(forks: int, half: float | None) -> LiveInterval:
    return LiveInterval(forks, 0.78, None if half is None else 0.78 - half, None if half is None else 0.78 + half)


def shown(*labels: str) -> Live:
    live = Live(stage="trial 2 of 6 · pair 3 of 6 of echoStruct")
    for number, label in enumerate(labels):
        for elapsed in range(1, 41):
            live.second(second(elapsed, elapsed * 10_000, slice=number, subject=label))
    live.slices_ended({"go": 1.234})
    for forks, half in ((1, None), (2, 0.07), (3, 0.03), (4, 0.012)):
        live.add_intervals([LiveComparison("go", labels[0], "echoStruct", "throughput", 0.95, [interval(forks, half)])])
    return live


def test_counts_of_a_slice_so_far_become_what_each_second_added() -> None:
    live = Live()
    live.second(second(1.0, 1000))
    live.second(second(2.0, 3000, failed=2, wrong=1))
    live.second(second(2.5, 3500, failed=2, wrong=1))
    subject = live.subjects["go"]
    assert list(subject.throughput_per_s) == [1000, 2000, 1000]
    assert (subject.failures, subject.seconds) == (3, 3)


def test_slices_that_take_turns_do_not_mix_and_another_engine_begins_its_slices_anew() -> None:
    live = Live()
    live.second(second(1.0, 1000))
    live.second(second(1.0, 500, slice=1, subject="null"))
    live.second(second(2.0, 2000))
    live.second(second(1.0, 700))  # slice 0 of the next engine
    assert list(live.subjects["go"].throughput_per_s) == [1000, 1000, 700]
    assert list(live.subjects["null"].throughput_per_s) == [500]


def test_slices_of_one_number_are_told_apart_where_two_engines_drive_them() -> None:
    live = Live()
    live.second(second(1.0, 1000))
    live.second(second(1.5, 900, subject="null"))
    live.second(second(2.0, 2000))
    assert list(live.subjects["go"].throughput_per_s) == [1000, 1000]
    assert list(live.subjects["null"].throughput_per_s) == [600]


def test_failures_told_after_the_last_second_are_counted_without_a_second_more() -> None:
    live = Live()
    live.second(second(5.0, 1000))
    live.second(second(5.0, 1000, failed=4))
    assert (live.subjects["go"].failures, live.subjects["go"].seconds) == (4, 1)


def test_a_new_trial_forgets_the_subjects_and_keeps_the_intervals() -> None:
    live = shown("tomcat-metro", "go")
    live.begin_trial()
    assert live.subjects == {}
    assert [each.forks for each in live.comparisons[0].intervals] == [1, 2, 3, 4]


def test_a_new_stage_is_passed_on_at_once_and_the_same_one_once_a_second() -> None:
    progress, stages = Progress(Console(file=io.StringIO())), []
    with progress.followed_by(lambda: stages.append(progress.live.stage)):
        for stage in ("starting go", "verifying the answers of go", "verifying the answers of go"):
            progress.set_stage(stage)
    assert stages == ["starting go", "verifying the answers of go"]


def test_the_file_has_the_stages_so_far_with_their_times(tmp_path: Path) -> None:
    progress = Progress(Console(file=io.StringIO()))
    with progress.stage("building go"):  # before the run has a folder
        pass
    with LiveFile(tmp_path, progress, []) as file:
        for number in range(1, KEPT_STAGES):
            progress.set_stage(f"stage {number}")
            file()
        now = running_now(tmp_path)
        progress.set_stage("one more")
        file()
        later = running_now(tmp_path)
    assert now is not None and later is not None
    assert [stage.name for stage in now.stages] == ["building go", *(f"stage {n}" for n in range(1, KEPT_STAGES))]
    assert [stage.name for stage in later.stages] == [*(stage.name for stage in now.stages[1:]), "one more"]
    assert all(stage.seconds >= 0 for stage in later.stages)


@pytest.mark.parametrize("width", [120, 80, 60, 40])
@pytest.mark.parametrize("labels", [("tomcat-metro", "go"), (LONG_NAME, "go")])
def test_no_line_is_wider_than_the_terminal_and_no_name_or_figure_is_shortened(
    labels: tuple[str, ...], width: int
) -> None:
    lines = block(shown(*labels), 0.42, "3 min 10 s left", width, 60)
    assert max(map(len, lines)) <= width, lines
    together = "".join(line.strip() for line in lines)
    for told in (*labels, "42%", "10,000/s", "p99 1.23 ms", "0.780 (0.768 to 0.792)"):
        assert told in together.replace("  ", " ") or told.replace(" ", "") in together.replace(" ", ""), told


def test_at_80_columns_the_block_is_this() -> None:
    assert block(shown("tomcat-metro", "go"), 0.42, "3 min 10 s left", 80, 24) == [
        "trial 2 of 6 · pair 3 of 6 of echoStruct",
        "━━━━━━━━━━──────────────   42%  3 min 10 s left",
        "tomcat-metro  ██████████████████████████████  10,000/s        p99 -  0 failed",
        "go            ██████████████████████████████  10,000/s  p99 1.23 ms  0 failed",
        "go / tomcat-metro, throughput of echoStruct, so far (95% intervals, ¦ = equal):",
        "  1 fork   0.78 (no interval yet)",
        "  2 forks  0.78 (0.71 to 0.85)     ├─────●─────┤           ¦",
        "  3 forks  0.78 (0.75 to 0.81)        ├──●─┤               ¦",
        "  4 forks  0.780 (0.768 to 0.792)       ├●┤                ¦",
    ]


def test_a_low_window_says_how_much_it_does_not_show() -> None:
    lines = block(shown("tomcat-metro", "go"), None, "5 s so far", 80, 5)
    assert len(lines) == 5
    assert lines[-1] == "... 5 more lines (enlarge the window)"


def test_a_sparkline_begins_at_zero_and_stands_at_the_right() -> None:
    assert sparkline([0, 50, 100], 5) == "  ▁▄█"
    assert sparkline([0, 0], 2) == "▁▁"
    assert sparkline([], 3) == "   "


def test_response_times_are_of_what_was_appended_since_the_last_look(tmp_path: Path) -> None:
    log = tmp_path / "intervals.hlog"
    last = LastSlices(log)
    assert last.response_times() == {}
    histogram = "HISTFAAAACR4nJNpmSzMwMDAwgABzFCaEURcm7yEwf4DROA8/wV+AGiiBkg="  # a thousand of 1 ms
    log.write_text(
        f"#[a comment]\nTag=go/0/echo/response,0.0,1.0,1.0,{histogram}\nTag=go/0/echo/service,0.0,1.0,1.0,{histogram}\n"
        f"Tag=null/1/echo/response,0.0,1.0,1.0,AAAA\nTag=null/1/ec"
    )
    found = last.response_times()
    assert list(found) == ["go"] and found["go"].total == 1000
    assert found["go"].percentile(99) == pytest.approx(1000, rel=0.01)
    assert last.response_times() == {}


def test_after_each_fork_the_interval_is_that_of_the_forks_there_are(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run", Planted(forks=3, pairs=4)))
    [compared] = interim_comparisons(run)
    [last] = compared.intervals
    assert (compared.a, compared.b, last.forks) == ("tomcat-metro", "go", 3)
    assert last.low is not None and last.high is not None
    assert last.low < last.ratio < last.high


def progress() -> Progress:
    made = Progress(Console(file=io.StringIO()))
    made.live = shown("tomcat-metro", "go")
    made.plan(100)
    return made


def test_a_run_tells_where_it_stands_for_as_long_as_it_lasts(tmp_path: Path) -> None:
    with LiveFile(tmp_path, progress(), [0]) as told:
        told()
        now = running_now(tmp_path)
        assert now is not None
        assert (now.pid, now.server_cpus, now.stage) == (os.getpid(), [0], "trial 2 of 6 · pair 3 of 6 of echoStruct")
        assert now.subjects[1].throughput_per_s[-1] == 10_000
        assert [each.forks for each in now.comparisons[0].intervals] == [1, 2, 3, 4]
        assert [path.name for path in tmp_path.iterdir()] == [live_file.FILE_NAME]
    assert list(tmp_path.iterdir()) == []


def test_who_asks_a_run_to_stop_ends_it_as_ctrl_c_does(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), LiveFile(tmp_path, progress(), [0]) as told:
        assert ask_to_stop(tmp_path)
        told()
    assert list(tmp_path.iterdir()) == []
    assert not ask_to_stop(tmp_path)  # nothing runs, so nothing is left that would stop the next one
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_ends_no_run(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with LiveFile(gone, progress(), [0]) as told:
        told()


def test_what_cannot_be_said_in_the_file_ends_no_run(tmp_path: Path) -> None:
    odd = progress()
    odd.live = shown("x" * 300)
    with LiveFile(tmp_path, odd, [0]) as told:
        told()
        assert running_now(tmp_path) is None


def stored(folder: Path, **changes: Any) -> None:
    with LiveFile(folder, progress(), [0]):
        now = json.loads((folder / live_file.FILE_NAME).read_text())
    (folder / live_file.FILE_NAME).write_text(json.dumps({**now, **changes}))


def test_what_a_killed_run_left_is_no_running_one(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stored(tmp_path, pid=ended.pid)
    assert running_now(tmp_path) is None


@pytest.mark.parametrize("changes", [{"started_ticks": 1}, {"boot": "another"}, {"pid": 0}, {"unknown": 1}])
def test_a_process_of_the_same_number_is_not_taken_for_the_run(tmp_path: Path, changes: dict[str, Any]) -> None:
    stored(tmp_path, **changes)
    assert running_now(tmp_path) is None
    assert not ask_to_stop(tmp_path)


def test_a_live_file_that_is_none_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / live_file.FILE_NAME)
    assert running_now(tmp_path) is None


def test_a_process_is_known_by_when_it_began() -> None:
    assert started_ticks(os.getpid()) == started_ticks(os.getpid())
    assert (started_ticks(os.getpid()) or 0) > 0
    assert started_ticks(2**22 + 1) is None


def test_the_live_file_is_of_its_schema(tmp_path: Path) -> None:
    import jsonschema

    schema = json.loads((Path(__file__).parents[2] / "contracts" / "live.schema.json").read_text())
    stored(tmp_path)
    jsonschema.validate(json.loads((tmp_path / live_file.FILE_NAME).read_text()), schema)
    RunningNow.model_validate_json((tmp_path / live_file.FILE_NAME).read_text())
