"""The SOA thesis's tests as data: the engine can run each, and they agree with the thesis's tables and the service."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from pydantic import TypeAdapter
from steelyard.base import paths
from steelyard.catalogue import entries
from steelyard.catalogue.published_tables import PublishedRow, read_published
from steelyard.models.job import BigBang, Bursts, Profile, Ramp, Steps
from steelyard.statistics.knee import LEAST_HELD_SECONDS, LEAST_LEVELS

FOLDER = paths.root() / "papers" / "soaservers"
STUDY = tomllib.loads((FOLDER / "soaservers.toml").read_text())
TESTS: dict[str, dict[str, Any]] = {test["name"]: test for test in STUDY["tests"]}
ROWS = {row.test: row for row in read_published(FOLDER / "published.csv")}
ENVIRONMENT = {"single": "1", "large": "1", "pair": "2", "mesh": "3"}


def profile(name: str) -> Profile:
    return TypeAdapter[Profile](Profile).validate_python(TESTS[name]["profile"])


@pytest.mark.parametrize("name", TESTS)
def test_every_profile_is_one_that_the_engine_knows(name: str) -> None:
    assert profile(name).kind == TESTS[name]["profile"]["kind"]


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_published_row_has_its_test_with_its_users_and_environment(row: PublishedRow) -> None:
    found = profile(row.test)
    assert ENVIRONMENT[TESTS[row.test]["operation"]] == row.environment
    match found:
        case Ramp():
            assert (found.from_users, found.to_users) == (row.users_from, row.users_to)
        case BigBang() | Bursts():
            assert found.users == row.users_from == row.users_to
        case _:
            pytest.fail(f"the thesis has no profile of kind {found.kind}")


@pytest.mark.parametrize("name", TESTS)
def test_requests_are_as_large_as_the_service_makes_them(name: str) -> None:
    parameters = entries.service(STUDY["service"]).model.parameters
    operation = TESTS[name]["operation"]
    assert parameters[f"{operation.capitalize()}Bytes"].default == TESTS[name]["bytes"]


@pytest.mark.parametrize("name", [name for name in TESTS if "overview" in TESTS[name]])
def test_the_overview_differs_in_each_value_that_it_names(name: str) -> None:
    said = TESTS[name] | TESTS[name]["profile"]
    assert all(said[key] != value for key, value in TESTS[name]["overview"].items())


def test_the_tests_whose_overview_differs_are_the_seven_of_the_thesis() -> None:
    assert [name for name in TESTS if "overview" in TESTS[name]] == ["5", "6", "8", "9", "10", "12", "13"]


@pytest.mark.parametrize("name", [name for name in TESTS if name.startswith("stress")])
def test_stress_steps_are_held_long_enough_for_a_knee(name: str) -> None:
    found = profile(name)
    assert isinstance(found, Steps)
    assert len(found.levels) >= LEAST_LEVELS and found.hold_seconds >= LEAST_HELD_SECONDS


def test_every_servers_name_of_the_study_is_in_the_hall() -> None:
    assert set(STUDY["subjects"]) <= set(entries.server_files()) and STUDY["reference"] in STUDY["subjects"]
