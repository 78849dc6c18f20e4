"""The first screen: the verdict, its reason, its certainty, its time and place; with many subjects a table before the
sentences."""

from __future__ import annotations

import json
from pathlib import Path

from steelyard.analyse.analysis import analyse_run
from steelyard.models.records import Check
from steelyard.report import badges, dates, standings
from steelyard.report.page import html_of
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

MANY = {"tomcat-metro": 8000.0, "go": 10000.0, "gsoap": 12000.0, "wildfly": 4000.0, "null": 30000.0}


def analysed(tmp_path: Path, **planted: object):  # type: ignore[no-untyped-def]
    return analyse_run(read_run(write_run(tmp_path / "run", Planted(**planted))))  # type: ignore[arg-type]


def test_why_says_both_sides_of_what_goes_with_the_verdict(tmp_path: Path) -> None:
    (why,) = standings.cost_sentences(analysed(tmp_path, memory_bytes={(t, "go"): 100 * 2**20 for t in (1, 2, 3, 4)}))
    assert why.startswith("Compared with go, tomcat-metro uses 1.")
    assert "times the processor time per request (" in why and "p99" not in why, (
        "its tail is a queue's under closed load"
    )
    assert "times the memory (" in why and "against 100 MiB" in why


def test_the_tail_explains_a_verdict_under_open_load(tmp_path: Path) -> None:
    (why,) = standings.cost_sentences(analysed(tmp_path, open_rate=500.0, judged_by="response_time_p50"))
    assert "times the p99 (" in why


def test_a_ratio_whose_interval_holds_1_is_said_not_to_be_told_apart(tmp_path: Path) -> None:
    (why,) = standings.cost_sentences(analysed(tmp_path, rates={"a": 9000.0, "b": 9000.0}, reference="b"))
    assert "no difference detected" in why


def test_without_a_valid_verdict_nothing_is_explained(tmp_path: Path) -> None:
    assert standings.cost_sentences(analysed(tmp_path, engine_share=0.95)) == []


def test_many_subjects_are_a_table_best_first_with_the_reference_in_it(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, rates=MANY)
    table = standings.standings(analysis)
    assert table is not None and standings.cost_sentences(analysis) == []
    assert [row.subject for row in table.rows] == ["null", "gsoap", "go", "tomcat-metro", "wildfly"]
    assert table.headline == "null is first of 5 by throughput on echoStruct, on this machine, at this hour"
    go = table.rows[2]
    assert (go.place, go.word, go.amounts[0].text) == ("3", "reference", "1")
    page = html_of(analysis)
    assert page.index("null is first of 5") < page.index('class="standings ') < page.index("The verdicts in sentences")


def test_a_floor_stands_last_and_has_no_place(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(rates=MANY))
    for path in folder.glob("trials/*/trial.json"):
        record = json.loads(path.read_text())
        for subject in record["subjects"]:
            subject["floor"] = subject["label"] == "null"
        path.write_text(json.dumps(record))
    table = standings.standings(analyse_run(read_run(folder)))
    assert table is not None
    assert (table.rows[-1].subject, table.rows[-1].place, table.rows[-1].floor) == ("null", "floor", True)
    assert table.headline.startswith("gsoap is first of 4")


def test_several_that_may_be_first_are_not_called_winners(tmp_path: Path) -> None:
    rates = {"a": 9000.0, "b": 9000.0, "c": 9000.0, "d": 9000.0, "e": 3000.0}
    table = standings.standings(analysed(tmp_path, rates=rates, reference="a", fork_deviation=0.05))
    assert table is not None
    assert table.headline.startswith(
        "The first place by throughput on echoStruct, on this machine, at this hour was not decided between"
    )
    assert table.headline.endswith("1 other is behind")


def test_when_a_run_was_measured_comes_from_its_trials_alone(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(forks=2))
    moments = (
        ("2026-01-31T23:10:00+00:00", "2026-01-31T23:40:00+00:00"),
        ("2026-02-01T01:00:00+01:00", "2026-02-01T01:05:30+01:00"),
    )
    for path, (begun, ended) in zip(sorted(folder.glob("trials/*/trial.json")), moments, strict=True):
        record = json.loads(path.read_text())
        record |= {"begun": begun, "ended": ended, "seconds": 100.0}
        path.write_text(json.dumps(record))
    run = read_run(folder)
    assert dates.when_text(run) == "31 January 2026, 23:10 to 1 February 2026, 00:05 UTC"
    assert dates.measuring_text(run) == "3 min 20 s"


def test_a_date_that_nobody_can_read_is_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(forks=1))
    for path in folder.glob("trials/*/trial.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"begun": "noon"}))
    assert dates.when_text(read_run(folder)) == ""


def test_what_must_be_known_is_a_badge_that_leads_to_where_it_is_told(tmp_path: Path) -> None:
    busy = Check(name="steal", found="2.9% was taken", good=False, advice="wait")
    analysis = analysed(tmp_path, unsteady=frozenset({(2, "go")}), machine={1: busy}, steal_s=0.1)
    shown = {badge.words: badge for badge in badges.badges(analysis)}
    assert {"still warming up", "noisy host"} <= set(shown)
    assert "go" in shown["still warming up"].explanation and "steal" in shown["noisy host"].explanation
    page = html_of(analysis)
    for badge in shown.values():
        assert f'href="#{badge.anchor}"' in page and f'id="{badge.anchor}"' in page, badge


def test_a_quiet_steady_run_has_no_badge(tmp_path: Path) -> None:
    assert list(badges.badges(analysed(tmp_path))) == []


def test_different_collectors_are_said(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(forks=1))
    for path in folder.glob("trials/*/trial.json"):
        record = json.loads(path.read_text())
        for subject, collector in zip(record["subjects"], ("G1", "Serial"), strict=True):
            subject["factors"] = {"gc": collector}
        path.write_text(json.dumps(record))
    (badge,) = [
        badge for badge in badges.badges(analyse_run(read_run(folder))) if badge.words == "different collectors"
    ]
    assert badge.explanation == "G1: tomcat-metro; Serial: go"
