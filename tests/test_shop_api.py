"""The shop's API on PostgreSQL: a load's orders are reconciled with the database, and a planted lost update is found."""

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
operations = ["placeOrder"]
primary = "placeOrder"
forks = 1
pairs = 3
slice_seconds = 0.5
warm_up_limit_seconds = 1
corpus_entries = 200

[[subjects]]
label = "shop"
parts = [{{ server = "go", factors = {{ items = "1000", stock = "{stock}" }} }}]
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Any:
    yield from lab_in(tmp_path_factory.mktemp("shop"))


def trial_of(lab: Lab, stock: str) -> Any:
    """The record of one trial of orders, and of those alone."""
    study = lab.folder / f"{stock}.toml"
    study.write_text(STUDY.format(stock=stock))
    ran = lab.run("run", study.name)
    folders = list(lab.folder.glob(f"runs/{stock}*/trials/01"))
    assert len(folders) == 1, ran.err
    (folder,) = folders
    return json.loads(Path(folder / "trial.json").read_text())


def test_every_accepted_order_is_in_the_database_with_its_stock(lab: Lab) -> None:
    record = trial_of(lab, "checked")
    assert record["status"] == "complete", record
    (reconciled,) = record["reconciled"]
    assert reconciled["found"] == "none lost, none doubled, stock as ordered"
    (counted,) = record["counted"]
    assert counted["by_service"] == counted["by_engine"] > 0


def test_a_lost_update_makes_a_trial_void(lab: Lab) -> None:
    record = trial_of(lab, "lost-update")
    assert record["status"] != "complete"
    assert "items differs from the stock at the beginning less the ordered quantity" in json.dumps(record)
