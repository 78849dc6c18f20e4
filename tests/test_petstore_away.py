"""A pet store whose database is missing at the start, comes, goes and returns: pages report it, and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import HOUSE
from steelyard.models.study import PartSpec, SubjectSpec
from test_petstore_pages import ADDRESS, WAIT_SECONDS, Answer, Shop, clear, started


def subject_on(database: str, server: str) -> SubjectSpec:
    """A shop that reaches its database through a door."""
    return SubjectSpec(
        label="tomcat",
        parts=[PartSpec(server="tomcat-springws", factors={"variant": "jms-original", "database": database})],
        companions=[PartSpec(server=server, role="store"), PartSpec(server="away"), PartSpec(server="greenmail")],
    )


@pytest.fixture
def shop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Shop]:
    monkeypatch.setenv("STEELYARD_PATH", str(HOUSE))
    yield from started(subject_on(*request.param), tmp_path)


def door(shop: Shop) -> Path:
    """The file that lets connections through to the database while it is there."""
    (part,) = [part for part in shop.running.parts if part.part.place == "database"]
    return Path(part.words.placeholders["scratch"]) / "open"


def home_once(shop: Shop, status: int) -> Answer:
    deadline = time.monotonic() + WAIT_SECONDS
    while (page := shop.visitor().ask("home")).status != status:
        assert time.monotonic() < deadline, page
        time.sleep(0.2)
    return page


@pytest.mark.parametrize("shop", [("h2", "h2")], indirect=True)
def test_a_database_that_is_away_at_the_start_is_said_to_be_and_gets_its_starting_state_when_it_comes(
    shop: Shop,
) -> None:
    clear(shop.visitor().ask("home"), 503)
    door(shop).touch()
    assert "Reptiles" in home_once(shop, 200).text
    visitor = shop.visitor()
    mark = visitor.to_order_form()
    assert len(visitor.order(mark)) == 36
    assert shop.settled()["orders.completed"] == 1
    mark = visitor.to_order_form()
    door(shop).unlink()
    home_once(shop, 503)
    clear(visitor.ask("order", {"form": mark, **ADDRESS}), 503)


# H2's server opens a database for nobody again whose connections all broke at once.
@pytest.mark.long
@pytest.mark.parametrize("shop", [("postgresql", "postgres")], indirect=True)
def test_what_was_ordered_before_the_database_went_is_settled_once_it_is_back(shop: Shop) -> None:
    door(shop).touch()
    home_once(shop, 200)
    visitor, other = shop.visitor(), shop.visitor()
    visitor.order(visitor.to_order_form())
    mark = other.to_order_form()
    door(shop).unlink()
    home_once(shop, 503)
    clear(other.ask("order", {"form": mark, **ADDRESS}), 503)
    door(shop).touch()
    home_once(shop, 200)
    assert len(other.order(mark)) == 36, "the form is still good"
    counts = shop.settled()
    assert counts["orders.accepted"] == counts["orders.completed"] == 2
    assert counts["orders.mails"] == 6 and counts["orders.lost"] == counts["orders.doubled"] == 0
