"""One transaction for message, work and sends, also after a kill, by a transaction manager in the application or the server's
own."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries, factors
from steelyard.models.study import PartSpec, SubjectSpec
from test_petstore_pages import LIBERTY, TOMCAT, WILDFLY, in_variant
from test_petstore_ws_at import PLACES, Parts, counts_once_it_commits, parts_of, until

KILLS, ORDERS = 4, 12
CUSTOMERS, SHOPPING_SECONDS = 20, 4.0
COMPANIONS = {
    "h2": PartSpec(server="h2"),
    "postgresql": PartSpec(server="postgres", factors={"prepared_transactions": "100"}),
}


def joined(database: str) -> SubjectSpec:
    (part,) = TOMCAT.parts
    of_part = {"variant": "jms-original", "transactions": "jta", "database": database}
    return TOMCAT.model_copy(
        update={
            "parts": [PartSpec(server=part.server, factors=of_part)],
            "companions": [COMPANIONS[database], PartSpec(server="greenmail")],
        }
    )


ON_LIBERTY, ON_WILDFLY = (in_variant(server, "jms-original") for server in (LIBERTY, WILDFLY))


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(joined("h2"), id="tomcat-h2"),
        pytest.param(joined("postgresql"), id="tomcat-postgresql", marks=pytest.mark.long),
        pytest.param(ON_LIBERTY, id="liberty", marks=pytest.mark.long),
    ],
)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    yield from parts_of(request.param, tmp_path_factory.mktemp("joined"))


@pytest.mark.parametrize("place", PLACES)
def test_an_approval_that_is_undone_leaves_no_order_at_the_supplier_and_one_that_commits_does(
    shop: Parts, place: str
) -> None:
    counts = counts_once_it_commits(shop, place)
    assert counts["orders.mails"] >= 3 * counts["orders.completed"]


def test_a_shop_whose_database_was_killed_under_load_takes_orders_again(shop: Parts) -> None:
    database, killed = shop.shop.running.part_in_role("database"), Event()

    def shops() -> None:
        while not killed.is_set():
            with suppress(AssertionError):  # while it is away, nothing can be had
                shop.order()

    with ThreadPoolExecutor(CUSTOMERS) as customers:
        shopping = [customers.submit(shops) for _ in range(CUSTOMERS)]
        try:
            time.sleep(SHOPPING_SECONDS)
            database.keeper.kill()
            database.start_again()
            time.sleep(SHOPPING_SECONDS)
        finally:
            killed.set()
        for each in shopping:
            each.result()
    until(lambda: shop.shop.visitor().ask("category?id=fish").status == 200)
    statuses = Counter(shop.shop.visitor().ask("category?id=fish").status for _ in range(100))
    assert {*statuses} == {200}, statuses
    (log,) = shop.folder.glob("*.server.log")
    assert "Connection has been closed" not in log.read_text(), "a connection that died was handed out again"
    shop.order()


@pytest.mark.long
@pytest.mark.parametrize("spec", [joined("postgresql"), ON_LIBERTY, ON_WILDFLY], ids=["tomcat", "liberty", "wildfly"])
def test_after_kills_no_order_is_lost_or_doubled(spec: SubjectSpec, tmp_path: Path) -> None:
    for shop in parts_of(spec, tmp_path):
        server = shop.shop.running.part_in_role("server")
        for _ in range(KILLS):
            since = time.monotonic_ns()
            for _ in range(ORDERS):
                shop.order()
            server.keeper.kill()
            server.start_again()
            settled, counts = shop.shop.running.wait_for_aftermath(since, lambda: None)
            assert settled and counts["accepted"] == ORDERS
            assert not {name: counts[name] for name in ("lost", "doubled", "mails_lost") if counts[name]}, counts


def test_a_server_with_transactions_of_its_own_is_given_none() -> None:
    with pytest.raises(ConfigurationError, match="wildfly: factor transactions"):
        factors.factor_values(entries.server("wildfly"), entries.service("petstore"), {"transactions": "jta"})
