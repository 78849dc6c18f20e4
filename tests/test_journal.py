"""A service with a database: each process in its role, the database restored in every trial, a row for each request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, lab_in
from steelyard.base.csvfiles import read_table
from steelyard.hosts import cpus

STUDY = """
name = "journal"
title = "A test's own study"
question = "What does a row a request cost?"
service = "wstest"
reference = "without"
operations = ["echoVoid"]
primary = "echoVoid"
forks = 1
pairs = 3
slice_seconds = 0.3
warm_up_limit_seconds = 0.3
corpus_entries = 5

[[subjects]]
label = "without"
parts = [{ server = "tomcat-metro" }]

[[subjects]]
label = "with"
parts = [{ server = "tomcat-metro", factors = { journal = "jdbc" } }]
companions = [{ server = "postgres" }]
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    yield from lab_in(tmp_path_factory.mktemp("journal"))


@pytest.fixture(scope="module")
def trial(lab: Lab) -> Path:
    """A short trial of the service with a journal beside the one without."""
    (lab.folder / "journal.toml").write_text(STUDY)
    ran = lab.run("run", "journal.toml")
    (folder,) = lab.folder.glob("runs/*/trials/01")
    assert json.loads((folder / "trial.json").read_text())["status"] == "complete", ran.err
    return folder


def record(trial: Path) -> Any:
    return json.loads((trial / "trial.json").read_text())


def test_the_journal_holds_a_row_for_each_request_that_the_service_counted(trial: Path) -> None:
    found = record(trial)
    (journal,) = found["reconciled"]
    assert (journal["subject"], journal["name"]) == ("with", "journal")
    (counted,) = [one for one in found["counted"] if one["subject"] == "with"]
    verified = next(one["exchanges_verified"] for one in found["subjects"] if one["label"] == "with")
    assert counted["by_service"] == counted["by_engine"] > 0
    assert int(journal["found"]) == verified + counted["by_service"]


def test_the_database_begins_with_an_empty_journal_on_processors_of_its_own_or_the_engine_s(trial: Path) -> None:
    found, shares = record(trial), cpus.share(companions=True)
    (database, server) = next(one["processes"] for one in found["subjects"] if one["label"] == "with")
    assert (database["role"], database["title"], database["judged"]) == ("database", "PostgreSQL", False)
    assert database["state"] == "journal 0 d41d8cd98f00b204e9800998ecf8427e"  # the MD5 of nothing
    assert (database["processors"], server["processors"]) == (shares.of(None), shares.server)


def test_what_the_database_uses_is_recorded_and_shown_in_its_place(trial: Path) -> None:
    rows = list(read_table(trial / "observations.csv", ("subject", "part", "cpu_ns", "judged")))
    used = {(row.text("subject"), row.text("part")): 0 for row in rows}
    for row in rows:
        used[row.text("subject"), row.text("part")] += row.whole("cpu_ns")
        assert row.whole("judged") == int(row.text("part") == "server")
    assert set(used) == {("without", "server"), ("with", "server"), ("with", "database")}
    assert all(nanoseconds > 0 for nanoseconds in used.values())
    page = (trial.parents[1] / "report.html").read_text()
    assert "<td>with</td><td>database</td><td>PostgreSQL 18.6.0</td>" in page
    assert f"<li>trial 1, with, journal: {record(trial)['reconciled'][0]['found']}</li>" in page


def test_another_implementation_keeps_no_journal_and_says_so(lab: Lab) -> None:
    ran = lab.run("compare", "go", "go@journal=jdbc", "--budget", "10m")
    assert ran.code != 0
    assert "factor journal may be 'jdbc' only for an implementation in java, not in go" in ran.err


def test_a_journal_without_a_database_is_named_before_anything_runs(lab: Lab) -> None:
    ran = lab.run("compare", "tomcat-metro", "tomcat-metro@journal=jdbc", "--budget", "10m")
    assert ran.code != 0
    assert "has no database, which the reconciliation journal of wstest needs" in ran.err
