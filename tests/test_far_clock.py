"""Servers' time records on a host with another clock: a real sshd whose steady clock is set apart from this machine's."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import HOUSE, Lab
from far_hosts import Far, far_host, missing
from steelyard.results.collector_log import read_collector_logs
from steelyard.results.layer_table import read_layers
from steelyard.results.tables import FAILURE_KINDS, read_slices
from test_faults import FREEZE, FULL, HEAD, SUBJECT, USERS

ROOT = Path(__file__).parent.parent
AHEAD_SECONDS = 1000
SET_APART = ("unshare", "--mount", "--time", "--monotonic", str(AHEAD_SECONDS), "--fork", "--kill-child")
SECOND_NS = 10**9
TALLIES = f"""{HEAD}
[[spans]]
name = "moment"
begin = "accepted"
end = "accepted"
meaning = "an event and itself"
{FREEZE}{FULL}
{SUBJECT.format(keeps="file")}"""
LAYERED = """
name = "in-layers"
title = "A test's own study of layers"
question = "Where does the time go?"
service = "layered"
subjects = [
  { label = "a", parts = [{ server = "layered" }] },
  { label = "b", parts = [{ server = "layered" }] },
]
reference = "b"
operations = ["echo"]
primary = "echo"
forks = 1
pairs = 3
slice_seconds = 0.5
turn_ms = 0
warm_up_limit_seconds = 1
corpus_entries = 20
observe = ["layers", "collector"]
"""


def unset() -> str:
    """What this machine lacks; empty where that is nothing."""
    if lacking := missing():
        return lacking
    tried = subprocess.run([*SET_APART, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "setting a clock apart takes a kernel that has time namespaces"


pytestmark = pytest.mark.skipif(unset() != "", reason=unset())


@pytest.fixture
def far(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Far]:
    yield from far_host(lab, tmp_path_factory.mktemp("far"), within=SET_APART)


def spread(trial: Path) -> tuple[int, int]:
    """When the load of a trial began and ended, with a minute before and after, by this machine's clock."""
    rows = read_slices(trial / "slices.csv", False).values()
    return min(row.begin_ns for row in rows) - 60 * SECOND_NS, max(row.end_ns for row in rows) + 60 * SECOND_NS


def test_what_was_accepted_since_a_fault_is_told_by_the_clock_that_it_was_noted_by(far: Far) -> None:
    (far.lab.folder / "kept.toml").write_text(TALLIES)
    ran = far.run("kept.toml")
    assert ran.code == 0, ran.err
    [trial], [record] = far.trials(), far.records()
    with (trial / "slices.csv").open(newline="") as file:
        rows = {int(row["slice"]): row for row in csv.DictReader(file)}
    for met in record["faults"]:
        assert met["settled"] and met["back"] and met["counts"]["lost"] == met["counts"]["doubled"] == 0, met
    (frozen,) = [met for met in record["faults"] if met["fault"] == "freeze"]
    answered = sum(int(rows[frozen["slice"]][name]) for name in ("completed", "lead_in_completed"))
    assert answered <= frozen["counts"]["accepted"] <= answered + 2 * USERS, (
        "those of earlier slices are not among them"
    )
    (full,) = [met for met in record["faults"] if met["fault"] == "full"]
    assert sum(int(rows[full["slice"]][kind]) for kind in FAILURE_KINDS) > 0, "nothing could be kept, and that was said"
    begin, end = spread(trial)
    with (trial / "file.server.events.csv").open(newline="") as file:
        noted = [int(row["time_ns"]) for row in csv.DictReader(file)]
    assert noted and begin < min(noted) <= max(noted) < end
    with (trial / "spans.csv").open(newline="") as file:
        spans = list(csv.DictReader(file))
    assert len(spans) >= frozen["counts"]["accepted"] - 2 * USERS > 0
    assert all(row["begin_ns"] == row["end_ns"] for row in spans)


def with_layers(lab: Lab) -> Lab:
    """A lab whose own house has the server in layers, with all that its folder otherwise finds in the repository."""
    own = lab.folder / "house"
    for folder in ("servers/layered", "services/layered"):
        shutil.copytree(HOUSE / folder, own / folder)
    server = own / "servers" / "layered"
    shutil.copytree(ROOT / "monitor/src/main/java/steelyard/monitor", server / "monitor")
    shutil.copy(ROOT / "servers/common/jvm.sh", server / "jvm.sh")
    for name, there, here in (
        ("prepare.sh", "../../../../monitor/src/main/java/steelyard/monitor/", "monitor/"),
        ("start.sh", "../../../../servers/common/jvm.sh", "./jvm.sh"),
    ):
        text = (server / name).read_text()
        assert there in text
        (server / name).write_text(text.replace(there, here))
    return replace(lab, environment={**lab.environment, "STEELYARD_PATH": str(own)})


def test_layers_and_collectors_are_laid_over_slices_by_this_machines_clock(far: Far) -> None:
    away = replace(far, lab=with_layers(far.lab))
    (away.lab.folder / "in-layers.toml").write_text(LAYERED)
    before = time.monotonic_ns()
    ran = away.run("in-layers.toml", "--users", str(USERS), "--json")
    assert "Traceback" not in ran.err and ran.code in (0, 2), ran.err
    [trial], [record] = away.trials(), away.records()
    assert record["status"] == "complete", ran.err
    completed = {one["subject"]: one["by_engine"] for one in record["counted"]}
    for one in record["recorded"]:
        assert one["records"] >= completed[one["subject"]] > 0 and one["whole"] and not one["lost"], one
    rows = read_slices(trial / "slices.csv", False)
    layers = read_layers(trial / "layers.csv", False)
    for number, row in rows.items():
        recorded = int(np.count_nonzero(layers[number].measured))
        assert row.phase != "measure" or abs(recorded - row.completed) <= 2 * USERS, (number, recorded, row.completed)
    logs = read_collector_logs(trial)
    assert set(logs) == {"a.server", "b.server"}
    for name in logs:
        text = (trial / f"{name}.gc.log").read_text()
        first = int(text[1 : text.index("ns]")])
        assert before < first < time.monotonic_ns(), "a clock that is set apart would say so"
    assert not (trial / "records").exists()
    clock = record["clocks"][0]
    assert abs(clock["before"]["ahead_ms"]) < AHEAD_SECONDS, (
        "the time of day is this machine's, its steady clock is not"
    )
    assert json.loads((trial / "job.json").read_text())["targets"]
