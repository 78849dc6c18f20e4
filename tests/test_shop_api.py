"""The shop's API on PostgreSQL: what a trial answers and counts agrees with the database, and planted mistakes are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, lab_in

STUDY = """
name = "orders"
title = "A test's own study of the shop"
question = "Are all orders kept?"
service = "shop-api"
reference = "shop"
operations = ["{operation}"]
primary = "{operation}"
forks = 1
pairs = 3
slice_seconds = 0.5
warm_up_limit_seconds = 1
corpus_entries = 200

[[subjects]]
label = "shop"
parts = [{{ server = "go", factors = {{ items = "1000"{factors} }} }}]
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Any:
    yield from lab_in(tmp_path_factory.mktemp("shop"))


def trial_of(lab: Lab, name: str, operation: str = "placeOrder", **factors: str) -> Any:
    """The record of one trial of an operation, and of that alone."""
    study = lab.folder / f"{name}.toml"
    given = "".join(f', {factor} = "{value}"' for factor, value in factors.items())
    study.write_text(STUDY.format(operation=operation, factors=given))
    ran = lab.run("run", study.name)
    folders = list(lab.folder.glob(f"runs/{name}*/trials/01"))
    assert len(folders) == 1, ran.err
    (folder,) = folders
    return json.loads(Path(folder / "trial.json").read_text())


def test_every_accepted_order_is_in_the_database_with_its_stock(lab: Lab) -> None:
    record = trial_of(lab, "checked")
    assert record["status"] == "complete", record
    found = {each["name"]: each["found"] for each in record["reconciled"]}
    assert found == {
        "answers": "every answer is the database's",
        "orders": "none lost, none doubled, stock as ordered",
    }
    (counted,) = record["counted"]
    assert counted["by_service"] == counted["by_engine"] > 0


def test_a_lost_update_makes_a_trial_void(lab: Lab) -> None:
    record = trial_of(lab, "lost-update", stock="lost-update")
    assert record["status"] != "complete"
    assert "items differs from the stock at the beginning less the ordered quantity" in json.dumps(record)


def test_a_server_that_answers_from_a_cache_is_refused(lab: Lab) -> None:
    """Its answers to every exchange of the contract are right: only a change of the database between two requests shows it."""
    record = trial_of(lab, "cached", operation="item", item_cache="kept")
    assert record["failure"]["kind"] == "reconciliation"
    assert "answered from a cache, which the contract forbids: /shop/items/1" in record["failure"]["message"]
