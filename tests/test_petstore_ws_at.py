"""Web services within the caller's transaction: an order is at both ends, or at none, also where one of them was killed."""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, factors
from steelyard.models.study import SubjectSpec
from test_petstore_pages import ADMIN, WILDFLY, Shop, in_variant, started

ORDERS = 6
ITEM = "guppy-1"
WAIT_SECONDS = 120
PLACES = ("after-call", "at-commit")
# Each order has two calls, each with two participants, who register, are told to prepare and to commit, and answer each time.
MESSAGES_OF_AN_ORDER = 2 * 2 * (1 + 2 * 2)


@dataclass(frozen=True)
class Parts:
    """A shop, with what its center and its supplier say of themselves."""

    shop: Shop
    folder: Path

    def plant(self, place: str, percent: int) -> None:
        """Has every approval fail at a place, again and again, or ends that."""
        form = {"place": place, "percent": str(percent), "times": "999", "step": "ORDER_APPROVAL"}
        assert self.shop.visitor().ask("faults", form, headers=ADMIN).status == 204

    def order(self) -> str:
        visitor = self.shop.visitor()
        return visitor.order(visitor.to_order_form(ITEM))

    def at_center(self, status: str) -> int:
        return int(json.loads(self.shop.visitor().ask("settlement").text)[status])

    def in_stock(self) -> int:
        page = self.shop.visitor().ask("inventory", headers=ADMIN).text
        (quantity,) = re.findall(rf'<td>{ITEM}</td><td class="quantity">(\d+)<', page)
        return int(quantity)

    def noted(self, file: str, name: str) -> list[dict[str, str]]:
        (path,) = self.folder.glob(f"*.{file}.csv")
        with path.open(newline="") as rows:
            return [row for row in csv.DictReader(rows) if row["name"] == name]

    def calls_of(self, order: str) -> int:
        """How many calls of the supplier succeeded for an order."""
        return sum(row["id"] == order for row in self.noted("events", "supplier_call_ended"))


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def parts(variant: str, folder: Path) -> Iterator[Parts]:
    yield from parts_of(in_variant(WILDFLY, variant), folder)


def parts_of(spec: SubjectSpec, folder: Path) -> Iterator[Parts]:
    for shop in started(spec, folder):
        yield Parts(shop, folder)


@pytest.fixture(scope="module")
def spanned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    yield from parts("ws-at", tmp_path_factory.mktemp("spanned"))


def undone_after_its_call(both: Parts, place: str) -> int:
    """How many of one order's items the supplier has taken from stock when its approval was undone, after a call that succeeded."""
    before = both.in_stock()
    both.plant(place, 100)
    order = both.order()
    until(lambda: both.calls_of(order) > 1)  # so the first was undone
    assert both.at_center("pending") == 1
    return before - both.in_stock()


def counts_once_it_commits(both: Parts, place: str) -> Mapping[str, int]:
    """The shop's counts after an approval was undone, which left nothing at the supplier, and then committed: it left an order."""
    assert undone_after_its_call(both, place) == 0
    before = both.in_stock()
    both.plant(place, 0)
    counts = both.shop.settled()
    assert counts["orders.accepted"] == counts["orders.completed"]
    assert both.in_stock() == before - 1
    return counts


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_an_approval_that_is_undone_after_its_call_leaves_no_order_at_the_supplier_and_one_that_commits_does(
    spanned: Parts, place: str
) -> None:
    counts = counts_once_it_commits(spanned, place)
    assert counts["orders.mails"] == 3 * counts["orders.completed"]


@pytest.mark.long
def test_without_a_transaction_over_the_call_the_supplier_keeps_an_order_that_was_undone(tmp_path: Path) -> None:
    for apart in parts("web-service", tmp_path):
        assert undone_after_its_call(apart, "after-call") == 1


@pytest.mark.long
def test_the_messages_of_coordination_are_counted_with_their_time(spanned: Parts) -> None:
    spanned.shop.settled()
    begun = time.monotonic_ns()
    for _ in range(ORDERS):
        spanned.order()
    spanned.shop.settled()
    ended = time.monotonic_ns()

    def counted(name: str) -> int:
        return sum(int(row["value"]) for row in spanned.noted("gauges", name) if int(row["time_ns"]) > begun)

    until(lambda: max(int(row["time_ns"]) for row in spanned.noted("gauges", "queue_mails")) > ended)
    # One that is not answered within 5 s is sent again.
    assert MESSAGES_OF_AN_ORDER * ORDERS <= counted("coordination_messages") < 2 * MESSAGES_OF_AN_ORDER * ORDERS
    assert counted("coordination_ms") > 0 and counted("commit_ms") > 0


@pytest.mark.long
@pytest.mark.timeout(
    1200
)  # after a kill WildFly looks after two minutes for what is in doubt, and every two minutes again
def test_after_a_kill_what_was_in_doubt_ends_at_both_sides_as_it_was_decided(spanned: Parts) -> None:
    since = time.monotonic_ns()
    server = spanned.shop.running.part_in_role("server")
    for _ in range(ORDERS):
        spanned.order()
    server.keeper.kill()
    server.start_again()
    settled, counts = spanned.shop.running.wait_for_aftermath(since, lambda: None)
    assert settled and counts["accepted"] == ORDERS
    assert counts["lost"] == counts["doubled"] == counts["mails_lost"] == 0


def test_a_server_without_ws_at_is_refused_in_a_sentence_before_anything_starts() -> None:
    with pytest.raises(ConfigurationError, match="tomcat-springws: factor variant is 'ws-at', which needs profile="):
        factors.factor_values(entries.server("tomcat-springws"), entries.service("petstore"), {"variant": "ws-at"})
