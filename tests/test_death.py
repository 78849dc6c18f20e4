"""Failures in service, on real servers: out of memory, a deadlock, a kill. Each is named, and the run continues."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import Lab, ours, trial_records

STUDY = """
name = "death"
title = "Who dies of what"
question = "What becomes of a server that dies?"
service = "wstest"
reference = "a"
operations = ["{operation}"]
primary = "{operation}"
forks = {forks}
pairs = 3
slice_seconds = 0.4
warm_up_limit_seconds = 1.2
corpus_entries = 3

[parameters.Users]
default = {users}
sets = "users"
meaning = "concurrent users"

[parameters.NumBytes]
default = {bytes}
sets = "service.NumBytes"
meaning = "size of the byte array of echoSynthetic"

[parameters.Drain]
default = 5
sets = "drain_seconds"
meaning = "how long answers in flight are waited for"

[[subjects]]
label = "a"
parts = [{{ server = "go" }}]

[[subjects]]
label = "b"
parts = [{{ server = "{server}", factors = {{ {factors} }} }}]
"""


def study(lab: Lab, server: str, factors: str = "", **wishes: Any) -> str:
    settings = {"operation": "echoStruct", "forks": 1, "users": 8, "bytes": 1024} | wishes
    path = lab.folder / "death.toml"
    path.write_text(STUDY.format(server=server, factors=factors, **settings))
    return str(path)


def test_a_jvm_that_runs_out_of_memory_is_named_with_the_load_that_it_could_not_bear(lab: Lab) -> None:
    ran = lab.run(
        "run", study(lab, "tomcat-metro", 'heap = "48m"', operation="echoSynthetic", users=16, bytes=2_000_000)
    )
    assert ran.code == 1, ran.err
    run = lab.runs()[0]
    failures = [record["failure"] for record in trial_records(run)]
    assert [(one["kind"], one["subject"]) for one in failures] == [("out-of-memory", "b")]
    assert all("java.lang.OutOfMemoryError" in one["message"] for one in failures)
    assert all("exit code 3" in one["message"] for one in failures)
    place = failures[0]["place"]
    assert (place["users"], place["cell"]) == (16, "echoSynthetic")
    assert place["request_bytes"] > 2_000_000
    page = (run / "report.html").read_text()
    assert "<b>b</b> ran out of memory at 16 users on echoSynthetic, requests of 2." in page
    assert "trial 1</a>" in page


def test_a_jvm_whose_threads_deadlock_is_named_with_its_thread_dump(lab: Lab) -> None:
    ran = lab.run("run", study(lab, "deadlock"))
    assert ran.code == 1, ran.err
    run = lab.runs()[0]
    failures = [record["failure"] for record in trial_records(run)]
    assert [(one["kind"], one["subject"]) for one in failures] == [("deadlock", "b")]
    assert "b deadlocked at 8 users on echoStruct" in ran.err
    dump = (run / "trials" / "01" / "b.server.threads.txt").read_text()
    assert "Found one Java-level deadlock" in dump
    assert "Crossing.doFilter" in dump
    assert "<b>b</b> deadlocked at 8 users on echoStruct" in (run / "report.html").read_text()


def test_a_server_killed_in_mid_slice_is_named_and_its_trial_is_made_up_for(
    lab: Lab, until: Callable[[Callable[[], bool], float], None]
) -> None:
    process = lab.start("run", study(lab, "go", 'gogc = "100"', forks=2))
    until(lambda: measuring(lab), 300)
    victim = at_work(lab, until)
    os.kill(victim, signal.SIGKILL)
    out, err = process.communicate(timeout=1200)
    assert process.returncode == 1, err
    assert "signal 9 (SIGKILL)" in err
    run = lab.runs()[0]
    found = trial_records(run)
    assert [record["status"] for record in found] == ["failed", *["complete"] * 2]
    planned = json.loads((run / "schedule.json").read_text())["trials"]
    assert [plan["makes_up"] for plan in planned] == [None, None, 1]
    failure = found[0]["failure"]
    assert failure["kind"] == "killed"
    assert failure["place"]["phase"] == "measure"
    said = json.loads((run / "verdicts.json").read_text())
    assert said["comparisons"][0]["forks"] == 2
    page = (run / "report.html").read_text()
    assert f"<b>{failure['subject']}</b> was killed at 8 users on echoStruct" in page
    assert "trial 1</a>" in page
    assert out and "Traceback" not in err


def measuring(lab: Lab) -> bool:
    """Whether the first trial is at its measured slices."""
    rows = [line for path in lab.folder.glob("runs/*/trials/01/slices.csv") for line in path.read_text().splitlines()]
    return any(",measure," in row for row in rows)


def at_work(lab: Lab, until: Callable[[Callable[[], bool], float], None]) -> int:
    """The process of the server that is under load now."""
    servers = [int(line.split()[0]) for line in ours(lab.folder) if " -port " in line and "keeper" not in line]
    busy: list[int] = []

    def look() -> bool:
        before = {pid: ticks(pid) for pid in servers}
        time.sleep(0.05)
        busy[:] = [pid for pid in servers if ticks(pid) - before[pid] >= 2]
        return len(busy) == 1

    until(look, 60)
    return busy[0]


def ticks(pid: int) -> int:
    """Clock ticks that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
