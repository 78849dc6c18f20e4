"""Tests with a shape on real servers: blocks are unbroken, overload is counted and named, and the report describes it."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Lab

STUDY = """
name = "bent"
title = "A test's own study with shapes"
question = "What bends?"
service = "wstest"
subjects = [
  {{ label = "quick", parts = [{{ server = "go" }}] }},
  {{ label = "odd", parts = [{{ server = "odd", factors = {{ mode = "{mode}" }} }}] }},
]
reference = "quick"
operations = ["echoStruct"]
primary = "echoStruct"
forks = 1
slice_seconds = 0.5
warm_up_limit_seconds = 0.5
corpus_entries = 20
"""
TEST = """
[[tests]]
name = "{name}"
title = "Load {name}"
source = "section 1"
operation = "echoStruct"
profile = {profile}
"""
RAMP = '{ kind = "ramp", from_users = 1, to_users = 8, seconds = 6 }'
BURSTS = '{ kind = "bursts", users = 4, idle_seconds = 1, on_seconds = 2, off_seconds = 1, seconds = 4 }'
STEPS = '{ kind = "steps", levels = [1, 2, 4], hold_seconds = 1 }'
STRESS = '{ kind = "steps", levels = [1, 8, 9, 8, 9, 8], hold_seconds = 1 }\nuntil = { failed_share = 0.01, response_ms = 10000 }'
LENGTHS = {"r": 6, "b": 4, "s": 3, "u": 6}


def study(lab: Lab, mode: str, **profiles: str) -> str:
    path = lab.folder / "bent.toml"
    tests = "".join(TEST.format(name=name, profile=profile) for name, profile in profiles.items())
    path.write_text(STUDY.format(mode=mode) + tests)
    return str(path)


def rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


def test_blocks_are_unbroken_and_overload_is_counted_named_by_users_and_ends_nothing(lab: Lab) -> None:
    ran = lab.run("run", study(lab, "full", r=RAMP, b=BURSTS, s=STEPS, u=STRESS))
    assert "Traceback" not in ran.err
    (run,) = lab.runs()
    record = json.loads((run / "trials/01/trial.json").read_text())
    assert record["status"] == "complete", record["failure"]
    plans = {str(plan["number"]): plan for plan in record["slices"]}
    blocks = [row for row in rows(run / "trials/01/slices.csv") if row["phase"] == "measure"]
    seconds = {
        (plans[row["slice"]]["cell"], row["subject"]): round((int(row["end_ns"]) - int(row["begin_ns"])) / 1e9)
        for row in blocks
    }
    assert seconds.pop(("u", "odd")) in (3, 4, 5), "a stress test ends when it has shown enough"
    seconds["u", "odd"] = LENGTHS["u"]
    assert seconds == {(name, who): length for name, length in LENGTHS.items() for who in ("quick", "odd")}
    assert all(int(one["end_ns"]) < int(two["begin_ns"]) for one, two in pairwise(blocks)), "one subject at a time"
    users: dict[str, set[int]] = {}
    for tick in rows(run / "trials/01/ticks.csv"):
        plan = plans[tick["slice"]]
        if plan["phase"] == "measure":
            users.setdefault(plan["cell"], set()).add(int(tick["users_active"]))
    assert max(users["r"]) == 8 and len(users["r"]) >= 5, "a ramp goes through its users"
    assert {0, 4} <= users["b"] and {1, 2} <= users["s"]

    ramp = next(row for row in blocks if plans[row["slice"]]["cell"] == "r" and row["subject"] == "odd")
    assert int(ramp["status"]) > 0 and int(ramp["completed"]) > 0
    verdicts = json.loads((run / "verdicts.json").read_text())
    assert {one["shape"] for one in verdicts["decisions"]} == {"ramp", "bursts", "steps"}
    said = {(one["cell"], one["detector"], one["subject"]): one for one in verdicts["detections"]}
    refusing = said["r", "refusal", "odd"]["sentence"]
    assert "odd refuses from 5 users on" in refusing or "odd refuses from 6 users on" in refusing, refusing
    assert "of requests: status" in refusing
    assert "quick answers all requests up to 8 users" in said["r", "refusal", None]["sentence"]
    assert not said["s", "knee", "odd"]["judged"] and "needs 6 levels" in said["s", "knee", "odd"]["sentence"]
    page = (run / "report.html").read_text()
    for words in (
        "Which server when",
        "Operation echoStruct",
        "Test r: Load r",
        "over users",
        "Failures of all kinds",
    ):
        assert words in page, words


def driven(run: Path, number: int) -> set[tuple[str, str]]:
    """What a trial measured: tests, each with a subject."""
    record = json.loads((run / f"trials/{number:02d}/trial.json").read_text())
    assert record["status"] == "complete", record["failure"]
    return {(plan["cell"], plan["subject"]) for plan in record["slices"] if plan["phase"] == "measure"}


@pytest.mark.long  # in short: lab/tests/test_variations.py, and tests/test_resume.py for the stop
def test_variations_put_each_subject_to_its_own_tests_and_go_on_where_they_were_stopped(lab: Lab) -> None:
    work = '{ kind = "fixed-work", users = 2, each = 40, most_seconds = 20 }'
    path = Path(study(lab, "right", shared=work, own=work))
    path.write_text(path.read_text() + '[variations]\nshared = ["quick", "odd"]\nown = ["quick"]\n')
    lab.run("run", str(path), "--variations")
    (run,) = lab.runs()
    both, alone = {("shared", "quick"), ("shared", "odd")}, {("own", "quick")}
    assert (driven(run, 1), driven(run, 2)) == (both, alone)
    measured = {(row["cell"], row["subject"]) for row in rows(run / "results.csv")}
    assert measured == both | alone
    shutil.rmtree(run / "trials/02")
    ran = lab.run("run", "--resume", str(run))
    assert "Traceback" not in ran.err and driven(run, 2) == alone, ran.err
