"""The pet store's outbox: after any failure, every order is done exactly once."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from test_petstore_pages import ADMIN, ENVELOPE, SPACE, TOMCAT, WILDFLY, Answer, Shop, clear, in_variant, started

PLANT = Path(__file__).parents[1] / "services" / "petstore" / "contract" / "plant.py"
ORDERS = 6


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(in_variant(TOMCAT, "outbox"), id="tomcat"),
        pytest.param(in_variant(WILDFLY, "outbox"), id="wildfly", marks=pytest.mark.long),
    ],
)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    yield from started(request.param, tmp_path_factory.mktemp("shop"))


def order_some(shop: Shop) -> None:
    for _ in range(ORDERS):
        visitor = shop.visitor()
        visitor.order(visitor.to_order_form())


def became(shop: Shop, since_ns: int) -> dict[str, int]:
    """What the shop counts of the orders accepted since then, once it has nothing left to do."""
    settled, counts = shop.running.wait_for_aftermath(since_ns, lambda: None)
    assert settled, counts
    return counts


def submit(shop: Shop, document: str, message: str) -> Answer:
    """What the supplier's web service answers to a message of this id."""
    call = (
        f"<submitOrder xmlns='{SPACE}'><document>{escape(document)}</document>"
        f"<messageId>{message}</messageId></submitOrder>"
    )
    body = f"<s:Envelope xmlns:s='{ENVELOPE}'><s:Body>{call}</s:Body></s:Envelope>"
    headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
    return shop.visitor().ask("SupplierOrders", body=body.encode(), headers=headers)


def test_a_message_that_comes_again_is_answered_again_and_its_work_is_done_once(shop: Shop) -> None:
    order, message = str(uuid.uuid4()), str(uuid.uuid4())
    document = (
        f"<supplierOrder xmlns='{SPACE}' id='{order}'><address><name>a</name><street>b</street><city>c</city>"
        f"<country>d</country></address><line item='tortoise-2' quantity='1' cents='4200'/></supplierOrder>"
    )
    shop.visitor().ask("inventory", {"item": "tortoise-2", "quantity": "2"}, headers=ADMIN)
    answers = [submit(shop, document, message) for _ in range(3)]
    assert {answer.status for answer in answers} == {200} and all(order in answer.text for answer in answers)
    stock = shop.visitor().ask("inventory", headers=ADMIN).text
    assert '<td>tortoise-2</td><td class="quantity">1</td>' in stock
    unknown = submit(shop, document, "")
    assert unknown.status == 500 and "without a messageId" in unknown.text


def fail_once(shop: Shop, place: str) -> None:
    """Every step fails once at a place, and every order is done all the same, once."""
    since = time.monotonic_ns()
    planting = [sys.executable, PLANT, "127.0.0.1", str(shop.running.front.port), place]
    subprocess.run([*planting, "100"], check=True, timeout=60)
    order_some(shop)
    counts = became(shop, since)
    subprocess.run([*planting, "0"], check=True, timeout=60)
    assert counts["accepted"] == ORDERS
    assert counts["lost"] == counts["doubled"] == counts["mails_lost"] == 0


@pytest.mark.parametrize("place", ["after-call", "at-commit"])
def test_steps_that_fail_once_lose_and_double_nothing(shop: Shop, place: str) -> None:
    fail_once(shop, place)


@pytest.mark.long
def test_a_vote_against_the_commit_of_message_and_database_undoes_both(tmp_path: Path) -> None:
    for shop in started(in_variant(WILDFLY, "jms-original"), tmp_path):
        fail_once(shop, "at-commit")


def test_a_kill_in_the_midst_of_orders_loses_and_doubles_none(shop: Shop) -> None:
    since = time.monotonic_ns()
    server = shop.running.part_in_role("server")
    order_some(shop)
    server.keeper.kill()
    server.start_again()
    counts = became(shop, since)
    assert counts["accepted"] == ORDERS
    assert counts["lost"] == counts["doubled"] == counts["mails_lost"] == 0


@pytest.mark.parametrize(("place", "percent"), [("before", "1"), ("after-call", "101"), ("after-call", ""), ("", "-1")])
def test_a_fault_that_cannot_be_planted_is_refused(shop: Shop, place: str, percent: str) -> None:
    form = {"place": place, "percent": percent}
    clear(shop.visitor().ask("faults", form), 401)
    clear(shop.visitor().ask("faults", form, headers=ADMIN), 400)
    clear(shop.visitor().ask("faults", headers=ADMIN), 405)
