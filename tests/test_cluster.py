"""A comparison on a cluster of two real workers on this machine: one is killed during a trial, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Lab, ours, trial_records

pytest.importorskip("distributed", reason="Dask's distributed is not installed: steelyard[cluster]")

PAIR = [{"label": "a", "server": "odd"}, {"label": "b", "server": "odd"}]
Until = Callable[[Callable[[], bool], float], None]


def worker_that_drives(lab: Lab) -> int | None:
    """The worker above the process that drives a trial with requests answered; None while there is none."""
    driving = [
        line for line in ours(lab.folder) if "steelyard.cluster.one_trial" in line and "steelyard-keeper" not in line
    ]
    for line in driving:
        folder = Path(line.split()[-1])
        if any(path.stat().st_size > 800 for path in folder.glob("trials/*/slices.csv")):
            return above(int(line.split()[0]))
    return None


def above(pid: int) -> int | None:
    """The nearest ancestor that Dask started."""
    while pid > 1:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return None
        if b"spawn_main" in words:
            return pid
        pid = parent
    return None


@pytest.mark.long
def test_a_worker_that_is_killed_gives_its_trial_to_the_other_and_nothing_runs_on(lab: Lab, until: Until) -> None:
    process = lab.start("run", lab.study(PAIR, forks=3, pairs=3), "--cluster", "local:2", "--json")
    victims: list[int] = []

    def one_drives() -> bool:
        assert process.poll() is None, process.communicate()
        victim = worker_that_drives(lab)
        return victim is not None and not victims.append(victim)

    until(one_drives, 900)
    os.kill(victims[0], signal.SIGKILL)
    out, err = process.communicate(timeout=1200)
    verdict = json.loads(out)
    assert (verdict["status"], verdict["missing"]) == ("complete", []), err
    kinds = {incident["kind"] for incident in verdict["incidents"]}
    assert "lost" in kinds and kinds <= {"lost", "busy"}, err  # what drove it may hold the machine for a moment after
    (run,) = lab.runs()
    records = trial_records(run / "machines" / "machine-1")
    assert sorted(record["number"] for record in records) == [1, 2, 3]
    spans = sorted((record["begun"], record["ended"]) for record in records)
    assert all(ended <= begun for (_, ended), (begun, _) in pairwise(spans)), spans
    assert "is complete" in lab.run("run", "--resume", str(run), "--cluster", "local:2").err
