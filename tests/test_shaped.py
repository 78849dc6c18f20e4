"""Tests with a shape on real servers: blocks are unbroken, overload is counted and named, and the report says what it saw."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

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
warm_up_limit_seconds = 2
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
RAMP = '{ kind = "ramp", from_users = 1, to_users = 8, seconds = 8 }'
BURSTS = '{ kind = "bursts", users = 4, idle_seconds = 1, on_seconds = 2, off_seconds = 1, seconds = 7 }'
STEPS = '{ kind = "steps", levels = [1, 2, 4], hold_seconds = 2 }'


def study(lab: Lab, mode: str, **profiles: str) -> str:
    path = lab.folder / "bent.toml"
    tests = "".join(TEST.format(name=name, profile=profile) for name, profile in profiles.items())
    path.write_text(STUDY.format(mode=mode) + tests)
    return str(path)


def rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


def test_blocks_are_unbroken_others_wait_and_the_report_says_what_was_seen(lab: Lab) -> None:
    ran = lab.run("run", study(lab, "right", r=RAMP, b=BURSTS, s=STEPS))
    assert "Traceback" not in ran.err
    (run,) = lab.runs()
    blocks = [row for row in rows(run / "trials/01/slices.csv") if row["phase"] == "measure"]
    assert sorted((row["subject"], round((int(row["end_ns"]) - int(row["begin_ns"])) / 1e9)) for row in blocks) == [
        ("odd", 6), ("odd", 7), ("odd", 8), ("quick", 6), ("quick", 7), ("quick", 8),
    ]  # fmt: skip
    assert all(int(one["end_ns"]) < int(two["begin_ns"]) for one, two in pairwise(blocks)), "one subject at a time"
    users = {row["slice"]: set[int]() for row in blocks}
    for tick in rows(run / "trials/01/ticks.csv"):
        users.get(tick["slice"], set()).add(int(tick["users_active"]))
    by_length = {round((int(row["end_ns"]) - int(row["begin_ns"])) / 1e9): users[row["slice"]] for row in blocks}
    assert max(by_length[8]) == 8 and len(by_length[8]) >= 6, "a ramp goes through its users"
    assert {0, 4} <= by_length[7] and {1, 2, 4} <= by_length[6]
    used = {row["slice"]: int(row["cpu_ns"]) for row in rows(run / "trials/01/observations.csv")}
    assert all(used[row["slice"]] > 0 for row in blocks)

    verdicts = json.loads((run / "verdicts.json").read_text())
    assert {one["shape"] for one in verdicts["decisions"]} == {"ramp", "bursts", "steps"}
    said = {(one["cell"], one["detector"], one["subject"]): one for one in verdicts["detections"]}
    assert "up to 8 users" in said["r", "refusal", "odd"]["sentence"]
    assert not said["s", "knee", "odd"]["judged"] and "needs 6 levels" in said["s", "knee", "odd"]["sentence"]
    page = (run / "report.html").read_text()
    for words in ("Which server when", "Environment echoStruct", "Test r: Load r", "over users", "Not judged"):
        assert words in page, words


def test_a_server_that_turns_users_away_is_counted_and_named_by_users_and_ends_nothing(lab: Lab) -> None:
    ran = lab.run("run", study(lab, "full", r=RAMP))
    assert "Traceback" not in ran.err
    (run,) = lab.runs()
    record = json.loads((run / "trials/01/trial.json").read_text())
    assert record["status"] == "complete", record["failure"]
    (block,) = [r for r in rows(run / "trials/01/slices.csv") if (r["phase"], r["subject"]) == ("measure", "odd")]
    assert int(block["status"]) > 0 and int(block["completed"]) > 0
    verdicts = json.loads((run / "verdicts.json").read_text())
    sentence = next(
        one["sentence"] for one in verdicts["detections"] if (one["detector"], one["subject"]) == ("refusal", "odd")
    )
    assert "odd refuses from 5 users on" in sentence or "odd refuses from 6 users on" in sentence, sentence
    assert "status" in sentence
    assert "odd" in verdicts["decisions"][0]["tests"][0]["failed"]
    assert "Failures of all kinds" in (run / "report.html").read_text()
