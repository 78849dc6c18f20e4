"""The pet store as a person uses it: a real browser goes through the shop to an order, by links and forms alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from test_petstore_pages import ADDRESS, TOMCAT, Shop, started

WIDTHS = (1200, 400)
MILLISECONDS = 60_000


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    yield from started(TOMCAT, tmp_path_factory.mktemp("shop"))


@pytest.fixture(params=WIDTHS)
def page(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    context = chromium.new_context(
        viewport={"width": request.param, "height": 900},
        http_credentials={"username": "admin", "password": "admin-secret"},  # sent only where a page asks for them
    )
    opened = context.new_page()
    opened.set_default_timeout(MILLISECONDS)
    yield opened
    context.close()


def looks_well(page: Any) -> None:
    """Nothing sticks out of the page sideways, every picture is there, the style sheet was taken, and there is one heading."""
    page.wait_for_load_state("load")
    wide, narrow = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= narrow, f"{page.url} is {wide} px wide in a window of {narrow}"
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)"), page.url
    assert page.evaluate("getComputedStyle(document.querySelector('header')).display") == "flex", page.url
    assert page.locator("h1").count() == 1


def test_a_person_signs_in_looks_around_and_orders_and_gets_three_mails(shop: Shop, page: Any) -> None:
    problems: list[str] = []
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    before = shop.settled()
    page.goto(f"{shop.base}/home")
    for link in ("Reptiles", "Gecko", "Gecko, young", "Add to cart", "Check out"):
        looks_well(page)
        page.get_by_role("main").get_by_role("link", name=re.compile(f"^{link}")).first.click()
    looks_well(page)
    page.get_by_label("User").fill("shopper-11")
    page.get_by_label("Password").fill("secret-11")
    page.get_by_role("button", name="Sign in").click()
    looks_well(page)
    for name, value in ADDRESS.items():
        page.get_by_label(name.capitalize()).fill(value)
    page.get_by_role("button", name="Order").click()
    assert page.locator("h1").inner_text() == "Thank you for your order"
    looks_well(page)
    number = page.locator(".number").inner_text()
    page.reload()  # a browser sends the form again, and it is the same order
    assert page.locator(".number").inner_text() == number
    after = shop.settled()
    assert after["orders.accepted"] == after["orders.completed"] == before["orders.accepted"] + 1
    assert after["orders.mails"] == before["orders.mails"] + 3 and after["orders.doubled"] == 0
    assert not problems


def test_a_refusal_is_a_page_of_the_shop(shop: Shop, page: Any) -> None:
    page.goto(f"{shop.base}/item?id=unicorn")
    looks_well(page)
    assert page.locator(".wrong").inner_text() == "There is no such item."


def test_those_who_run_the_shop_go_between_their_pages_and_every_control_has_a_name(shop: Shop, page: Any) -> None:
    page.goto(f"{shop.base}/admin")
    for title in ("Stock", "Mails", "Orders"):
        page.get_by_role("navigation", name="Administration").get_by_role("link", name=title).click()
        assert page.locator("h1").inner_text() == title
        assert page.locator("[aria-current=page]").inner_text() == title
        looks_well(page)
        controls = page.locator("main input:not([type=hidden]), main button")
        names = [control.get_attribute("aria-label") for control in controls.all()]
        assert all(names) and len(set(names)) == len(names), names
