"""The flight service on the other stack, behind a link to the other database, with a log: its layers, and sixteen users."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from conftest import Lab

SUBJECT = "tomcat-cxf@database=postgres@link=100@log_level=info"
USERS, EACH = 16, 2  # of the test users-16, at the scale below


@pytest.fixture(scope="module")
def told(shared_lab: Lab) -> Any:
    """What a run of sixteen users says, on CXF and PostgreSQL, with the domain root that all change."""
    short = ("--forks", "1", "--warm-up", "2", "--slice-seconds", "1", "--scale", "0.04")
    ran = shared_lab.run("run", "flight", "--tests", "users-16", "--only", SUBJECT, *short, "--json")
    assert "Traceback" not in ran.err
    told = ran.json()
    assert not told["failures"], told["failures"]
    return told


def test_six_layers_are_recorded_of_every_request(told: Any) -> None:
    layers = {layer["layer"]: layer for layer in told["layers"]}
    assert len(layers) == 6 and sum(layer["percent"] for layer in layers.values()) == pytest.approx(100, abs=0.1)
    (count,) = told["recorded"]
    assert count["records"] == count["completed"] > 0 and count["whole"]
    assert count["lost"] == count["more"] == count["violations"] == count["unnested"] == 0


def test_errors_of_stale_objects_stand_apart_from_the_errors_of_input_and_end_no_session(told: Any) -> None:
    figures = {figure["measure"]: figure["value"] for figure in told["figures"]}
    assert figures["errors"] > 0, "sixteen users change one root at once"
    assert 0 < figures["exceptions"] < 30
    kinds = {layer["kind"] for layer in told["layers_by_kind"]}
    assert {"searches", "reservations", "faults", "errors"} <= kinds
    (count,) = told["recorded"]
    assert count["completed"] > 2 * USERS * EACH - USERS, (
        "a session has a search and, but for one in a hundred, a reservation"
    )


def test_the_log_of_the_application_is_counted_in_bytes(told: Any) -> None:
    (size,) = [figure["value"] for figure in told["figures"] if figure["measure"] == "log_size"]
    (count,) = told["recorded"]
    assert 50 < size / count["completed"] < 5000, "at the level info a line a request, and more where one failed"


@pytest.mark.usefixtures("told")
def test_postgresql_began_with_the_flights_of_the_paper_behind_a_link(shared_lab: Lab) -> None:
    (folder,) = shared_lab.runs()
    record = json.loads((folder / "trials/01/trial.json").read_text())
    database, link, _ = record["subjects"][0]["processes"]
    assert (database["role"], database["server"]) == ("database", "postgres")
    assert (link["role"], link["server"], link["judged"]) == ("link", "toxiproxy", False)
    assert re.search(r"^flight_instance 2820 [0-9a-f]+$", database["state"], re.M), database["state"]
