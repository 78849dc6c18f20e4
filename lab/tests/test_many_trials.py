"""A run of many trials is reported in a time and a memory that grow in proportion to them, and no faster."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from synthetic import Planted, write_run

SOME, MANY = 20, 80
QUARTER, VERY_MANY = 250, 1_000
MOST_GROWTH = 5.5  # of the processor time from QUARTER to VERY_MANY trials
MOST_MB = 1_500


@dataclass(frozen=True)
class Used:
    """The processor time and the peak memory of a command and its children."""

    cpu_seconds: float
    mb: float


def reported(folder: Path, trials: int) -> Used:
    """What a report of a run of so many trials used."""
    run = write_run(folder / f"run-{trials}", Planted(forks=trials, pairs=3))
    environment = {**os.environ, "STEELYARD_STATE": str(folder / "state"), "NO_COLOR": "1"}
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "steelyard", "report", str(run), "--json"],
            env=environment,
            stdout=output,
            stderr=output,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 2), (folder / "output").read_text()[-4000:]
    assert (run / "report.html").stat().st_size > 0
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def test_four_times_the_trials_take_no_more_than_four_times_the_time(tmp_path: Path) -> None:
    few, some, many = (reported(tmp_path, trials) for trials in (2, SOME, MANY))
    own = some.cpu_seconds - few.cpu_seconds, many.cpu_seconds - few.cpu_seconds
    assert own[1] < 1.6 * (MANY - 2) / (SOME - 2) * max(own[0], 0.5), (few, some, many)
    assert many.mb < 1.5 * few.mb, (few, some, many)


@pytest.mark.long
def test_a_thousand_trials_take_no_more_time_and_memory_each_than_a_quarter_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few, quarter, whole = (reported(tmp_path, trials) for trials in (2, QUARTER, VERY_MANY))
    with capsys.disabled():
        for trials, used in ((2, few), (QUARTER, quarter), (VERY_MANY, whole)):
            print(f"\n{trials} trials: {used.cpu_seconds:.1f} s of processor time, {used.mb:.0f} MB at most", end="")
    assert whole.cpu_seconds <= MOST_GROWTH * quarter.cpu_seconds
    assert whole.mb - few.mb <= MOST_GROWTH * max(quarter.mb - few.mb, 10.0) and whole.mb < MOST_MB
