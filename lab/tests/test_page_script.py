"""The page's one script: allowed by its hash and nothing else, fed by data that cannot break out of it, and, in a real browser,
sorting, filtering, any two subjects and a fork's slices; without it everything is readable."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.models.job import Ramp
from steelyard.report import beside_page
from steelyard.report.beside import compare_runs
from steelyard.report.drawing import draw, marks
from steelyard.report.grammar import axis_of, channel
from steelyard.report.page import html_of
from steelyard.report.script import SCRIPT, data_block
from steelyard.report.sections import any_two, forks
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

RATES = {"go": 10_000.0, "b10": 8_000.0, "b9": 12_000.0} | {
    f"server-{place}": 2000.0 + 500 * place for place in range(6)
}
MILLISECONDS = 120_000


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    voided = {(2, 1, "b10"): {"reset": 5, "wrong": 1}}
    planted = Planted(rates=RATES, reference="go", pairs=4, changes=voided, unsteady=frozenset({(3, "b9")}))
    return analyse_run(read_run(write_run(tmp_path_factory.mktemp("script") / "run", planted)))


@pytest.fixture(scope="module")
def html(analysis: Analysis) -> str:
    return html_of(analysis)


def data_of(html: str, identifier: str) -> Any:
    (text,) = re.findall(rf'<script type="application/json" id="{identifier}">(.*?)</script>', html, re.S)
    return json.loads(text)


def test_the_policy_allows_the_script_that_stands_in_the_page_and_no_other(html: str) -> None:
    scripts = re.findall(r"<script(?P<kind>[^>]*)>(.*?)</script>", html, re.S)
    run = [text for kind, text in scripts if "application/json" not in kind]
    assert run == [SCRIPT]
    allowed = base64.b64encode(hashlib.sha256(run[0].encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    said = policy.replace("&#39;", "'")
    assert said == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"
    assert not re.search(r"\son[a-z]+=|javascript:", re.sub(r"<script.*?</script>", "", html, flags=re.S))


def test_the_script_asks_for_nothing_from_outside_and_makes_no_code() -> None:
    assert not re.search(
        r"https?://(?!www\.w3\.org/2000/svg)|fetch\(|XMLHttp|import\(|eval\(|innerHTML|Function\(", SCRIPT
    )
    assert "</" not in SCRIPT and "<!--" not in SCRIPT


def test_no_text_breaks_out_of_a_block_of_data() -> None:
    hostile = "</script><script>alert(1)</script> & <!-- ' \u2028"
    block = str(data_block("x", {hostile: hostile}))
    assert block.count("<") == 2 and block.count("</script>") == 1
    assert json.loads(block[block.index(">") + 1 : block.rindex("<")]) == {hostile: hostile}


def test_the_data_say_of_two_subjects_what_the_verdicts_say(analysis: Analysis, html: str) -> None:
    stored = data_of(html, any_two.DATA)
    assert stored["subjects"] == list(RATES)
    throughput = stored["measures"][0]
    assert throughput["title"].startswith("Throughput")
    said = {(row[0], row[1]): row for row in throughput["ratios"]}
    assert len(said) == len(RATES) * (len(RATES) - 1) // 2  # every two were compared
    for judgement in analysis.judgements:
        compared = judgement.compared
        if compared.primary and compared.interval is not None and judgement.word is not None:
            row = said[stored["subjects"].index(compared.a), stored["subjects"].index(compared.b)]
            assert row[2:5] == pytest.approx([compared.ratio, compared.interval.low, compared.interval.high], rel=1e-5)
            assert row[5] == judgement.word.value


def test_the_data_have_every_slice_of_every_fork_and_why_one_was_voided(analysis: Analysis, html: str) -> None:
    stored = data_of(html, forks.DATA)
    assert {trial["number"]: len(trial["slices"]) for trial in stored["trials"]} == {
        trial.number: len(trial.slices) for trial in analysis.run.trials
    }
    of_second = [dict(zip(stored["columns"], row, strict=True)) for row in stored["trials"][1]["slices"]]
    assert [row["at"] for row in of_second] == sorted(row["at"] for row in of_second)
    voided = [row for row in of_second if row["voided"]]
    assert [(stored["subjects"][row["subject"]], row["voided"]) for row in voided] == [("b10", "wrong answers")]
    assert not any(row["voided"] for row in of_second if row["phase"] == "warm-up")


def test_each_fork_is_told_without_the_script_too(analysis: Analysis) -> None:
    content = forks.content(analysis)
    assert content is not None
    rows = {(row.trial, row.subject): row for row in content["rows"]}  # type: ignore[attr-defined]
    assert rows[2, "b10"].voided == "1 slice: wrong answers" and rows[2, "go"].voided == ""
    assert rows[3, "b9"].warm_up == "did not settle" and rows[1, "b9"].warm_up.startswith("settled after ")


def test_two_subjects_need_no_choosing(tmp_path: Path) -> None:
    alone = analyse_run(read_run(write_run(tmp_path / "run", Planted(forks=1, pairs=2))))
    assert any_two.content(alone) is None and forks.content(alone) is not None


@pytest.fixture(scope="module")
def shown(chromium: Any, html: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page in a browser; at the end nothing may have been refused or gone wrong in it."""
    path = tmp_path_factory.mktemp("shown") / "report.html"
    path.write_text(html, encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(MILLISECONDS)
    problems: list[str] = []
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    yield page
    assert not problems


def texts(page: Any, selector: str) -> list[str]:
    return [text.split("\n")[0].strip() for text in page.locator(selector).all_inner_texts()]


def test_a_table_is_sorted_by_a_click_and_put_back_by_the_third(shown: Any) -> None:
    names = ".standings tbody tr th"
    before = texts(shown, names)
    heading = shown.locator(".standings thead th").nth(0)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    heading.get_by_role("button").click()
    # as a person counts: b9 before b10
    assert texts(shown, names) == sorted(
        RATES, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
    )
    heading.get_by_role("button").click()
    assert texts(shown, names) == before and heading.get_attribute("aria-sort") is None
    throughput = shown.locator(".standings thead th").nth(4)
    throughput.get_by_role("button").click()
    assert texts(shown, names) == sorted(RATES, key=lambda name: -RATES[name])


def test_a_table_is_filtered_by_what_is_typed(shown: Any) -> None:
    section = shown.locator("#in-full")
    field = section.get_by_label("Filter")
    field.fill("SERVER-3")
    assert texts(shown, ".standings tbody tr:visible th") == ["server-3"]
    assert section.get_by_role("status").inner_text() == f"1 of {len(RATES)} rows"
    field.fill("")
    assert shown.locator(".standings tbody tr:visible").count() == len(RATES)


def test_any_two_are_compared_and_turned_round(shown: Any, html: str) -> None:
    section = shown.locator("#any-two")
    assert "This comparison needs JavaScript" not in section.inner_text()
    section.get_by_label("Compare").select_option(label="b10")
    section.get_by_label("with").select_option(label="b9")
    first = section.locator("tbody tr").first.locator("td").all_inner_texts()
    section.get_by_label("Compare").select_option(label="b9")
    section.get_by_label("with").select_option(label="b10")
    second = section.locator("tbody tr").first.locator("td").all_inner_texts()
    assert (first[-1], second[-1]) == ("slower", "faster")
    assert float(first[-3]) * float(second[-3]) == pytest.approx(1, abs=0.02)
    stored = data_of(html, any_two.DATA)
    b10, b9 = stored["subjects"].index("b10"), stored["subjects"].index("b9")
    own = stored["measures"][0]["values"][b10]
    assert first[1].split("\n") == [own["text"], own["interval"]]
    (row,) = [row for row in stored["measures"][0]["ratios"] if {row[0], row[1]} == {b10, b9}]
    low, high = (float(bound) for bound in first[-2].split(" to "))
    assert (low, high) == pytest.approx(tuple(row[3:5]), abs=0.006)
    section.get_by_label("Compare").select_option(label="b10")
    assert section.get_by_text("Choose two different subjects.").is_visible()


# The first line of text of each cell of each row: where its middle is, and over how many lines the cell's first text goes.
LINES = """rows => rows.map(row => [...row.cells].map(cell => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (texts.nextNode() && !texts.currentNode.data.trim());
  if (!texts.currentNode.data) return null;
  range.selectNodeContents(texts.currentNode);
  const lines = range.getClientRects();
  return [(lines[0].top + lines[0].bottom) / 2, lines.length];
}).filter(Boolean))"""


@pytest.mark.parametrize("table", [".standings", ".figures"])
def test_a_name_that_stays_stands_on_the_line_of_its_figures(shown: Any, table: str) -> None:
    rows = shown.locator(f"{table} tbody tr:visible").evaluate_all(LINES)
    assert len(rows) >= len(RATES)
    for row in rows:
        middles = [middle for middle, _ in row]
        assert max(middles) - min(middles) < 0.25, "collapsed borders put them half a pixel apart"


def test_figures_of_any_two_are_not_broken_over_lines(shown: Any) -> None:
    section = shown.locator("#any-two")
    section.get_by_label("with").select_option(label="go")
    section.get_by_label("Compare").select_option(label="b10")
    rows = section.locator("tbody tr").evaluate_all(LINES)
    assert rows and all(lines == 1 for row in rows for _, lines in row[1:-1])
    assert section.locator("thead th").nth(1).inner_text().split() == ["operation"]


def test_a_forks_slices_are_shown_with_what_was_voided(shown: Any, html: str) -> None:
    section = shown.locator("#forks")
    section.locator("tr[data-trial='2'] button").first.click()
    detail = shown.locator("#fork-detail")
    assert detail.locator("h3").inner_text() == "Trial 2, slice by slice"
    stored = data_of(html, forks.DATA)["trials"][1]["slices"]
    detail.get_by_text("The numbers").click()
    assert detail.locator("tbody tr:visible").count() == len(stored)
    assert detail.locator("svg circle title, svg path title").count() == len(stored)
    (told,) = detail.locator("svg path title").all_text_contents()
    assert told.startswith("b10, measure, ") and told.endswith("voided: wrong answers")


@pytest.fixture(scope="module")
def of_a_test(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page on a test with a shape, a minute of more and more users."""
    shape = Ramp(from_users=1, to_users=30, seconds=60)
    planted = Planted(
        rates={"go": 700.0, "b9": 500.0}, reference="go", forks=2, blocks={"10": shape}, refuses_from={"b9": 24}
    )
    return html_of(analyse_run(read_run(write_run(tmp_path_factory.mktemp("shaped") / "run", planted))))


def test_a_fork_of_a_test_with_a_shape_is_told_in_intervals(of_a_test: str) -> None:
    stored = data_of(of_a_test, forks.DATA)
    for trial in stored["trials"]:
        assert len(trial["intervals"]) == 2  # one unbroken slice a subject
        for place, rows in trial["intervals"].items():
            whole = dict(zip(stored["columns"], trial["slices"][int(place)], strict=True))
            told = [dict(zip(stored["interval_columns"], row, strict=True)) for row in rows]
            assert whole["phase"] == "measure" and len(told) == 30 <= forks.MOST_INTERVALS
            assert [row["at"] for row in told] == [2.0 * (number + 1) for number in range(30)]
            assert [row["users"] for row in told] == sorted(row["users"] for row in told) and told[-1]["users"] >= 29
            mean = sum(row["throughput"] for row in told) / len(told)
            assert mean == pytest.approx(whole["throughput"], rel=0.01)
            refuses = stored["subjects"][whole["subject"]] == "b9"
            assert any(row["failed_per_s"] for row in told) is refuses


def test_a_run_without_tests_has_no_intervals_in_its_page(html: str) -> None:
    assert not any("intervals" in trial for trial in data_of(html, forks.DATA)["trials"])


def test_a_fork_of_a_test_with_a_shape_is_drawn_over_its_time(chromium: Any, of_a_test: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(of_a_test, encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(MILLISECONDS)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    page.locator("#forks tr[data-trial='1'] button").first.click()
    charts = page.locator("#fork-detail .chart")
    assert page.locator("#fork-detail h4").all_inner_texts()[:2] == ["Throughput, requests/s", "Mean response time, ms"]
    for place in range(2):
        assert charts.nth(place).locator("circle title").count() == 60
    told = charts.nth(0).locator("circle title").first.text_content()
    assert re.fullmatch(r"(go|b9), measure, 2 s, \d+ users: \d+ requests/s", told), told
    page.close()
    assert not problems


@pytest.mark.parametrize("width", [400, 1600])
def test_the_page_is_as_wide_as_its_window_and_only_tables_are_moved_sideways(shown: Any, width: int) -> None:
    shown.set_viewport_size({"width": width, "height": 900})
    wide, narrow = shown.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    shown.set_viewport_size({"width": 1200, "height": 900})
    assert wide <= narrow


def left_outside(page: Any) -> list[str]:
    """The texts of charts that are not wholly within their chart."""
    outside: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
          const box = svg.getBoundingClientRect();
          return [...svg.querySelectorAll("text")].filter((text) => {
            const its = text.getBoundingClientRect();
            return its.width && (its.left < box.left - 1 || its.right > box.right + 1);
          }).map((text) => text.textContent);
        })"""
    )
    return outside


def bars_of(letters: int) -> str:
    """A small chart of two subjects whose names have so many letters."""
    names = [f"wildfly@{'variantsofmessaging-' * 2}"[: letters - 1] + place for place in "ab"]
    rows = marks([{"name": name, "value": 1 + place} for place, name in enumerate(names)])
    bars = rows.as_marks("bar").encode(x="value:Q", y=channel("name:N", axis=axis_of(title=None)))
    return str(draw(f"names-{letters}", lambda width: bars.to_chart(width, 80))[1])


def test_names_stand_whole_beside_their_bars(chromium: Any) -> None:
    # A font as wide as any that a page may be shown in, where the machine has it.
    font = "<style>svg * { font-family: 'DejaVu Sans', Verdana, sans-serif }</style>"
    page = chromium.new_page(viewport={"width": 400, "height": 900})
    page.set_content(font + "".join(bars_of(letters) for letters in (9, 28, 38)))
    assert page.locator("svg text").count() > 6 and left_outside(page) == []
    page.close()


def test_runs_side_by_side_are_no_wider_than_a_small_window(chromium: Any, tmp_path: Path) -> None:
    rates = {"tomcat-springws@jvm=-XX:+UseParallelGC": 9_000.0, "go": 10_000.0}
    runs = [
        write_run(tmp_path / name, Planted(rates=rates, reference="go", forks=2, pairs=3)) for name in ("old", "new")
    ]
    (tmp_path / "beside.html").write_text(beside_page.html_of(compare_runs(runs)), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 400, "height": 900}, color_scheme="dark")
    page.goto((tmp_path / "beside.html").as_uri(), timeout=MILLISECONDS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert left_outside(page) == []
    page.close()


def test_without_scripts_all_tables_and_the_words_instead_of_controls_are_there(
    chromium: Any, html: str, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri(), timeout=MILLISECONDS)
    assert page.locator(".standings tbody tr").count() == len(RATES)
    assert page.get_by_text("This comparison needs JavaScript").is_visible()
    assert page.locator("#forks tbody tr").count() == len(RATES) * 4 and page.locator("button").count() == 0
    context.close()
