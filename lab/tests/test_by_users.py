"""A study's own measures by the number of users: a chart of the measurements with the paper's ranges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from steelyard.analyse.analysis import full_analysis
from steelyard.analyse.figures import ForkFigure
from steelyard.report import write_report
from steelyard.report.charts.by_users import PublishedSpan, users_chart
from synthetic import Planted, write_run

STUDY = """
[[measures]]
name = "own_rate"
title = "A rate of its own"
unit = "1/s"
better = "higher"
source = "slices"
formula = "completed / seconds"

"""


def run_of_tests(folder: Path, users: dict[str, int]) -> Path:
    """A stored run whose cells each hold one number of users."""
    run = write_run(folder, Planted(study=STUDY, cells=dict.fromkeys(users, 1.0)))
    schedule = json.loads((run / "schedule.json").read_text())
    for cell in schedule["cells"]:
        cell["users"] = users[cell["name"]]
        cell["profile"] = {"kind": "steps", "levels": [users[cell["name"]]], "hold_seconds": 2}
    (run / "schedule.json").write_text(json.dumps(schedule))
    return run


def test_a_report_of_several_numbers_of_users_shows_the_studys_own_measures_over_them(tmp_path: Path) -> None:
    page = write_report(run_of_tests(tmp_path / "run", {"echoStruct": 4, "echoVoid": 16})).read_text()
    assert "<h2>By the number of users</h2>" in page and "A rate of its own, 1/s" in page


def test_one_number_of_users_has_no_such_chart(tmp_path: Path) -> None:
    page = write_report(run_of_tests(tmp_path / "run", {"echoStruct": 4})).read_text()
    assert "By the number of users" not in page


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> list[ForkFigure]:
    run = run_of_tests(tmp_path_factory.mktemp("by-users") / "run", {"echoStruct": 4, "echoVoid": 16})
    return [figure for figure in full_analysis(run).figures if figure.measure.name == "own_rate"]


def test_the_chart_is_a_table_too_in_the_order_of_users(figures: list[ForkFigure]) -> None:
    picture = users_chart("x", figures, [], ["tomcat-metro", "go"])
    assert picture is not None
    assert [row[:2] for row in picture.rows] == [
        ("4", "tomcat-metro"),
        ("4", "go"),
        ("16", "tomcat-metro"),
        ("16", "go"),
    ]
    assert all(row[2] and " to " in row[3] for row in picture.rows), "each has its value and its interval"


def test_the_papers_spans_lie_behind(figures: list[ForkFigure]) -> None:
    plain = users_chart("x", figures, [], ["tomcat-metro", "go"])
    behind = users_chart("x", figures, [PublishedSpan("go", 16, 5000, 9000)], ["tomcat-metro", "go"])
    assert plain is not None and behind is not None
    assert 'stroke-width="9"' in str(behind.wide) and 'stroke-width="9"' not in str(plain.wide)
