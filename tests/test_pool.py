"""A service that calls others on its own server: once all workers wait for a worker it hangs, and the run reports that."""

from __future__ import annotations

import json

import pytest
from conftest import Lab

STUDY = """
name = "pool"
title = "A pool that waits for itself"
question = "What becomes of a server whose workers all call it?"
service = "soaservers"
reference = "three"
operations = ["pair"]
primary = "pair"
forks = 1
pairs = 3
slice_seconds = 0.5
warm_up_limit_seconds = 2
corpus_entries = 5

[parameters.Users]
default = 24
sets = "users"
meaning = "concurrent users"

[parameters.Drain]
default = 2
sets = "drain_seconds"
meaning = "how long answers in flight are waited for"

[sets.small]
threads = "16"

[[subjects]]
label = "three"
parts = [{ server = "tomcat-metro" }]
"""


@pytest.mark.long  # in short: lab/tests/test_death.py, on a stored thread dump
def test_a_server_whose_workers_all_wait_for_its_own_answers_is_named_as_waiting_for_itself(lab: Lab) -> None:
    study = lab.folder / "pool.toml"
    study.write_text(STUDY)
    ran = lab.run("run", str(study), "--with", "small")
    assert ran.code == 1, ran.out
    run = lab.runs()[0]
    record = json.loads((run / "trials" / "01" / "trial.json").read_text())
    assert record["subjects"][0]["factors"]["threads"] == "16"
    failure = record["failure"]
    assert (failure["kind"], failure["subject"]) == ("self-deadlock", "three@small")
    assert failure["message"].startswith("three@small deadlocked itself at 24 users on pair")
    assert "all 16 threads that serve requests wait, and all calls lead to its own port" in failure["message"]
    dump = (run / "trials" / "01" / "three@small.server.threads.txt").read_text()
    assert "sun.net.www.protocol.http.HttpURLConnection.getInputStream" in dump
    page = (run / "report.html").read_text()
    assert "<b>three@small</b> deadlocked itself at 24 users on pair" in page
    assert "all calls lead to its own port" in page
