"""Figures of a paper's text are shown beside ours, and declared contradictions must be real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from steelyard.analyse.analysis import full_analysis
from steelyard.analyse.measures import registry
from steelyard.base.text import value_text
from steelyard.catalogue import entries
from steelyard.models.study import ContradictingStatements, Study
from steelyard.report import write_report
from synthetic import Planted, write_run

PUBLISHED = """
[[published]]
measure = "throughput"
subject = "go"
tests = ["echoStruct", "echoVoid"]
low = 11
high = 100
source = "section 4711"

[[contradicting]]
about = "how much longer it takes"
unit = "%"
statements = [{ source = "section 5", low = 20, high = 20 }, { source = "section 4", low = 11, high = 13 }]
"""


def test_a_report_shows_the_papers_figures_beside_those_of_the_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted())
    (run / "study.toml").write_text(
        (run / "study.toml").read_text() + PUBLISHED if (run / "study.toml").exists() else PUBLISHED
    )
    page = write_report(run).read_text()
    assert "<td>11 to 100</td>" in page and "section 4711" in page
    assert "how much longer it takes: 20 % (section 5) and 11 to 13 % (section 4)" in page
    assert " (echoStruct)</td>" in page, "the run's own figure of the cell stands beside"


def test_a_papers_figures_that_a_run_has_none_of_stand_folded_behind_those_that_it_has(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted())
    absent = PUBLISHED.replace('"echoStruct", "echoVoid"', '"of another day"').replace("4711", "4712")
    (run / "study.toml").write_text(PUBLISHED + absent[: absent.index("[[contradicting]]")])
    page = write_report(run).read_text()
    shown, _, folded = page.partition("1 more, of tests that are not in this run")
    assert "section 4711" in shown and "section 4712" not in shown
    assert "section 4712" in folded and "not in this run</td>" in folded


@pytest.mark.parametrize("statements", [[(20, 20), (15, 25)], [(11, 13)]])
def test_what_goes_together_is_no_contradiction(statements: list[tuple[int, int]]) -> None:
    said = [{"source": "s", "low": low, "high": high} for low, high in statements]
    with pytest.raises(ValidationError):
        ContradictingStatements.model_validate({"about": "x", "unit": "%", "statements": said})


@pytest.mark.parametrize("changed", [{"subject": "nobody"}, {"tests": ["clients-41"]}, {"low": 5, "high": 4}])
def test_a_published_figure_is_of_a_subject_and_tests_of_the_study(changed: dict[str, Any]) -> None:
    study = entries.study("petstore").model.model_dump(mode="json")
    study["published"][0] |= changed
    with pytest.raises(ValidationError):
        Study.model_validate(study)


def test_every_published_figure_of_the_pet_store_is_of_a_measure_that_it_has() -> None:
    study = entries.study("petstore").model
    assert {one.measure for one in study.published} <= set(registry(study.model_dump(mode="json")))


@pytest.mark.parametrize(("by", "unit"), [("more", "requests/s"), ("percent", "%")])
def test_how_much_more_one_has_than_another_stands_beside_the_papers_difference(
    tmp_path: Path, by: str, unit: str
) -> None:
    run = write_run(tmp_path / "run", Planted())
    (run / "study.toml").write_text(
        f"""
[[published]]
measure = "throughput"
subject = "slow"
than = "go"
by = "{by}"
tests = ["echoStruct"]
low = 1
high = 2
source = "section 4711"
"""
    )
    verdicts = full_analysis(run).verdicts
    values = {one.subject: one.value for one in verdicts.figures if one.measure == "throughput"}
    (subject,) = set(values) - {"go"}
    (run / "study.toml").write_text((run / "study.toml").read_text().replace('"slow"', f'"{subject}"'))
    mine, other = values[subject], values["go"]
    assert mine is not None and other is not None
    expected = mine - other if by == "more" else 100 * (mine / other - 1)
    page = write_report(run).read_text()
    assert f", {unit}</td><td>{subject}, more than go</td>" in page
    assert f"<td>{value_text(expected)} (echoStruct)</td>" in page
