"""Every page of the report keeps the rules that an HTML validator and an accessibility checker look for."""

from __future__ import annotations

import pytest
from lxml import html
from steelyard.analyse.analysis import analyse_run
from steelyard.models.records import Failure
from steelyard.report.page import html_of
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

RUNS: dict[str, dict[str, object]] = {
    "two subjects": {},
    "two operations": {"cells": {"echoStruct": 1.0, "echoVoid": 1.5}},
    "a table of subjects": {"rates": {f"server-{n}": 1000.0 * n for n in range(1, 8)}, "reference": "server-7"},
    "a failed trial": {"failures": {2: Failure(kind="died", subject="go", message="killed")}},
}


@pytest.fixture(scope="module", params=RUNS)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> html.HtmlElement:
    folder = tmp_path_factory.mktemp("page") / "run"
    planted = {"pairs": 3} | RUNS[request.param]
    return html.document_fromstring(html_of(analyse_run(read_run(write_run(folder, Planted(**planted))))))  # type: ignore[arg-type]


def test_a_figure_holds_a_picture_and_at_most_a_caption_at_its_end(page: html.HtmlElement) -> None:
    figures = page.xpath("//figure")
    assert figures and not page.xpath("//figure//details")
    assert all(figure.find("figcaption") is None or figure[-1].tag == "figcaption" for figure in figures)


def test_each_table_can_be_scrolled_by_keys_and_names_each_column_and_row(page: html.HtmlElement) -> None:
    boxes = page.find_class("scroll")
    assert boxes and {box.get("tabindex") for box in boxes} == {"0"}
    assert all(table.xpath("ancestor::div[@class='scroll']") for table in page.xpath("//table"))
    headings = page.xpath("//th")
    assert all(heading.text_content().strip() and heading.get("scope") for heading in headings)


def test_identifiers_are_unique_and_each_link_within_the_page_has_its_target(page: html.HtmlElement) -> None:
    known = page.xpath("//@id")
    assert len(known) == len(set(known))
    assert {link[1:] for link in page.xpath("//a/@href") if link.startswith("#")} <= set(known)


def test_pictures_are_described_once(page: html.HtmlElement) -> None:
    assert all(svg.get("aria-hidden") == "true" or svg.xpath("ancestor::ul") for svg in page.xpath("//svg"))
    assert all(box.get("aria-label") for box in page.xpath("//*[@role='img']"))
    assert not page.xpath("//svg/@focusable")
