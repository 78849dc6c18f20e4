"""A grid: a cell for each combination of operation, users and payload, judged together or by one of them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from steelyard.analyse.analysis import examined
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.exchange import corpus
from steelyard.models.records import Schedule
from steelyard.models.study import Grid, Study
from steelyard.plan.kinds import warmed
from steelyard.plan.schedule import schedule_only
from steelyard.plan.settings import Request
from steelyard.report.charts.heat_map import heat_map
from steelyard.statistics.verdict_words import Word
from steelyard.store.stored_run import read_run
from synthetic import Planted, write_run

SIZES = entries.study("wstest-sizes").model


def planned(study: Study = SIZES, **wishes: Any) -> Schedule:
    return schedule_only(study, Request(**wishes))


def with_grid(**changes: Any) -> Study:
    return SIZES.model_copy(update={"grid": [SIZES.grid[0].model_copy(update=changes)]})


def test_each_combination_is_a_cell_that_says_what_it_asks() -> None:
    cells = planned().cells
    assert [(cell.users, cell.payload["ListSize"]) for cell in cells] == [
        (1, 1), (8, 1), (1, 20), (8, 20), (1, 200), (8, 200),
    ]  # fmt: skip
    assert cells[3].name == "echoList ListSize=20 users=8"
    assert cells[3].asked == {"echoList@ListSize=20": 1.0}
    assert cells[3].operation == "echoList"


def test_all_are_judged_as_one_family_unless_one_is_named() -> None:
    assert {(cell.primary, cell.family) for cell in planned().cells} == {(True, "grid 1")}
    one = planned(with_grid(judged={"users": 8, "ListSize": 20}))
    assert [cell.name for cell in one.cells if cell.primary] == ["echoList ListSize=20 users=8"]
    assert {cell.family for cell in one.cells} == {""}


def test_a_judged_cell_that_is_not_in_the_grid_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no cell of the grid is judged"):
        planned(with_grid(judged={"users": 9}))


def test_a_payload_that_the_service_does_not_know_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match=r"payload 'ListSise'.*did you mean 'ListSize'"):
        planned(with_grid(payload={"ListSise": [1]}))


def test_users_of_the_command_line_take_the_place_of_the_grids() -> None:
    assert {cell.users for cell in planned(users=3).cells} == {3}


def test_only_the_heaviest_cell_of_an_operation_is_warmed_up_in() -> None:
    assert [cell.name for cell in warmed(planned().cells)] == ["echoList ListSize=200 users=8"]


def test_a_study_has_tests_or_a_grid() -> None:
    tests = entries.study("soaservers").model.tests[:1]
    with pytest.raises(ValidationError, match="tests or a grid, not both"):
        Study.model_validate(
            SIZES.model_dump() | {"operations": [tests[0].operation, "echoList"], "tests": [tests[0].model_dump()]}
        )


def test_a_grid_names_operations_of_the_study() -> None:
    with pytest.raises(ValidationError, match="the grid names 'echoVoid'"):
        Study.model_validate(SIZES.model_dump() | {"grid": [Grid(operations=["echoVoid"]).model_dump()]})


def test_the_corpus_has_requests_of_every_size_under_their_own_names(tmp_path: Path) -> None:
    wanted = corpus.requests_of(planned().cells, {"ListSize": 20, "NumBytes": 10}, {})
    made = corpus.make(entries.service("wstest"), tmp_path / "corpus", wanted, seed=1, count=3)
    sizes: dict[str, list[int]] = {}
    with (made.folder / "corpus.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sizes.setdefault(row["operation"], []).append(int(row["length"]))
    assert {name: len(lengths) for name, lengths in sizes.items()} == {
        "echoList@ListSize=1": 3, "echoList@ListSize=20": 3, "echoList@ListSize=200": 3,
    }  # fmt: skip
    assert max(sizes["echoList@ListSize=1"]) < min(sizes["echoList@ListSize=20"]) < min(sizes["echoList@ListSize=200"])


def test_every_word_of_a_verdict_can_stand_in_the_heat_map(tmp_path: Path) -> None:
    """Those that decide nothing had a map of their own words, and a new one ended the report."""
    run = read_run(write_run(tmp_path / "run", Planted(rates={"go": 1000.0, "tomcat-metro": 900.0})))
    judgement = next(one for one in examined(run).judgements if one.compared.primary)
    shown = heat_map("grid", "echoStruct", [replace(judgement, word=word) for word in Word])
    assert shown is not None
    words = [word for *_, word in shown.rows]
    assert words == ["faster", "slower", "equal", "undecided", "unconfirmed", "too few forks"]
