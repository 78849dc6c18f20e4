"""Many subjects and many tests in a report: the matrix, folded tests, a row or a panel a subject, values on every mark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.models.job import BigBang
from steelyard.report import drawing
from steelyard.report.page import html_of
from steelyard.report.sections import evidence, matrix, operations, response_times, warm_ups
from steelyard.report.sections.verdict import facts
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

EIGHT = {f"server-{place}": 4000.0 + 1000 * place for place in range(8)}


def analysed(tmp_path: Path, **planted: object) -> Analysis:
    return analyse_run(read_run(write_run(tmp_path / "run", Planted(**planted))))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    cells = {"echoStruct": 1.0, "echoVoid": 1.5}
    return analysed(tmp_path_factory.mktemp("eight"), rates=EIGHT, reference="server-3", cells=cells, pairs=4, forks=4)


def test_the_matrix_has_a_row_an_operation_and_a_column_a_subject_but_the_reference(eight: Analysis) -> None:
    content = matrix.content(eight)
    assert content is not None
    (shown,) = content["matrices"]  # type: ignore[misc]
    assert [label for label, _ in shown.subjects] == [label for label in EIGHT if label != "server-3"]
    first, second = shown.lines
    assert (first.name, second.name) == ("echoStruct", "echoVoid")
    slow, fast = first.squares[0], first.squares[-1]
    assert (slow.word, slow.shade) == ("slower", "worse-3") and (fast.word, fast.shade[:6]) == ("faster", "better")
    assert "95% interval" in slow.hint and "4 forks" in slow.hint
    assert second.squares[0].word == "" and second.squares[0].shade.startswith("worse")


def test_more_subjects_than_colours_are_rows_best_first_and_a_panel_each(eight: Analysis) -> None:
    shown = operations.content(eight)
    assert shown is not None and not shown["coloured"]
    first = shown["levels"][0]  # type: ignore[index]
    assert [row[0] for row in first.rows] == sorted(EIGHT, reverse=True)
    panels = response_times.content(eight)
    assert panels is not None and len(panels["percentiles"]) == 2 * len(EIGHT)  # type: ignore[arg-type]
    folded = evidence.content(eight)
    assert folded is not None and len(folded["folded"]) == len(EIGHT) - 1  # type: ignore[arg-type]


def test_every_mark_has_its_value_as_a_title_and_nothing_else_of_the_librarys(eight: Analysis) -> None:
    page = html_of(eight)
    titles = re.findall(r"<title>([^<]*)</title></(?:path|line|rect|circle)>", page)
    assert any(re.fullmatch(r"ratio: \d\.\d+; fork: trial 1", title) for title in titles)
    assert any(re.fullmatch(r"server-0, 99% within [\d.,]+ ms", title) for title in titles)
    assert any(re.fullmatch(r"seconds: [\d.]+; requests/s: [\d,]+; subject: server-0", title) for title in titles)
    assert "graphics-symbol" not in page and "aria-roledescription" not in page
    assert not re.search(r">\d+e[+-]\d+<", page)


def test_where_no_difference_was_shown_there_is_no_colour(tmp_path: Path) -> None:
    rates = {"a": 9000.0, "b": 9000.0, "c": 9000.0}
    content = matrix.content(analysed(tmp_path, rates=rates, reference="a", cells={"x": 1.0, "y": 1.0}, seed=3))
    assert content is not None
    (shown,) = content["matrices"]  # type: ignore[misc]
    for line in shown.lines:
        for square in line.squares:
            assert (square.shade == "") == (
                square.word not in ("faster", "slower") and "holds" in holds_1(square.hint)
            ), square


def holds_1(hint: str) -> str:
    low, high = (float(bound) for bound in re.findall(r"interval ([\d.]+) to ([\d.]+)", hint)[0])
    return "holds 1" if low <= 1 <= high else "excludes 1"


def test_few_comparisons_need_no_matrix(tmp_path: Path) -> None:
    assert matrix.content(analysed(tmp_path, cells={"echoStruct": 1.0, "echoVoid": 1.0}, forks=1, pairs=2)) is None


def test_tests_are_folded_and_the_matrix_leads_into_them(tmp_path: Path) -> None:
    blocks = {"1": BigBang(users=5, seconds=8), "2": BigBang(users=15, seconds=8)}
    rates = {"a": 9000.0, "b": 6000.0, "c": 3000.0}
    page = html_of(analysed(tmp_path, rates=rates, reference="a", blocks=blocks, forks=4))
    assert page.count('<a href="#test-2">') >= 3
    assert re.search(r'<details class="test"><summary>.*?</summary>\s*<div id="test-2">', page, re.S)


def test_tests_of_other_subjects_have_a_table_of_their_own_without_empty_cells(tmp_path: Path) -> None:
    names = [f"s{place}" for place in range(6)]
    blocks = {name: BigBang(users=5, seconds=8) for name in ("all", "alone", "two", "three")}
    driven_on = {"alone": ["s0"], "two": ["s0", "s1"], "three": ["s0", "s1"]}
    rates = {name: 9000.0 - 500 * place for place, name in enumerate(names)}
    analysis = analysed(tmp_path, rates=rates, reference="s0", blocks=blocks, driven_on=driven_on, forks=3)
    content = matrix.content(analysis)
    assert content is not None
    every, pairs = content["matrices"]  # type: ignore[misc]
    assert [line.name for line in every.lines] == names[1:] and every.subjects == (("all", False),)
    assert [line.name for line in pairs.lines] == ["two", "three"] and pairs.subjects == (("s1", False),)
    assert all(square.ratio != "-" for line in every.lines for square in line.squares)


def test_of_many_trials_the_first_have_a_picture_of_their_warm_up(tmp_path: Path) -> None:
    content = warm_ups.content(analysed(tmp_path, forks=warm_ups.MOST_TRIALS + 2, pairs=2))
    assert content is not None and content["left_out"] == 2
    assert [shown.title for shown in content["warm_ups"]] == [f"Trial {n}" for n in range(1, 9)]  # type: ignore[attr-defined]


def test_a_figure_of_a_mark_is_read_like_any_other() -> None:
    mark = (
        '<path aria-label="throughput_per_s: 7.42725k; to: 0.650255; more: true" role="graphics-symbol" '
        'aria-roledescription="point" d="M0,0"/>'
    )
    assert drawing._with_titles(mark) == '<path d="M0,0"><title>requests/s: 7,427; up to: 0.6503</title></path>'


def test_tests_are_said_to_be_judged_by_what_they_are_judged_by(tmp_path: Path) -> None:
    blocks = {"1": BigBang(users=5, seconds=8), "2": BigBang(users=15, seconds=8)}
    rates = {"a": 9000.0, "b": 6000.0, "c": 3000.0}
    analysis = analysed(tmp_path, rates=rates, reference="a", blocks=blocks, forks=3, judged_by="response_time_p99")
    assert str(analysis.sentences[0]).startswith("On echoStruct, by 99th percentile of response time, on this machine")
    assert dict(facts(analysis))["judged by"] == "99th percentile of response time, test by test"
    assert "By 99th percentile of response time. Best is" in html_of(analysis)
