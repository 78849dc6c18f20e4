"""A foreign busy loop on the servers' processor during a run: it is named, and the verdict is unchanged or missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Lab
from steelyard.hosts import cpus

pytestmark = [pytest.mark.alone, pytest.mark.long]

PERIOD_SECONDS = 24.0
LOOP = "while True: pass"


class Loop:
    """A stranger that spins on the servers' processor in a share of the time; its parent has ended."""

    def __init__(self, busy_share: float) -> None:
        processor = cpus.share().server[0]
        words = f"taskset -c {processor} {sys.executable} -c '{LOOP}' >/dev/null 2>&1 & echo $!"
        started = subprocess.run(["sh", "-c", words], stdout=subprocess.PIPE, text=True, check=True)
        self._pid = int(started.stdout)
        self._busy = busy_share * PERIOD_SECONDS
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._turn, daemon=True)
        self._thread.start()

    def _turn(self) -> None:
        while not self._ended.is_set():
            os.kill(self._pid, signal.SIGCONT)
            self._ended.wait(self._busy)
            os.kill(self._pid, signal.SIGSTOP)
            self._ended.wait(PERIOD_SECONDS - self._busy)

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        os.kill(self._pid, signal.SIGKILL)


@pytest.fixture
def in_a_third_of_the_time() -> Iterator[None]:
    loop = Loop(1 / 3)
    yield
    loop.end()


@pytest.fixture
def always() -> Iterator[None]:
    loop = Loop(1)
    yield
    loop.end()


def slower_study(lab: Lab, **wishes: object) -> str:
    """Of `b` each request costs 100 us more processor time than of `a`."""
    subjects = [{"label": "a", "server": "go"}, {"label": "b", "server": "go", "busy": "100"}]
    return lab.study(subjects, forks=4, pairs=6, slice_seconds=1.5, warm_up=8, **wishes)


def voided(folder: Path) -> int:
    verdicts = json.loads((folder / "verdicts.json").read_text())
    (primary,) = [compared for compared in verdicts["comparisons"] if compared["primary"]]
    return int(primary["voided"].get("others at work", 0))


@pytest.mark.usefixtures("in_a_third_of_the_time")
def test_a_busy_loop_in_a_third_of_the_slices_is_named_and_changes_no_verdict(lab: Lab) -> None:
    ran = lab.run("run", slower_study(lab), "--users", "8", "--json")
    (folder,) = lab.runs()
    assert voided(folder) > 0
    said = ran.json()
    (primary,) = [compared for compared in said["comparisons"] if compared["primary"]]
    if said["valid"]:
        assert primary["verdict"] in ("slower", "undecided", "too few forks"), primary
        assert any("other programs ran during" in note and "python" in note for note in said["notes"]), said["notes"]
    else:
        assert ran.code == 2 and "this machine is busy: " in ran.err, ran.err


@pytest.mark.usefixtures("always")
def test_a_busy_loop_all_the_time_ends_the_run_with_its_name(lab: Lab) -> None:
    begun = time.monotonic()
    ran = lab.run("run", slower_study(lab), "--users", "8", "--json")
    assert ran.code == 2, ran.err
    assert "there is no verdict: this machine is busy: " in ran.err and "python" in ran.err, ran.err
    assert "the run ends here" in ran.err
    trials = list((lab.runs()[0] / "trials").iterdir())
    assert len(trials) == 2, f"{len(trials)} trials in {time.monotonic() - begun:.0f} s"


def test_on_a_quiet_machine_the_subjects_own_work_voids_nothing(lab: Lab) -> None:
    ran = lab.run_undisturbed("run", slower_study(lab), "--users", "8", "--json")
    assert ran.code == 0, ran.err
    (primary,) = [compared for compared in ran.json()["comparisons"] if compared["primary"]]
    assert primary["verdict"] == "slower"
    rows = [row for path in lab.runs()[-1].glob("trials/*/foreign.csv") for row in path.read_text().splitlines()[1:]]
    assert len(rows) >= 4 * 6
