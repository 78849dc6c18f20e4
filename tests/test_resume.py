"""A stopped run resumes at the point of its stop."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

from conftest import Lab, ours

PAIR = [{"label": "a", "server": "odd"}, {"label": "b", "server": "odd"}]
Until = Callable[[Callable[[], bool], float], None]


def killed_in_the_second_trial(lab: Lab, until: Until) -> Path:
    process = lab.start("run", lab.study(PAIR, forks=2, pairs=3), "--seed", "7")
    until(lambda: any(path.stat().st_size > 800 for path in lab.folder.glob("runs/*/trials/02/slices.csv")), 600)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    until(lambda: ours(lab.folder) == [], 60)
    return lab.runs()[0]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_killed_run_keeps_its_whole_trials_and_drives_the_rest(lab: Lab, until: Until) -> None:
    run = killed_in_the_second_trial(lab, until)
    whole, planned = files(run / "trials" / "01"), json.loads((run / "schedule.json").read_text())
    ran = lab.run("run", "--resume", str(run))
    assert ran.code in (0, 2), ran.err  # what it weighs is not asked here, beside other tests
    assert lab.runs() == [run]
    assert files(run / "trials" / "01") == whole
    assert (run / "trials" / "02.stopped-1" / "slices.csv").is_file()
    records = [json.loads((run / "trials" / name / "trial.json").read_text()) for name in ("01", "02")]
    assert [record["status"] for record in records] == ["complete"] * 2
    assert [record["seed"] for record in records] == [trial["seed"] for trial in planned["trials"]]
    verdicts = json.loads((run / "verdicts.json").read_text())
    assert verdicts["status"] == "complete"
    assert [one["forks"] for one in verdicts["comparisons"] if one["primary"]] == [2]
    again = lab.run("run", "--resume", str(run))
    assert (again.code, "nothing is left to resume" in again.err) == (1, True), again.err
