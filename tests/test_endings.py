"""No process of a run survives it, however the run ends."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import GONE_SECONDS, MARK, Lab, ours, still_running

PAIR = [{"label": "a", "server": "odd", "mode": "escape"}, {"label": "b", "server": "odd"}]
BEGUN_SECONDS = 300  # on a machine that is ten times slower
Until = Callable[[Callable[[], bool], float], None]


def measuring(lab: Lab) -> bool:
    return any(path.stat().st_size > 1000 for path in lab.folder.glob("runs/*/trials/01/slices.csv"))


@pytest.mark.parametrize("design", ["alternating", "alternating-frozen"])
def test_kill_9_of_the_lab_leaves_nothing_alive(lab: Lab, until: Until, design: str) -> None:
    study = lab.study(PAIR, pairs=1000, forks=1)
    path = Path(study)
    path.write_text(f'design = "{design}"\n' + path.read_text())
    process = lab.start("run", study)
    until(lambda: measuring(lab), BEGUN_SECONDS)
    assert any("steelyard-escapee" in line for line in ours(lab.folder))
    if design == "alternating-frozen":
        until(lambda: any(_state(line) == "T" for line in ours(lab.folder) if "serve.py" in line), BEGUN_SECONDS)
    process.kill()
    process.wait()
    until(lambda: ours(lab.folder) == [], GONE_SECONDS)


def test_kill_9_while_servers_start_leaves_nothing_alive(lab: Lab, until: Until) -> None:
    process = lab.start("run", lab.study([{"label": "a", "server": "odd", "mode": "never-ready"}], forks=1))
    until(lambda: any("serve.py" in line for line in ours(lab.folder)), BEGUN_SECONDS)
    process.kill()
    process.wait()
    until(lambda: ours(lab.folder) == [], GONE_SECONDS)


def test_what_a_killed_run_left_in_scratch_is_removed_by_the_next(lab: Lab, until: Until, tmp_path: Path) -> None:
    cache = {"STEELYARD_CACHE": str(tmp_path / "cache")}
    process = lab.start("servers", "check", "odd", "--quick", **cache)
    until(lambda: any((tmp_path / "cache" / "scratch").glob("*-server-*")), BEGUN_SECONDS)
    process.kill()
    process.wait()
    until(lambda: ours(lab.folder) == [], GONE_SECONDS)
    assert list((tmp_path / "cache" / "scratch").iterdir())
    assert lab.run("servers", "check", "odd", "--quick", **cache).code == 0
    assert list((tmp_path / "cache" / "scratch").iterdir()) == []


def test_ctrl_c_in_mid_run_stops_all_and_reports_what_there_is(lab: Lab, until: Until) -> None:
    process = lab.start("run", lab.study(PAIR, pairs=1000, forks=1))
    until(lambda: measuring(lab), BEGUN_SECONDS)
    begun = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    until(lambda: [line for line in ours(lab.folder) if "bin/steelyard run" not in line] == [], GONE_SECONDS)
    _, said = process.communicate(timeout=BEGUN_SECONDS)
    assert process.returncode == 130
    assert time.monotonic() - begun < BEGUN_SECONDS
    assert "stopped; the measurements so far are in" in said
    assert "Traceback" not in said
    run = lab.runs()[0]
    assert (run / "report.html").is_file()
    assert '"status": "interrupted"' in (run / "trials" / "01" / "trial.json").read_text()


def test_a_second_run_on_the_same_machine_refuses_and_says_who_holds_it(lab: Lab, until: Until) -> None:
    study = lab.study(PAIR, pairs=1000, forks=1)
    first = lab.start("run", study)
    until(lambda: measuring(lab), BEGUN_SECONDS)
    second = lab.run("run", study)
    first.kill()
    first.wait()
    until(lambda: ours(lab.folder) == [], GONE_SECONDS)
    assert second.code == 1
    assert f"process {first.pid}" in second.err


def _state(line: str) -> str:
    pid = line.split()[0]
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def test_what_ends_by_itself_is_not_left_running_and_what_does_not_is(tmp_path: Path) -> None:
    def sleeper(seconds: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(["sleep", seconds], env={**os.environ, MARK: str(tmp_path)})

    with sleeper("2") as short, pytest.warns(UserWarning, match=f"after its command ended.*{short.pid} sleep 2"):
        assert still_running(tmp_path, 60) == []
    with sleeper("600") as long:
        left = still_running(tmp_path, 0.2)
        long.kill()
    assert left == [f"{long.pid} sleep 600"]
