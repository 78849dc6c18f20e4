"""Steps of a session that are repeated, and steps that are made only where a value was captured."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from lxml import etree
from paged_list import SERVICE, pages, written
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload.exporting.jmeter import jmeter_files
from steelyard.workload.exporting.k6 import k6_files
from steelyard.workload.exporting.planned import plan_export
from steelyard.workload.load_spec import LoadSpec
from steelyard.workload.load_target import of_service
from steelyard.workload.planned_load import profile_of

MANY = """repeat = 2
[[sessions.read.steps]]
repeat = 1000
[[sessions.read.steps.steps]]
name = "a"
path = "/"
repeat = 3
"""


@pytest.mark.usefixtures("one_engine_processor")
def test_a_list_is_read_page_by_page_to_its_end(tmp_path: Path) -> None:
    words = ("--users", "2", "--for", "1s", "--json", "--out", "runs")
    with pages() as (port, counted):
        made = str(written(tmp_path, SERVICE, port))
        ran = steelyard("load", made, *words, folder=tmp_path, environment={"STEELYARD_STRANGERS": "yes"})
    outcome = ran.outcome
    (session,) = outcome["sessions"]
    assert (outcome["failed"], session["failed"], session["cut"]) == (0, 0, 0)
    whole = session["completed"] + session["completed_outside"] + 1  # one by the verification
    assert counted == {"/list": whole, "/page/2": whole, "/page/3": whole, "/news": 2 * whole}
    report = (tmp_path / outcome["run"] / "report.html").read_text()
    assert "read.page" in report


def test_exports_repeat_steps_and_keep_their_conditions(tmp_path: Path) -> None:
    target = of_service(entries.service_at(str(written(tmp_path, SERVICE))), 1, Expect())
    plan = plan_export(target, LoadSpec(users=(2, 2)), {})
    script = k6_files(plan)[0]["pages.k6.js"]
    assert script.count('"ifCaptured": "next"') == 5 and script.count('"mayLack": true') == 6
    tree = etree.fromstring(
        next(text for name, text in jmeter_files(plan)[0].items() if name.endswith(".jmx")).encode()
    )
    conditions = [found.text for found in tree.iterfind(".//IfController/*[@name='IfController.condition']")]
    assert conditions == ["${__groovy(!(vars.get('next') ?: '').isEmpty())}"] * 5
    assert [found.get("testname") for found in tree.iter("HTTPSamplerProxy")] == [
        "read.list", *["read.page"] * 5, *["read.news"] * 2
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('if_captured = "next"', 'if_captured = "nxt"', "no step before it captures; did you mean 'next'"),
        ('if_captured = "next"\n', 'if_captured = "next"\npath = "/"\n', "a group of steps has only repeat and if_captured"),
        ("repeat = 5\nif_captured", "if_captured", "no later step uses next, which step page captures"),
        ('path = "/news"', 'path = "/news/{{{{next}}}}"', r"step news needs \{\{next\}\}, which an answer may lack"),
        ('name = "list"', 'name = "list"\nif_captured = "next"', "step list has if_captured = next, which no step before"),
        ("repeat = 5", "repeat = 1001", "must be at most 1000, not 1001"),
        ("repeat = 2", MANY, "at most 2,000 requests"),
    ],
)  # fmt: skip
def test_a_condition_or_repetition_that_cannot_be_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    made = written(tmp_path, SERVICE.replace(old, new, 1))
    with pytest.raises(ConfigurationError, match=message):
        of_service(entries.service_at(str(made)), 1, Expect())


@pytest.mark.usefixtures("one_engine_processor")
def test_each_user_makes_its_iterations_and_the_load_ends_with_the_last(tmp_path: Path) -> None:
    words = ("--users", "3", "--iterations", "5", "--for", "60s", "--json", "--out", "runs")
    with pages() as (port, counted):
        made = str(written(tmp_path, SERVICE, port))
        ran = steelyard("load", made, *words, folder=tmp_path, environment={"STEELYARD_STRANGERS": "yes"})
    (session,) = ran.outcome["sessions"]
    assert (session["completed"], session["completed_outside"]) == (15, 0)
    assert counted["/list"] == 16  # one by the verification


@pytest.mark.parametrize("more", [{"most_requests": 9}, {"rates": (5.0, 5.0)}, {"users": (1, 4), "profile": "ramp"}])
def test_iterations_are_of_a_constant_number_of_users_alone(more: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="--iterations"):
        profile_of(LoadSpec(iterations=3, **more))


@pytest.mark.usefixtures("one_engine_processor")
def test_recorded_pauses_follow_the_answers_of_a_step_each_as_often_as_the_others(tmp_path: Path) -> None:
    text = SERVICE.replace('path = "/news"\nrepeat = 2', 'path = "/news"\npauses_ms = [40, 80]')
    words = ("--users", "1", "--iterations", "10", "--for", "60s", "--warm-up", "0", "--json", "--out", "runs")
    with pages() as (port, _):
        made = str(written(tmp_path, text, port))
        ran = steelyard("load", made, *words, folder=tmp_path, environment={"STEELYARD_STRANGERS": "yes"})
    with (tmp_path / ran.outcome["run"] / "trials" / "01" / "slices.csv").open(newline="") as rows:
        (row,) = csv.DictReader(rows)
    # A session's last pause follows it: the last session has none in the load.
    assert int(row["thinks"]) in (9, 10)
    assert int(row["think_ns_sum"]) / int(row["thinks"]) == pytest.approx(60e6, rel=0.05)


def test_a_step_has_one_kind_of_pause_and_exports_say_that_they_have_its_mean(tmp_path: Path) -> None:
    recorded = SERVICE.replace("repeat = 2", "pauses_ms = [40, 80]")
    plan = plan_export(of_service(entries.service_at(str(written(tmp_path, recorded))), 1, Expect()), LoadSpec(), {})
    assert ("pauses_ms of read.news", "their mean is exported") in [(each.what, each.why) for each in plan.left_out]
    assert '"ms": 60.0' in k6_files(plan)[0]["pages.k6.js"]
    (tmp_path / "both").mkdir()
    both = written(tmp_path / "both", recorded + 'think = {{ kind = "constant", ms = 5 }}\n')
    with pytest.raises(ConfigurationError, match="either think or pauses_ms"):
        of_service(entries.service_at(str(both)), 1, Expect())
