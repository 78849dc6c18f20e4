"""A report on tests with a shape: charts, findings, the paper's numbers beside ours, and the graph of services."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from steelyard.analyse.analysis import analyse
from steelyard.base import paths
from steelyard.catalogue.published_tables import keep
from steelyard.models.job import BigBang, Bursts, Profile, Ramp, Steps
from steelyard.report import write_report
from steelyard.report.charts.graph import graph
from synthetic import Planted, write_run

STUDY = paths.root() / "papers" / "soaservers" / "soaservers.toml"
GRAPH = paths.root() / "services" / "soaservers" / "contract" / "graph.xml"
BLOCKS: dict[str, Profile] = {
    "8": BigBang(users=15, seconds=18),
    "10": Ramp(from_users=1, to_users=30, seconds=30),
    "12": Bursts(users=35, idle_seconds=1, on_seconds=8, off_seconds=1, seconds=28),
    "13": BigBang(users=1, seconds=3),
    "stress-mesh": Steps(levels=[1, 2, 3, 4, 6, 8, 12], hold_seconds=5),
}
OPERATIONS = {"8": "pair", "10": "pair", "12": "pair", "13": "mesh", "stress-mesh": "mesh"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tests") / "run"
    rates = {"tomcat-metro": 700.0, "wildfly": 500.0}
    planted = Planted(
        rates=rates,
        reference="tomcat-metro",
        blocks=BLOCKS,
        operations=OPERATIONS,
        refuses_from={"tomcat-metro": 24},
        scale=0.1,
        study=STUDY.read_text(),
    )
    write_run(folder, planted)
    keep(STUDY, folder)
    (folder / "corpus").mkdir()
    shutil.copyfile(GRAPH, folder / "corpus" / "graph.xml")
    analyse(folder)
    return folder


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    return write_report(run).read_text()


def section(page: str, test: str) -> str:
    return page.partition(f'id="test-{test}"')[2].partition('<details class="test"')[0]


def test_each_environment_has_a_section_with_its_tests_in_order(page: str) -> None:
    places = [
        page.index(words)
        for words in (
            "<h2>Which server when",
            "<h2>Operation pair",
            'id="test-8"',
            "<h2>Operation mesh",
        )
    ]
    assert places == sorted(places)
    assert "Operation by operation" not in page and "The evidence" not in page


def test_charts_are_over_time_and_where_users_change_over_users(page: str) -> None:
    assert "Response time, ms, over time" in section(page, "8") and "over users" not in section(page, "8")
    for test in ("10", "stress-mesh"):
        assert "Throughput, requests/s, over users" in section(page, test)
    assert "Failures of all kinds" in section(page, "10") and "Failures of all kinds" not in section(page, "8")


@pytest.mark.parametrize(
    "shape",
    [
        BigBang(users=15, seconds=0.3),
        Ramp(from_users=1, to_users=2, seconds=0.3),
        Steps(levels=[1, 2], hold_seconds=0.1),
        Ramp(from_users=0, to_users=1, seconds=0.4),
    ],
    ids=["no whole second", "a ramp of no second", "steps of no second", "no user in any second"],
)
def test_work_that_was_done_before_its_first_second_ended_is_reported(tmp_path: Path, shape: Profile) -> None:
    rates = {"tomcat-metro": 700.0, "wildfly": 500.0}
    planted = Planted(rates=rates, reference="tomcat-metro", blocks={"8": shape}, operations=OPERATIONS)
    write_run(tmp_path / "run", planted)
    page = write_report(tmp_path / "run").read_text()
    assert "Response time, ms, over time" in section(page, "8")


def test_findings_stand_in_sentences_and_what_is_too_short_is_said(page: str) -> None:
    assert "tomcat-metro refuses from 24 users on" in section(page, "10")
    assert "recovers in every burst" in section(page, "12")
    unjudged = re.findall("Not judged whether ([^:<]*) sustains the load", section(page, "13"))
    assert any("wildfly" in subjects for subjects in unjudged)


def test_the_papers_table_stands_beside_with_ratios_littles_law_and_marked_claims(page: str) -> None:
    beside = section(page, "8")
    for words in (
        "4.11",
        "as printed, with decimal commas",
        "651,23",
        "21,76",
        "215,7694",
        "68,3",
        "47,336",
        "weblogic / tomcat",
        "0.32",
        "wildfly / tomcat-metro",
    ):
        assert words in beside, words
    assert "Tomcat&#39;s response time is 202% greater" in beside and "its own tables say" in beside
    assert beside.count('class="warning"') == 1, "of the two rows of test 8 only one contradicts Little's law"
    assert "slight upward trend" in beside
    assert "smaller by 10.5%" in beside and "5.5%" not in beside
    assert "better by 102%" in section(page, "12") and "380% to 550%" in section(page, "10")


def test_the_scale_is_said_in_the_headline_the_facts_the_notes_and_at_each_test(page: str) -> None:
    first_screen, in_full = (
        page.partition(f'id="{each}"')[2].partition("</section>")[0] for each in ("verdict", "in-full")
    )
    assert "scaled by" in first_screen and in_full.count("scaled by") >= 3
    assert all("times scaled by 0.1" in section(page, test) for test in BLOCKS)
    assert "times scaled by 0.1, but bursts of 8 s and not 4)" in section(page, "12")
    assert "times scaled by 0.1, but steps of 5 s and not 1)" in section(page, "stress-mesh")
    assert "all times" not in page


def test_both_deviations_and_the_failed_share_are_in_the_table(page: str) -> None:
    for words in ("SD of requests", "SD of seconds", "failed"):
        assert words in section(page, "10"), words


def test_the_graph_is_drawn_with_how_often_each_service_is_called() -> None:
    found = graph(GRAPH)
    assert found is not None
    assert "10 services, 23 calls per request" in found.caption
    assert {name: times for name, _, _, times in found.rows}["s9"] == "6"
    assert found.svg.count("<rect") == 10 and found.svg.count('stroke-dasharray="4 3"') == 8


@pytest.mark.parametrize(
    "text",
    ["no XML", "<graph/>", '<graph entry="a"><service name="a" calls="b"/><service name="b" calls="a"/></graph>'],
)
def test_what_is_no_graph_is_not_drawn(tmp_path: Path, text: str) -> None:
    (tmp_path / "graph.xml").write_text(text)
    assert graph(tmp_path / "graph.xml") is None and graph(tmp_path / "none.xml") is None


def test_a_graphs_names_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "graph.xml").write_text('<graph entry="&lt;b&gt;"><service name="&lt;b&gt;"/></graph>')
    found = graph(tmp_path / "graph.xml")
    assert found is not None and "&lt;b&gt;" in found.svg and "<b>" not in found.svg


def test_the_same_files_give_the_same_page(run: Path, page: str) -> None:
    assert write_report(run).read_text() == page
