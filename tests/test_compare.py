"""`compare` and `check` on real servers: they end at a deciding look, and the gate's exit code matches the result."""

from __future__ import annotations

import csv
import json
import re
from xml.etree import ElementTree

import pytest
from conftest import Lab, trial_records

SHORT = ["--slice-seconds", "0.4", "--pairs", "3", "--warm-up", "2", "--users", "2"]


@pytest.mark.alone
def test_a_regression_fails_the_gate_at_a_look_with_junit_and_a_summary(lab: Lab) -> None:
    ran = lab.run_undisturbed("check", "go", "odd", "--margin", "5%", "--budget", "10m", *SHORT)
    assert ran.code == 1, ran.err
    assert "regression; junit.xml and summary.md are in" in ran.err
    run = lab.runs()[-1]
    verdicts = json.loads((run / "verdicts.json").read_text())
    primary = next(one for one in verdicts["comparisons"] if one["primary"])
    assert (primary["a"], primary["b"], primary["verdict"]) == ("odd", "go", "slower")
    looks = json.loads((run / "schedule.json").read_text())["looks"]
    assert looks == [4, 6, 9, 12] and primary["forks"] in looks
    failure = ElementTree.parse(run / "junit.xml").find("testcase/failure")
    summary = (run / "summary.md").read_text()
    assert failure is not None and "regression" in summary
    sentence = failure.get("message")
    assert sentence is not None and re.match(
        r"odd is \d+% slower than go on echoStruct, by throughput \([0-9.]+%", sentence
    )
    assert sentence in summary and sentence in ran.out


@pytest.mark.alone
def test_a_server_against_itself_is_equivalent_within_a_wide_margin_and_not_ranked(lab: Lab) -> None:
    ran = lab.run_undisturbed("compare", "go", "go", "--margin", "60%", "--budget", "10m", "--json", *SHORT)
    assert ran.code == 0, ran.err
    found = ran.json()
    primary = next(one for one in found["comparisons"] if one["primary"])
    assert found["valid"] is True
    assert (primary["a"], primary["b"], primary["verdict"], primary["forks"]) == ("go", "go.again", "equivalent", 4)
    assert primary["interval"][0] < primary["ratio"] < primary["interval"][1]
    (history,) = (lab.folder / "state").glob("*/aa-history.csv")
    with history.open(newline="") as file:
        (remembered,) = csv.DictReader(file)
    assert (remembered["server"], remembered["operation"], remembered["forks"]) == ("go", "echoStruct", "4")
    assert float(remembered["ratio"]) == pytest.approx(primary["ratio"], abs=1e-5)


def test_a_gate_whose_subject_fails_cannot_tell(lab: Lab) -> None:
    ran = lab.run("check", "odd", "odd@mode=die-at-start", "--budget", "1m", *SHORT)
    assert ran.code == 2, ran.err
    assert "there is no room for me here" in ran.err and "Traceback" not in ran.err


@pytest.mark.alone
def test_a_budget_is_kept_and_what_it_cannot_hold_is_said_before_anything_starts(lab: Lab) -> None:
    ran = lab.run_undisturbed("compare", "go", "go", "--budget", "20s", "--slice-seconds", "0.4", "--users", "2")
    assert ran.code == 0, ran.err
    said = (
        "20 s is enough for about 1 of the 4 forks that a verdict needs, so there may be no verdict; a budget of about "
    )
    assert said in ran.err
    run = lab.runs()[-1]
    records = trial_records(run)
    assert 1 <= len(records) < 4, "no fork was begun that would have ended after the budget"
    assert sum(record["seconds"] for record in records[:-1]) <= 21
    verdicts = json.loads((run / "verdicts.json").read_text())
    assert [one["verdict"] for one in verdicts["comparisons"] if one["primary"]] == ["too few forks"]
