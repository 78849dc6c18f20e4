"""Two stored runs are shown side by side, with all that differs between them, and never judged."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from lxml import html
from markupsafe import escape
from rich.console import Console
from steelyard.base.errors import ConfigurationError
from steelyard.commands import printing
from steelyard.models.outputs.beside import BesideOutput, SetupDifference
from steelyard.report import beside_page
from steelyard.report.beside import agreement, compare_runs
from steelyard.report.script import SCRIPT
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
KERNEL = {"machine": {"kernel": "6.1", "processors": 2}}


def pair(tmp_path: Path, first: dict[str, Any], second: dict[str, Any]) -> BesideOutput:
    small: dict[str, Any] = {"forks": 2, "pairs": 3}
    old = write_run(tmp_path / "old", Planted(**{**small, **first}))
    new = write_run(tmp_path / "new", Planted(**{**small, **second}))
    return compare_runs([old, new])


def test_figures_that_both_have_stand_side_by_side_with_their_ratio_and_without_a_verdict(tmp_path: Path) -> None:
    found = pair(tmp_path, {"rates": {A: 8_000.0, B: 10_000.0}}, {"rates": {A: 4_000.0, "wildfly": 9_000.0}})
    rows = {one.measure: one for one in found.figures}
    assert {one.subject for one in found.figures} == {A}
    assert rows["throughput"].ratios == [1.0, pytest.approx(0.5, abs=0.02)]
    assert rows["throughput"].intervals[0] is not None
    console = Console(width=200, file=StringIO(), record=True)
    printing.show_side_by_side(found, console)
    said = console.export_text()
    assert "not paired: " in said and "steelyard check OLD NEW" in said
    assert not any(word in said for word in ("faster", "slower", "equivalent"))


def test_what_differs_between_their_setups_is_said_and_nothing_else(tmp_path: Path) -> None:
    newer = {"machine": {"kernel": "6.18", "processors": 2}}
    assert pair(tmp_path / "same", {"environment": KERNEL}, {"environment": KERNEL}).differences == []
    found = pair(tmp_path / "other", {"environment": KERNEL}, {"environment": newer})
    assert found.differences == [SetupDifference(setting="machine.kernel", values=["6.1", "6.18"])]


def test_what_differs_is_a_table_of_plain_values(tmp_path: Path) -> None:
    def environment(heap: str, flags: list[str]) -> dict[str, Any]:
        part = {"server": "go", "factors": {"heap": heap}, "flags": flags}
        return {"environment": {"subjects": {B: [part, {"server": "h2"}]}}}

    found = pair(tmp_path, environment("64m", ["-a"]), environment("128m", ["-a", "-b"]) | {"users": 16})
    assert {one.setting: one.values for one in found.differences} == {
        f"subjects.{B}.factors.heap": ["64m", "128m"],
        f"subjects.{B}.flags": ["-a", "-a, -b"],
        "load of echoStruct": ["big-bang, 8 users, seconds 2.0", "big-bang, 16 users, seconds 2.0"],
        "parameter Agents": ["8", "16"],
    }
    rows = html.document_fromstring(beside_page.html_of(found)).xpath("//section[@id='differences']//tbody/tr")
    assert [cell.text_content() for cell in rows[0]] == [f"subjects.{B}.factors.heap", "64m", "128m"]
    console = Console(width=200, file=StringIO(), record=True)
    printing.show_side_by_side(found, console)
    said = console.export_text()
    assert re.search(r"flags +-a +-a, -b", said) and "{" not in said


def test_the_page_of_several_runs_says_what_the_terminal_says_and_escapes_what_runs_are_called(tmp_path: Path) -> None:
    for n in (1, 2, 3):
        rates = {A: 8_000.0 + 100 * n, B: 10_000.0}
        write_run(tmp_path / f"<b>run-{n}", Planted(rates=rates, seed=n, pairs=5, environment=KERNEL))
    runs = compare_runs([tmp_path / f"<b>run-{n}" for n in (1, 2, 3)])
    page = beside_page.html_of(runs)
    assert "<b>run-" not in page and "&lt;b&gt;run-3" in page
    assert str(escape(agreement(runs.questions[0]))) in page
    assert page.count('<tr><th scope="row">') == 3 * len(runs.questions) + len(runs.figures)
    assert "\u00d71.0" in page and not re.search(r"https?://(?!www.w3.org/2000/svg)|src=", page)
    assert page.count("<script") == 1 and f"<script>{SCRIPT}</script>" in page


def test_several_runs_make_a_page_where_one_is_and_json_makes_none(tmp_path: Path) -> None:
    for n in (1, 2):
        write_run(tmp_path / f"run-{n}", Planted(forks=2, pairs=3, seed=n))
    ran = steelyard("report", "run-1", "run-2", "--json", folder=tmp_path)
    assert ran.code == 0 and not list(tmp_path.glob("*.html")), ran.err
    ran = steelyard("report", "run-1", "run-2", folder=tmp_path)
    assert ran.code == 0 and "page: side-by-side.html" in ran.out, ran.err
    assert (tmp_path / "side-by-side.html").read_text().startswith("<!doctype html>")
    ran = steelyard("report", "run-1", "run-2", "--pdf", folder=tmp_path)
    assert ran.code == 64 and "take one run" in ran.err


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(forks=1, pairs=3))
    with pytest.raises(ConfigurationError, match="nowhere"):
        compare_runs([run, tmp_path / "nowhere"])


def campaigns(tmp_path: Path, rates: list[float], **planted: Any) -> BesideOutput:
    runs = [
        write_run(tmp_path / f"run-{n}", Planted(rates={A: rate, B: 10_000.0}, seed=n, pairs=5, **planted))
        for n, rate in enumerate(rates, 1)
    ]
    return compare_runs(runs)


def test_campaigns_that_disagree_say_how_much_they_vary_and_what_one_more_would_find(tmp_path: Path) -> None:
    (question,) = campaigns(tmp_path, [7_000.0, 7_700.0, 8_400.0]).questions
    assert [one.forks for one in question.campaigns] == [4, 4, 4]
    assert question.contradict and 0.05 < question.spread < 0.15
    assert question.mean == pytest.approx(0.767, abs=0.03)
    assert question.prediction is not None and question.prediction[0] < 0.7 and question.prediction[1] > 0.84
    said = agreement(question)
    assert "Between 3 campaigns the ratio varies by" in said and "the next run is expected to find" in said
    assert "contradict each other" in said


def test_two_campaigns_that_agree_predict_nothing(tmp_path: Path) -> None:
    (question,) = campaigns(tmp_path, [8_000.0, 8_000.0]).questions
    assert question.prediction is None and not question.contradict
    assert "the next run is expected to find" not in agreement(question)


def test_loads_that_differ_are_not_one_question(tmp_path: Path) -> None:
    small: dict[str, Any] = {"pairs": 5}
    old = write_run(tmp_path / "old", Planted(users=8, **small))
    new = write_run(tmp_path / "new", Planted(users=16, **small))
    assert compare_runs([old, new]).questions == []


def with_shares(run: Path, rate: float) -> None:
    """Give a run a load in which its subjects have rates of their own, as the study of frameworks has."""
    schedule = json.loads((run / "schedule.json").read_text())
    profile = {"kind": "rate", "stages": [{"from_rate": 1, "to_rate": 1, "seconds": 2}]}
    half = {"name": "half", "mix": {"echoStruct": 1}, "users": 8, "profile": profile, "primary": False, "share": 0.5}
    schedule["cells"].append(
        {**half, "share_of": "echoStruct", "load": "half-rate", "subject_rates": {A: rate, B: 5_000}}
    )
    (run / "schedule.json").write_text(json.dumps(schedule))


def test_loads_at_a_share_of_a_throughput_differ_by_each_subjects_rate(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / str(rate), Planted(forks=2, pairs=3)) for rate in (4_000, 4_100)]
    for run, rate in zip(runs, (4_000.0, 4_100.0), strict=True):
        with_shares(run, rate)
    found = compare_runs(runs)
    (difference,) = found.differences
    assert difference.setting == "load of half" and all("50% of echoStruct" in value for value in difference.values)
    assert f"{A} 4,000 requests/s" in difference.values[0] and f"{A} 4,100 requests/s" in difference.values[1]
    assert len(found.questions) == 1 and "from_rate" not in " ".join(difference.values)
    assert beside_page.html_of(found)


def test_open_loads_of_other_rates_are_not_one_question(tmp_path: Path) -> None:
    small: dict[str, Any] = {"pairs": 5, "judged_by": "response_time_mean"}
    slow, fast = (write_run(tmp_path / f"{rate:g}", Planted(open_rate=rate, **small)) for rate in (300.0, 400.0))
    assert compare_runs([slow, fast]).questions == []
    assert len(compare_runs([slow, slow]).questions) == 1


def test_a_run_in_several_sessions_is_named_with_its_runs(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(forks=2, pairs=3))
    for name in ("session-1", "session-2"):
        (tmp_path / "several" / "machines" / name).mkdir(parents=True)
    (tmp_path / "several" / "cluster.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="in several sessions") as refused:
        compare_runs([run, tmp_path / "several"])
    assert all(f"machines/session-{number}" in refused.value.hint for number in (1, 2))
