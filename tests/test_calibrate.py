"""The calibration on real servers: planted levels are really slow, killed sittings resume, later reports cite it."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema
import pytest
from conftest import Lab
from steelyard.base.csvfiles import read_bytes

pytestmark = pytest.mark.long

CONTRACTS = Path(__file__).parent.parent / "contracts"
STUDY = """
name = "small"
title = "A test's own calibration"
question = "Does a planted slow-down slow?"
service = "wstest"
reference = "a"
operations = ["echoStruct"]
primary = "echoStruct"
forks = 2
pairs = 4
slice_seconds = 0.3
warm_up_limit_seconds = 1.2
corpus_entries = 20
subjects = [
  { label = "a", parts = [{ server = "go" }], slowed = 0.0 },
  { label = "again", parts = [{ server = "go" }], slowed = 0.0 },
  { label = "a-for-5", same_as = "a", slowed = 0.0 },
  { label = "a-for-300", same_as = "a", slowed = 0.0 },
  { label = "again-5", same_as = "again", slowed = 0.05 },
  { label = "again-300", same_as = "again", slowed = 3.0 },
]
"""


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(text(path).splitlines()))


def text(path: Path) -> str:
    """Of a file that may be stored packed."""
    return read_bytes(path).decode("utf-8")


def collecting(lab: Lab, forks: int) -> list[str]:
    (lab.folder / "small.toml").write_text(STUDY, encoding="utf-8")
    words = [sys.executable, "-m", "steelyard.calibration", "--study", "small.toml", "--bank", "bank", "--work", "work"]
    return [*words, "--budget", "10m", "--forks", str(forks)]


def collect(lab: Lab, forks: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        collecting(lab, forks),
        cwd=lab.folder,
        env=lab.environment,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


def tables(lab: Lab, *words: str) -> int:
    command = [sys.executable, "-m", "steelyard.calibration.tables", "--bank", "bank", "--page", "page.md", *words]
    return subprocess.run(command, cwd=lab.folder, env=lab.environment, timeout=120, check=False).returncode


def test_a_killed_sitting_keeps_whole_forks_and_the_next_one_goes_on(
    lab: Lab, until: Callable[[Callable[[], bool], float], None]
) -> None:
    bank = lab.folder / "bank"
    with (lab.folder / "said").open("w") as said:
        first = subprocess.Popen(
            collecting(lab, 2), cwd=lab.folder, env=lab.environment, stderr=said, start_new_session=True
        )
        slices_of_second = lab.folder / "work" / "trials" / "02" / "slices.csv"
        until(lambda: slices_of_second.exists() or first.poll() is not None, 300)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    assert [row["fork"] for row in rows(bank / "forks.csv")] == ["1"], (lab.folder / "said").read_text()
    before = text(bank / "slices.csv")
    planted = (bank / "study.toml").read_text()

    second = collect(lab, 2)
    assert second.returncode == 0, second.stderr
    assert [(row["fork"], row["status"]) for row in rows(bank / "forks.csv")] == [("1", "complete"), ("2", "complete")]
    assert text(bank / "slices.csv").startswith(before)
    assert (bank / "study.toml").read_text() == planted, "the levels of the first sitting are kept"

    seen: dict[tuple[str, str], list[float]] = {}
    for row in rows(bank / "slices.csv"):
        if row["phase"] == "measure":
            rate = int(row["completed"]) / int(row["measured_ns"]) * 1e9
            seen.setdefault((row["subject"], row["level"]), []).append(rate)
    assert set(seen) == {("a", "0.0"), ("again", "0.0"), ("again", "0.05"), ("again", "3.0")}
    assert {who: len(rates) for who, rates in seen.items()} == {
        ("a", "0.0"): 16, ("again", "0.0"): 8, ("again", "0.05"): 4, ("again", "3.0"): 4,
    }, "each fork measures one level beside none"  # fmt: skip
    assert 0.1 < median(seen["again", "3.0"]) / median(seen["again", "0.0"]) < 0.6

    trial = json.loads((lab.folder / "work" / "trials" / "02" / "trial.json").read_text())
    assert {one["subject"] for one in trial["counted"]} == {"a", "again"}
    assert all(one["by_service"] == one["by_engine"] > 0 for one in trial["counted"]), trial["counted"]

    assert tables(lab) == 0
    assert "2 of 60 forks are collected so far" in (lab.folder / "page.md").read_text()
    assert tables(lab, "--check") == 0
    (lab.folder / "page.md").write_text("another page")
    assert tables(lab, "--check") == 1


def test_what_calibrate_finds_is_stored_and_a_later_run_cites_it(lab: Lab) -> None:
    words = ("calibrate", "--server", "go", "--budget", "20s", "--pairs", "3", "--slice-seconds", "0.2", "--json")
    ran = lab.run(*words)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = ran.json()
    jsonschema.validate(found, json.loads((CONTRACTS / "calibration.schema.json").read_text()))
    assert found["forks"] >= 2
    assert [one["level"] for one in found["planted"]] == [0.02, 0.05, 0.2]
    assert found["headroom"] is not None and found["headroom"] > 1
    assert {"timer", "steal"} <= {check["name"] for check in found["checks"]}
    (kept,) = (lab.folder / "state").glob("*/calibration.json")
    assert json.loads(kept.read_text()) == found

    study = lab.study([{"label": "a", "server": "odd"}, {"label": "b", "server": "odd"}], forks=1, warm_up=1, pairs=3)
    assert lab.run("run", study, "--json").code in (0, 2)
    run = next(path for path in lab.runs() if path.name.startswith("small"))
    cited = json.loads((run / "environment.json").read_text())["calibration"]
    assert cited["made"] == found["made"]
    report = (run / "report.html").read_text()
    assert (
        "Smallest differences this machine detects" in report and "smallest difference found with 90% power" in report
    )


def test_ctrl_c_in_a_calibration_keeps_the_forks_that_ended_and_says_what_they_show(
    lab: Lab, until: Callable[[Callable[[], bool], float], None]
) -> None:
    words = ("calibrate", "--server", "go", "--budget", "20m", "--pairs", "3", "--slice-seconds", "0.2", "--json")
    process = lab.start(*words)
    third = "calibrate-go-*/trials/03/slices.csv"
    until(lambda: any((lab.folder / "runs").glob(third)) or process.poll() is not None, 300)
    os.kill(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    found: dict[str, Any] = json.loads(out)
    assert found["stopped"] is True and found["forks"] == 2
    (kept,) = (lab.folder / "state").glob("*/calibration.json")
    assert json.loads(kept.read_text()) == found
