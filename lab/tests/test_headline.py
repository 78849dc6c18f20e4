"""The first screen: one sentence, one forest plot, at most three facts; and labels without what all of them share."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.models.job import Steps
from steelyard.models.records import Failure
from steelyard.report.headline import headline
from steelyard.report.page import html_of
from steelyard.report.sections import verdict
from steelyard.report.subjects import short_labels
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

MANY = {f"server-{place}": 1000.0 * place for place in range(1, 17)}


def analysed(tmp_path: Path, **planted: object) -> Analysis:
    return analyse_run(read_run(write_run(tmp_path / "run", Planted(**({"pairs": 4} | planted)))))  # type: ignore[arg-type]


def first_screen(analysis: Analysis) -> html.HtmlElement:
    return html.document_fromstring(html_of(analysis)).get_element_by_id("verdict")


@pytest.mark.parametrize(
    "planted",
    [
        {},
        {"rates": {"a": 900.0, "b": 1000.0, "c": 1100.0}, "reference": "a"},
        {"rates": MANY, "reference": "server-8", "pairs": 2},
        {"cells": {"echoStruct": 1.0, "echoVoid": 1.5}},
        {"response_factor": 0.9},
        {"failures": {4: Failure(kind="interrupted", message="stopped")}, "cut_after_pairs": {4: 1}},
    ],
)
def test_the_first_screen_has_one_sentence_at_most_one_picture_and_three_facts(
    tmp_path: Path, planted: dict[str, object]
) -> None:
    analysis = analysed(tmp_path, **planted)
    screen = first_screen(analysis)
    assert len(screen.find_class("sentence")) == 1
    assert len(screen.xpath(".//figure")) == (1 if analysis.verdicts.valid else 0)
    assert 1 <= len(screen.xpath(".//dt")) <= 3
    assert screen.xpath("following-sibling::section[1]/@id") == ["in-full"]


def test_the_forest_has_each_subject_with_both_intervals(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, rates={"a": 900.0, "b": 1000.0, "c": 1500.0}, reference="a")
    picture = verdict.content(analysis)["picture"]  # type: ignore[index]
    rows = {row[0]: row[1:] for row in picture.rows}  # type: ignore[attr-defined]
    assert list(rows) == ["c", "b"]
    for ratio, here, elsewhere in rows.values():
        assert "\u2013" in here and "\u2013" in elsewhere and float(ratio) > 1
        (low, high), (lower, higher) = ([float(bound) for bound in each.split("\u2013")] for each in (here, elsewhere))
        assert lower <= low <= float(ratio) <= high <= higher
    assert "stroke-dasharray" in str(picture.wide) and "another day or machine" in picture.caption  # type: ignore[attr-defined]


def test_a_forest_of_many_subjects_stays_low_and_counts_the_others(tmp_path: Path) -> None:
    picture = verdict.content(analysed(tmp_path, rates=MANY, reference="server-8", pairs=2))["picture"]  # type: ignore[index]
    assert len(picture.rows) == 12 and "3 more subjects are below." in picture.caption  # type: ignore[attr-defined]


def test_a_run_without_a_verdict_has_no_forest(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, response_factor=0.9)
    assert verdict.content(analysis)["picture"] is None  # type: ignore[index]
    assert headline(analysis).verdict.startswith("No verdict: Little's law")


def test_three_ranked_subjects_have_one_headline(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, rates={"a": 500.0, "b": 1000.0, "c": 1500.0}, reference="a")
    assert headline(analysis).verdict == "c is first of 3 by throughput on echoStruct, on this machine, at this hour"


def test_tests_of_several_operations_are_counted_by_their_best_subject(tmp_path: Path) -> None:
    steps = Steps(levels=[8], hold_seconds=4.0)
    analysis = analysed(
        tmp_path,
        rates={"a": 500.0, "b": 1000.0},
        reference="a",
        blocks={"one": steps, "two": steps},
        operations={"two": "echoVoid"},
    )
    assert len(analysis.sentences) == 2
    said = headline(analysis).verdict
    assert said.startswith("By throughput, on this machine, at this hour, ") and "under " in said and "2 loads" in said


def test_long_labels_share_what_all_have_in_common() -> None:
    orders = [f"wildfly@variant={name}@linked-exim" for name in ("web-service", "ws-at", "outbox")]
    short = short_labels(orders)
    assert list(short.shown.values()) == ["web-service", "ws-at", "outbox"]
    assert short.shared == "wildfly@variant=\u2026@linked-exim"
    assert short.in_sentence(f"{orders[1]} is slower than {orders[2]}.") == "ws-at is slower than outbox."
    formats = short_labels(["go", "go@format=rest-json", "go@format=grpc"])
    assert list(formats.shown.values()) == ["go", "rest-json", "grpc"] and formats.shared == "go@format=\u2026"


def test_the_reference_without_a_setting_keeps_its_server_as_name() -> None:
    short = short_labels(["tomcat-cxf", "tomcat-cxf@format=signed", "tomcat-cxf@tls=on"])
    assert list(short.shown.values()) == ["tomcat-cxf", "format=signed", "tls=on"]
    assert short.shared == "tomcat-cxf@\u2026"
    assert short.in_sentence("tomcat-cxf@tls=on is slower than tomcat-cxf") == "tls=on is slower than tomcat-cxf"


@pytest.mark.parametrize(
    "labels",
    [
        ["go", "tomcat-metro"],
        ["go"],
        ["tomcat-metro@variant=original", "wildfly@variant=modified"],
    ],
)
def test_labels_that_are_short_or_share_nothing_stay_whole(labels: list[str]) -> None:
    short = short_labels(labels)
    assert list(short.shown.values()) == labels and short.shared == ""
