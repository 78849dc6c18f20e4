"""The shop's API on PostgreSQL: what a trial answers and counts agrees with the database, and planted mistakes are found."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, lab_in
from steelyard.results.tables import FAILURE_KINDS

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
parts = [{{ server = "{server}", factors = {{ items = "1000"{factors} }} }}]
"""
# What PostgreSQL logs where it ends a transaction for its isolation.
OVERTAKEN = "could not serialize access due to concurrent update"
OTHERS = (
    *(
        "rust-axum",
        "node-fastify",
        "python-fastapi",
        "spring-boot",
        "quarkus",
        "quarkus@threads=reactive",
        "micronaut",
    ),
    *("helidon", "vertx", "tomcat-jersey", "jetty-jersey", "wildfly", "liberty", "payara", "glassfish", "php-fpm"),
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Any:
    yield from lab_in(tmp_path_factory.mktemp("shop"))


def trial_of(lab: Lab, name: str, operation: str = "placeOrder", server: str = "go", **factors: str) -> Any:
    """The record of one trial of an operation, and of that alone."""
    study = lab.folder / f"{name}.toml"
    given = "".join(f', {factor} = "{value}"' for factor, value in factors.items())
    study.write_text(STUDY.format(operation=operation, server=server, factors=given))
    ran = lab.run("run", study.name)
    assert len(list(folders_of(lab, name))) == 1, ran.err
    return json.loads(Path(folder_of(lab, name) / "trial.json").read_text())


def folders_of(lab: Lab, name: str) -> Iterator[Path]:
    return lab.folder.glob(f"runs/{name}-2*/trials/01")


def folder_of(lab: Lab, name: str) -> Path:
    (folder,) = folders_of(lab, name)
    return folder


def was_overtaken(lab: Lab, name: str) -> bool:
    """Whether PostgreSQL ended transactions of the trial; no request of it may have failed."""
    with (folder_of(lab, name) / "slices.csv").open(newline="") as file:
        assert sum(int(row[kind]) for row in csv.DictReader(file) for kind in ("wrong", *FAILURE_KINDS)) == 0
    return OVERTAKEN in (folder_of(lab, name) / "shop.database.log").read_text()


@pytest.mark.parametrize("isolation", ["read-committed", "repeatable-read"])
def test_every_accepted_order_is_in_the_database_with_its_stock(lab: Lab, isolation: str) -> None:
    """At repeatable-read, an order that another one overtook begins again."""
    record = trial_of(lab, isolation, isolation=isolation)
    assert record["status"] == "complete", record
    assert was_overtaken(lab, isolation) == (isolation == "repeatable-read")
    found = {each["name"]: each["found"] for each in record["reconciled"]}
    assert found == {
        "answers": "every answer is the database's",
        "orders": "none lost, none doubled, stock as ordered",
    }
    (counted,) = record["counted"]
    assert counted["by_service"] == counted["by_engine"] > 0


@pytest.mark.long
@pytest.mark.parametrize("words", OTHERS)
def test_every_server_begins_an_order_again_that_another_one_overtook(lab: Lab, words: str) -> None:
    server, _, threads = words.partition("@threads=")
    name = f"overtaken-{words.replace('@threads=', '-')}"
    more = {"threads": threads} if threads else {}
    record = trial_of(lab, name, server=server, isolation="repeatable-read", **more)
    assert record["status"] == "complete", record
    assert was_overtaken(lab, name)


def test_a_lost_update_makes_a_trial_void(lab: Lab) -> None:
    record = trial_of(lab, "lost-update", stock="lost-update")
    assert record["status"] != "complete"
    assert "items differs from the stock at the beginning less the ordered quantity" in json.dumps(record)


def test_a_server_that_answers_from_a_cache_is_refused(lab: Lab) -> None:
    """Its answers to every exchange of the contract are right: only a change of the database between two requests shows it."""
    record = trial_of(lab, "cached", operation="item", item_cache="kept")
    assert record["failure"]["kind"] == "reconciliation"
    assert "answered from a cache, which the contract forbids: /shop/items/1" in record["failure"]["message"]
