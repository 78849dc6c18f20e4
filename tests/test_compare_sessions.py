"""`check` on two folders whose load is sessions with a log-in: each is started, verified, and judged by its sessions' requests."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from conftest import Lab
from steelyard.base import paths
from steelyard.results.stored_run import read_run

GUIDE = paths.root() / "docs" / "guides" / "sessions"
BUDGET = ("--budget", "90s", "--slice-seconds", "1", "--pairs", "3", "--warm-up", "3", "--users", "4")


@pytest.mark.alone
@pytest.mark.long  # in short: lab/tests/test_compare_sessions.py, on shops that run already
def test_two_folders_are_compared_by_their_sessions(lab: Lab) -> None:
    for name in ("shop", "shop-next"):
        folder = lab.folder / name
        shutil.copytree(GUIDE, folder)
        file = folder / "service.toml"
        start = json.dumps([sys.executable, "shop.py", "{port}"])
        text = file.read_text().replace("target = ", f"start = {start}\ntarget = ", 1)
        file.write_text(text.replace("ms = 500, to_ms = 1500", "ms = 5, to_ms = 15").replace("ms = 1000", "ms = 10"))
    ran = lab.run("check", "./shop", "./shop-next", "--writes", *BUDGET, "--json")
    assert ran.code in (0, 1, 2), ran.err
    (folder,) = lab.runs()
    run = read_run(folder)
    (cell,) = run.schedule.cells
    assert (cell.mix, cell.judged_by) == ({"buy": 1.0}, "response_time_mean")
    assert run.trials and all(trial.status == "complete" for trial in run.trials), ran.err
    rows = [row for trial in run.trials for row in trial.slices.values()]
    assert sum(row.sessions for row in rows) > 0 and not any(row.sessions_failed for row in rows)
    (change,) = [change for change in ran.json()["changes"] if change["primary"]]
    assert change["verdict"] not in ("slower", "faster") or abs(change["worse_percent"]) < 20
    assert "buy" in (folder / "report.html").read_text()
