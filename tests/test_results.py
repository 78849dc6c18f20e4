"""The runs kept in docs/results say what they said: their reports are rebuilt from their stored files, to the byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import Lab

RESULTS = Path(__file__).parent.parent / "docs" / "results"
RUNS = sorted(path.parent.name for path in RESULTS.glob("*/schedule.json"))


@pytest.mark.parametrize("name", RUNS)
def test_a_kept_run_is_rebuilt_to_the_byte(lab: Lab, name: str) -> None:
    run = lab.folder / name
    shutil.copytree(RESULTS / name, run)
    made = ("results.csv", "verdicts.json", "report.html")
    before = {file: (run / file).read_bytes() for file in made}
    for file in made:
        (run / file).unlink()
    assert lab.run("report", str(run)).code == 0
    assert [file for file in made if (run / file).read_bytes() != before[file]] == []


def test_there_is_a_kept_run() -> None:
    assert "demo" in RUNS
