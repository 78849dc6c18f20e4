"""The pet store with web site, center and supplier in servers of their own: each does its own part, and none of it is lost."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from steelyard.models.study import PartSpec
from test_petstore_outbox import ORDERS, became, order_some
from test_petstore_pages import WILDFLY, Shop, in_variant, started

# Three servers of Jakarta EE for each variant: half a minute until all are up.
pytestmark = pytest.mark.long

PARTS = {"site": None, "center": "center", "supplier": "supplier"}
NO_ORDER_IS_LOST = ("jms-original", "outbox", "ws-at")


@pytest.fixture(scope="module", params=["jms-original", "jms-modified", "web-service", "outbox", "ws-at"])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    spec = in_variant(WILDFLY, request.param)
    (whole,) = spec.parts
    parts = [
        PartSpec(server=whole.server, factors={**whole.factors, "part": part}, role=role)
        for part, role in PARTS.items()
    ]
    yield from started(spec.model_copy(update={"parts": parts}), tmp_path_factory.mktemp("shop"))


def noted_by(shop: Shop) -> dict[str, set[str]]:
    """The names of the orders' events, by the role of the server that wrote them down."""
    noted: dict[str, set[str]] = {}
    for up in shop.running.parts:
        if up.part.judged:
            with Path(up.words.environment["STEELYARD_EVENTS"]).open(newline="", encoding="utf-8") as file:
                names = {row["name"] for row in csv.DictReader(file) if not row["id"].startswith("collection")}
            noted[up.part.place] = names
    return noted


def test_each_server_does_the_work_of_its_own_part(shop: Shop) -> None:
    since = time.monotonic_ns()
    order_some(shop)
    counts = became(shop, since)
    assert counts["accepted"] == ORDERS and not counts["lost"] and not counts["doubled"]
    assert shop.settled()["orders.mails"] == 3 * ORDERS
    assert noted_by(shop) == {
        "server": {"order_received"},
        "center": {"supplier_call_begun", "supplier_call_ended", "completed_mail_sent"},
        "supplier": {"supplier_begun"},
    }


@pytest.mark.parametrize("place", ["after-call", "at-commit"])
def test_steps_that_fail_once_on_any_server_are_done_once(shop: Shop, place: str) -> None:
    since = time.monotonic_ns()
    shop.running.plant(place, end=False)
    order_some(shop)
    shop.running.plant(place, end=True)
    counts = became(shop, since)
    assert counts["accepted"] == ORDERS and not counts["doubled"]
    if _promises_to_lose_none(shop):
        assert not counts["lost"] and not counts["mails_lost"]


@pytest.mark.parametrize("role", ["center", "supplier"])
def test_a_killed_part_comes_back_and_the_others_find_it(shop: Shop, role: str) -> None:
    since = time.monotonic_ns()
    part = shop.running.part_in_role(role)
    order_some(shop)
    part.keeper.kill()
    part.start_again()
    order_some(shop)
    counts = became(shop, since)
    assert counts["accepted"] == 2 * ORDERS and not counts["doubled"]
    if _promises_to_lose_none(shop):
        assert not counts["lost"] and not counts["mails_lost"]


def _promises_to_lose_none(shop: Shop) -> bool:
    return shop.running.subject.front.factors["variant"] in NO_ORDER_IS_LOST
