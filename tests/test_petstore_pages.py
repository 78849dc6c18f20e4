"""The pet store's pages for visitors, partners and administrators: bad input gets a clear refusal, and nothing is lost."""

from __future__ import annotations

import base64
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from random import Random

import pytest
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningSubject
from steelyard.models.study import PartSpec, SubjectSpec

WAIT_SECONDS = 60
ADDRESS = {"name": "Åse <b>", "street": "1 Long Lane", "city": "Market Town", "country": "Neverland"}
ADMIN = {"Authorization": "Basic " + base64.b64encode(b"admin:admin-secret").decode()}
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
SPACE = "urn:steelyard:petstore"


@dataclass(frozen=True)
class Answer:
    status: int
    text: str


@dataclass
class Visitor:
    """A browser: its own cookies, nothing else."""

    base: str
    cookies: CookieJar = field(default_factory=CookieJar)

    def ask(
        self,
        path: str,
        form: Mapping[str, str] | None = None,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        data = urllib.parse.urlencode(form).encode() if form is not None else body
        request = urllib.request.Request(f"{self.base}/{path}", data=data, headers=dict(headers or {}))
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        try:
            with opener.open(request, timeout=30) as answer:
                return Answer(answer.status, answer.read().decode())
        except urllib.error.HTTPError as refused:
            return Answer(refused.code, refused.read().decode())

    def mark(self, page: Answer) -> str:
        found = re.search(r'name="form" value="([0-9a-f-]{36})"', page.text)
        assert found is not None, page
        return found[1]

    def to_order_form(self, item: str = "guppy-1") -> str:
        """Through the shop until the order form; gives its mark."""
        assert self.ask(f"cart?add={item}").status == 200
        mark = self.mark(self.ask("checkout"))
        return self.mark(self.ask("signin", {"form": mark, "user": "shopper-07", "password": "secret-07"}))

    def order(self, mark: str) -> str:
        page = self.ask("order", {"form": mark, **ADDRESS})
        assert page.status == 200, page
        (number,) = re.findall(r'class="number">([0-9a-f-]{36})<', page.text)
        return str(number)


@dataclass(frozen=True)
class Shop:
    running: RunningSubject

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.running.front.port}/petstore"

    def visitor(self) -> Visitor:
        return Visitor(self.base)

    def settled(self) -> dict[str, int]:
        found = self.running.wait_for_background_work(lambda: None)
        assert found is not None
        return found[1]

    def until(self, words: str, path: str) -> str:
        """An administrator's page, once it says the words."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            page = self.visitor().ask(path, headers=ADMIN)
            if words in page.text:
                return page.text
            assert time.monotonic() < deadline, f"{path} does not say {words}: {page}"
            time.sleep(0.1)


def started(spec: SubjectSpec, folder: Path) -> Iterator[Shop]:
    """A subject with its pet store, up until the caller has done with it."""
    with Progress(Console(quiet=True)) as progress:
        ready = subject.provide_subject(spec, entries.service("petstore"), progress)
        with launch.running_subject(
            ready, folder, cpus.share(companions=True), Random(time.time_ns()), progress
        ) as running:
            yield Shop(running)


TOMCAT = SubjectSpec(
    label="tomcat",
    parts=[PartSpec(server="tomcat-springws", factors={"variant": "web-service"})],
    companions=[PartSpec(server="h2"), PartSpec(server="greenmail")],
)
WILDFLY = SubjectSpec(
    label="wildfly",
    parts=[
        PartSpec(
            server="wildfly",
            factors={"variant": "web-service", "profile": "standalone-full", "database": "postgresql", "heap": "500m"},
        )
    ],
    companions=[PartSpec(server="postgres", factors={"prepared_transactions": "100"}), PartSpec(server="greenmail")],
)

LIBERTY = SubjectSpec(
    label="liberty",
    parts=[
        PartSpec(
            server="liberty",
            factors={
                "variant": "web-service",
                "messaging": "artemis",
                "core_threads": "50",
                "database": "postgresql",
                "heap": "500m",
            },
        )
    ],
    companions=[PartSpec(server="postgres", factors={"prepared_transactions": "100"}), PartSpec(server="greenmail")],
)


def in_variant(spec: SubjectSpec, variant: str) -> SubjectSpec:
    """The same in another variant."""
    (part,) = spec.parts
    varied = part.model_copy(update={"factors": {**part.factors, "variant": variant}})
    return spec.model_copy(update={"parts": [varied]})


def in_the_database(spec: SubjectSpec) -> SubjectSpec:
    """The same with its broker's messages in PostgreSQL, each document sent within a transaction."""
    (part,) = spec.parts
    factors = {**part.factors, "variant": "jms-original", "database": "postgresql", "persistence": "jdbc"}
    postgres = PartSpec(server="postgres", factors={"prepared_transactions": "100"})
    companions = [postgres, PartSpec(server="greenmail")]
    return spec.model_copy(update={"parts": [PartSpec(server=part.server, factors=factors)], "companions": companions})


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(TOMCAT, id="tomcat"),
        pytest.param(in_the_database(TOMCAT), id="tomcat-jdbc", marks=pytest.mark.long),
        pytest.param(WILDFLY, id="wildfly", marks=pytest.mark.long),
        pytest.param(in_variant(TOMCAT, "outbox"), id="tomcat-outbox", marks=pytest.mark.long),
        pytest.param(in_variant(WILDFLY, "outbox"), id="wildfly-outbox", marks=pytest.mark.long),
        pytest.param(in_variant(WILDFLY, "ws-at"), id="wildfly-ws-at", marks=pytest.mark.long),
        pytest.param(in_the_database(WILDFLY), id="wildfly-jdbc", marks=pytest.mark.long),
        pytest.param(LIBERTY, id="liberty", marks=pytest.mark.long),
        pytest.param(in_variant(LIBERTY, "jms-modified"), id="liberty-jms-modified", marks=pytest.mark.long),
        pytest.param(in_variant(LIBERTY, "outbox"), id="liberty-outbox", marks=pytest.mark.long),
        pytest.param(in_the_database(LIBERTY), id="liberty-jdbc", marks=pytest.mark.long),
    ],
)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    yield from started(request.param, tmp_path_factory.mktemp("shop"))


def clear(page: Answer, status: int) -> None:
    """A refusal for people: the status, one sentence, and nothing of the inside."""
    assert page.status == status, page
    assert 'class="wrong"' in page.text
    assert not re.search(r"Exception|\tat |java\.|stack", page.text), page


def test_an_order_that_is_sent_twice_is_one_order(shop: Shop) -> None:
    before = shop.settled()["orders.accepted"]
    visitor = shop.visitor()
    mark = visitor.to_order_form()
    assert visitor.order(mark) == visitor.order(mark)
    assert shop.settled()["orders.accepted"] == before + 1


def test_a_session_or_a_form_of_somebody_else_orders_nothing(shop: Shop) -> None:
    victim, thief = shop.visitor(), shop.visitor()
    victim.ask("cart?add=guppy-1")
    planted = {cookie.name: cookie.value for cookie in victim.cookies}
    mark = victim.mark(victim.ask("checkout"))
    mark = victim.mark(victim.ask("signin", {"form": mark, "user": "shopper-01", "password": "secret-01"}))
    assert {cookie.name: cookie.value for cookie in victim.cookies} != planted, (
        "a session seen before the sign-in is over"
    )
    clear(thief.ask("order", {"form": mark, **ADDRESS}), 403)
    stolen = "; ".join(f"{name}={value}" for name, value in planted.items())
    clear(thief.ask("order", {"form": mark, **ADDRESS}, headers={"Cookie": stolen}), 403)
    assert len(victim.order(mark)) == 36


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        ("category?id=dragons", None, 404),
        ("item?id=%27%20OR%201=1--", None, 404),
        ("cart?add=unicorn", None, 404),
        ("checkout", None, 409),
        ("order", ADDRESS, 403),
        ("signin", {"user": "shopper-01", "password": "secret-01"}, 403),
        ("home", {"a": "b"}, 405),
    ],
)
def test_what_the_shop_does_not_have_is_refused_clearly(
    shop: Shop, path: str, form: dict[str, str] | None, status: int
) -> None:
    clear(shop.visitor().ask(path, form), status)


def test_a_wrong_password_and_an_impossible_address_are_refused_and_the_form_is_still_good(shop: Shop) -> None:
    visitor = shop.visitor()
    visitor.ask("cart?add=finch-1")
    mark = visitor.mark(visitor.ask("checkout"))
    clear(visitor.ask("signin", {"form": mark, "user": "shopper-01", "password": "guess"}), 403)
    mark = visitor.mark(visitor.ask("signin", {"form": mark, "user": "shopper-01", "password": "secret-01"}))
    clear(visitor.ask("order", {"form": mark, **ADDRESS, "name": "x" * 81}), 400)
    clear(visitor.ask("order", {"form": mark, **ADDRESS, "city": ""}), 400)
    assert len(visitor.order(mark)) == 36


def test_what_is_typed_is_shown_as_text(shop: Shop) -> None:
    visitor = shop.visitor()
    mark = visitor.to_order_form()
    page = visitor.ask("order", {"form": mark, **ADDRESS, "name": "<script>alert(1)</script>"})
    assert page.status == 200 and "<script>" not in page.text and "&lt;script&gt;" in page.text


@pytest.mark.parametrize("document", ["", "<invoice/>", f"<supplierOrder xmlns='{SPACE}' id='x'/>", "<!DOCTYPE a>"])
def test_a_partner_who_breaks_the_schema_gets_a_fault_that_says_so(shop: Shop, document: str) -> None:
    escaped = document.replace("&", "&amp;").replace("<", "&lt;")
    call = f"<submitOrder xmlns='{SPACE}'><document>{escaped}</document></submitOrder>"
    body = f"<s:Envelope xmlns:s='{ENVELOPE}'><s:Body>{call}</s:Body></s:Envelope>"
    headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
    answer = shop.visitor().ask("SupplierOrders", body=body.encode(), headers=headers)
    assert answer.status == 500 and "Fault" in answer.text and "document" in answer.text
    assert "Exception" not in answer.text and "\tat " not in answer.text


def test_only_administrators_see_orders_and_stock(shop: Shop) -> None:
    for path in ("admin", "admin/orders", "inventory", "mails"):
        clear(shop.visitor().ask(path), 401)
    wrong = {"Authorization": "Basic " + base64.b64encode(b"shopper-01:secret-01").decode()}
    clear(shop.visitor().ask("admin", headers=wrong), 401)


def test_an_order_waits_for_stock_and_a_dear_one_for_a_person_by_page_or_by_xml(shop: Shop) -> None:
    visitor = shop.visitor()
    waits = visitor.order(visitor.to_order_form("tortoise-2"))
    other = shop.visitor()
    dear = other.order(other.to_order_form("parrot-3"))
    shop.until(dear, "admin/orders")
    approvals = f"<orderApprovals xmlns='{SPACE}'><orderApproval id='{dear}' approved='true'/></orderApprovals>"
    clear(shop.visitor().ask("admin/orders", body=b"<orderApprovals/>", headers=ADMIN), 400)
    clear(shop.visitor().ask("admin/orders", body=approvals.replace(dear, "nowhere").encode(), headers=ADMIN), 400)
    clear(shop.visitor().ask("admin", {"id": "nowhere", "verdict": "approve"}, headers=ADMIN), 400)
    assert shop.visitor().ask("admin/orders", body=approvals.encode(), headers=ADMIN).status == 202
    shop.until('class="waiting">1<', "inventory")
    clear(shop.visitor().ask("inventory", {"item": "tortoise-2", "quantity": "-1"}, headers=ADMIN), 400)
    restocked = shop.visitor().ask("inventory", {"item": "tortoise-2", "quantity": "1"}, headers=ADMIN)
    assert restocked.status == 200, restocked
    counts = shop.settled()
    assert counts["orders.accepted"] == counts["orders.completed"] and counts["orders.lost"] == 0, (waits, counts)
    assert counts["orders.mails"] == 3 * counts["orders.completed"] and counts["orders.doubled"] == 0
    mails = shop.visitor().ask("mails", headers=ADMIN)
    assert f'class="came">{counts["orders.mails"]}<' in mails.text and mails.text.count("<tr><td>shopper-07@") >= 6
    for kind in ("approved", "shipped", "completed"):
        assert f"<td>Order {dear} {kind}</td>" in mails.text
    clear(shop.visitor().ask("mails", {}, headers=ADMIN), 405)
