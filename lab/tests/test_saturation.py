"""The default number of users, and whether a closed load saturated the server's processors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import analyse_run
from steelyard.analyse.saturation import CHECK
from steelyard.catalogue import entries
from steelyard.plan.run_parameters import Request, default_users, merge_parameters
from steelyard.plan.schedule import schedule_only
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run


def test_the_default_is_four_users_per_server_processor_and_at_least_eight() -> None:
    assert [default_users(processors) for processors in (1, 2, 3, 12)] == [8, 8, 12, 48]


def test_a_study_that_names_no_number_has_the_default_and_one_that_does_keeps_its_own() -> None:
    on_twelve = Request(server_processors=12)
    assert {cell.users for cell in schedule_only(entries.study("compare").model, on_twelve).cells} == {48}
    assert merge_parameters(entries.study("wstest").model, on_twelve).users == 8
    asked = Request(server_processors=12, users=3)
    assert {cell.users for cell in schedule_only(entries.study("compare").model, asked).cells} == {3}


def seen(folder: Path, server: list[int], busy: dict[str, float], **planted: Any) -> tuple[dict[str, str], list[str]]:
    """The readings of the check by subject, and the notes of the run, where servers had these processors."""
    environment = {"processors_shared": {"server": server, "engine": [9]}}
    run = write_run(folder / "run", Planted(environment=environment, busy=busy, **planted))
    analysed = analyse_run(read_run(run))
    readings = {finding.subject or "": finding.reading for finding in analysed.findings if finding.check == CHECK}
    return readings, list(analysed.verdicts.notes)


def test_a_closed_load_that_leaves_processors_idle_is_reported(tmp_path: Path) -> None:
    readings, notes = seen(tmp_path, [0, 1, 2, 3], {"tomcat-metro": 3.8, "go": 2.4})
    assert readings == {"tomcat-metro": "86% of 4 busy", "go": "55% of 4 busy"}
    said = [note for note in notes if "processors busy" in note]
    assert said == [
        "go on echoStruct: 8 users kept 55% of its 4 processors busy, so it may answer more with more users (--users)"
    ]


@pytest.mark.parametrize(
    ("server", "planted"), [([0], {}), ([0, 1], {"open_rate": 500.0})], ids=["one processor", "open load"]
)
def test_one_processor_and_open_load_are_not_checked(
    tmp_path: Path, server: list[int], planted: dict[str, float]
) -> None:
    assert seen(tmp_path, server, {"tomcat-metro": 0.5, "go": 0.5}, **planted)[0] == {}
