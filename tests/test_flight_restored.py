"""Before each test of flight the database is restored to the trial's start, for every product; the service keeps running."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from conftest import Lab
from steelyard.base.errors import ToolchainError
from steelyard.catalogue import entries
from steelyard.hosts import toolchain

pytestmark = pytest.mark.long

TESTS = ("users-2", "users-4")


@pytest.fixture(params=["postgres", "mariadb"])
def told(request: pytest.FixtureRequest, lab: Lab) -> Any:
    """What a run of two tests says, of the domain without a root: reservations of one collide with those of no other flight."""
    server = entries.server(request.param)
    try:
        toolchain.require(server.model.needs, server.name)
    except ToolchainError as error:
        pytest.skip(f"{error.message}: {error.hint}")
    subject = f"tomcat-metro@database={request.param}@domain=plain"
    short = ("--forks", "1", "--warm-up", "2", "--slice-seconds", "1", "--scale", "0.1")
    ran = lab.run("run", "flight", "--tests", ",".join(TESTS), "--only", subject, *short, "--json")
    assert "Traceback" not in ran.err
    told = ran.json()
    assert not told["failures"], told["failures"]
    return told


def test_each_test_finds_the_database_as_the_trial_did(told: Any, lab: Lab) -> None:
    (folder,) = lab.runs()
    record = json.loads((folder / "trials/01/trial.json").read_text())
    database = record["subjects"][0]["processes"][0]
    assert database["role"] == "database"
    states = [one["state"] for one in record["restored"]]
    assert len(states) == len(TESTS) and set(states) == {database["state"]}
    assert re.search(r"^flight_instance\s2820\s\w+$", database["state"], re.M), database["state"]
    assert re.search(r"^reservation\s0\s", database["state"], re.M), database["state"]
    assert all(count["records"] == count["completed"] > 0 and count["whole"] for count in told["recorded"])
    reservations = [one for one in told["layers_by_kind"] if one["kind"] == "reservations"]
    assert any(one["layer"] == "hibernate_writes" and one["ms"] > 0 for one in reservations), (
        "there was something to restore"
    )
