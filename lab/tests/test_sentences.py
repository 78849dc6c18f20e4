"""What the report says, read as if for the first time: no sentence of a kept run or of a planted one has a figure, a plural or a
word that its reader would stumble over."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from kept_runs import KEPT_RUNS
from steelyard.analyse.analysis import analyse_run
from steelyard.base.text import (
    alike_together,
    change_text,
    existence_clause,
    join_words,
    lower_first,
    number_text,
    short_text,
    upper_first,
    value_text,
)
from steelyard.models.job import BigBang, Ramp
from steelyard.report.page import html_of
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

OTHERS = [run for name, run in KEPT_RUNS.items() if name != "demo"]
STUMBLES = {
    "an exponent": r"\b\d+(\.\d+)?e[+-]?\d+\b",
    "one of many": r"(?<![\d.,:=-])1 (forks|pairs|users|starts|trials|slices|subjects|verdicts|tests|cells|caveats|warm-ups)\b",
    "one that are": r"\bthere are 1(?![\d,]|\.\d| to\b)|\b1 levels\b",
    "from a number to itself": r"(?<![\d.,])(\d+) to \1 users\b",
    "a reason said twice": r"\bneeds ([\d,]+) requests\b.*\bneeds \1 requests\b",
    "a number without its word": r"\d to users\b",
    "a test named by its number alone": r"\b(on|of) \d+(?=[,.;: ]\s?(in order|requests were|this machine))",
    "no number at all": r"\b(nan|inf|None(?! of\b))\b",
    "a change of minus nothing": r"-0%",
    "nothing with decimals": r"\b(after|interval) 0\.0+(?=\D)",
    "a joint winner": r"\bjoint(ly)? (first|winner)",
    "more hours than anyone counts": r"\b\d{3,} more hours",
    "a gap": r" ,| \.(?=$|\s)|,,|;;|\(\)|: ?;",
    "words that nobody says": r"for the budget of|does not settle within|To know beside",
}


def sentences(html: str) -> list[str]:
    """The visible text and the descriptions of pictures, a line an element, without commands, citations and what others wrote."""
    spoken = re.findall(r'aria-label="([^"]*)"', html)
    html = re.sub(r"<(script|style|svg|pre|code|blockquote)\b.*?</\1>", "...", html, flags=re.S)
    html = re.sub(r'<section id="(setup|notes|tuning)".*?</section>', " ", html, flags=re.S)
    parts = re.split(r"</?(?:p|li|h\d|t[dhr]|d[dt]|figcaption|summary|div|section)\b[^>]*>", html)
    lines = (re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", part))).strip() for part in parts)
    return [line for line in (*lines, *map(unescape, spoken)) if line]


def stumbles(html: str) -> list[str]:
    return [
        f"{what}: {line[:200]}"
        for line in sentences(html)
        for what, pattern in STUMBLES.items()
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize(
    "kept",
    [KEPT_RUNS["demo"], *(pytest.param(run, marks=pytest.mark.long) for run in OTHERS)],
    ids=lambda run: run.name,
)
def test_no_sentence_of_a_kept_run_makes_its_reader_stumble(kept: Path) -> None:
    assert stumbles(html_of(analyse_run(read_run(kept)))) == []


def test_there_are_kept_runs_to_read() -> None:
    assert len(KEPT_RUNS) > 10


def test_no_sentence_of_tests_with_shapes_makes_its_reader_stumble(tmp_path: Path) -> None:
    blocks = {"1": BigBang(users=1, seconds=12), "2": Ramp(from_users=1, to_users=20, seconds=20)}
    rates = {"a": 9000.0, "b": 8900.0, "c": 6000.0}
    planted = Planted(rates=rates, reference="a", blocks=blocks, forks=4, unsteady=frozenset({(1, "b")}), steal_s=0.1)
    html = html_of(analyse_run(read_run(write_run(tmp_path / "run", planted))))
    assert stumbles(html) == []
    assert "Test 1, 1 user: " in html and "on test 1" in html
    assert ">1, in order of time" not in html


@pytest.mark.parametrize(
    "said",
    [
        "5% could be decided in about 231 more hours.",
        "Test 13, 1 users: a slower than b",
        "tomcat-springws on 12: requests were sent late",
        "1, 1 forks",
        "changes by -0% in 16 s",
        "settles after 0.00 s",
        "1e+1",
        "answers all requests from 1 to 20 to users",
        "steps, 100 users, 1 levels of 30 s",
        "a knee needs 6 levels of users, and there are 1.",
        "Test clients-100, 100 to 100 users",
        "p99 needs 1000 requests, and there are 88; p99 needs 1000 requests, and there are 89",
    ],
)
def test_what_stood_on_earlier_pages_would_be_caught(said: str) -> None:
    assert stumbles(f"<p>{said}</p>"), said


def test_reasons_that_differ_in_a_count_alone_are_one() -> None:
    needs = "p99 needs 1,000 requests, and "
    said = alike_together(
        [needs + existence_clause(count) for count in (870, 12, 1, 870)] + ["trial 1 failed", "trial 4 failed"]
    )
    assert said == [needs + "there are 1 to 870", "trial 1 failed", "trial 4 failed"]
    assert alike_together([needs + "there is 1"]) == [needs + "there is 1"]


def test_figures_are_written_as_a_person_writes_them() -> None:
    assert (value_text(0.0), value_text(7.0), value_text(12_345.6)) == ("0", "7.00", "12,346")
    assert (short_text(0.234), short_text(45.3), short_text(720.4), short_text(100.0)) == ("0.23", "45", "720", "100")
    assert (short_text(5.0), short_text(0.2), short_text(9.96), short_text(0)) == ("5", "0.2", "10", "0")
    assert (lower_first("Answers in XML"), upper_first("a p99 of XML")) == ("answers in XML", "A p99 of XML")
    assert (number_text(5.0), number_text(11.42)) == ("5", "11.4")
    assert (value_text(999.7), value_text(0.0000123), short_text(0.00001)) == ("1,000", "0.0000123", "0.00001")
    assert (change_text(-0.002), change_text(0.071), change_text(-0.12)) == ("+0%", "+7%", "-12%")
    assert (join_words(["a"]), join_words("ab"), join_words("abc")) == ("a", "a and b", "a, b and c")


@pytest.mark.parametrize(
    ("shared", "factors", "said"),
    [
        ({"server": [0]}, ({}, {}), " on 1 server processor"),
        ({"server": [0, 1, 2]}, ({}, {}), " on 3 server processors"),
        ({"server": [0, 1, 2]}, ({"cpus": "2"}, {"cpus": "2"}), " on 2 server processors"),
        ({"server": [0, 1, 2]}, ({"cpus": "2"}, {}), ""),
        ({}, ({}, {}), ""),
    ],
)
def test_a_verdict_names_the_processors_it_holds_for(
    tmp_path: Path, shared: dict[str, list[int]], factors: tuple[dict[str, str], dict[str, str]], said: str
) -> None:
    subjects = {label: [{"factors": each}] for label, each in zip(("tomcat-metro", "go"), factors, strict=True)}
    planted = Planted(environment={"processors_shared": shared, "subjects": subjects})
    sentence = analyse_run(read_run(write_run(tmp_path / "run", planted))).verdicts.sentence
    assert f"times the throughput{said}" in sentence and ("server processor" in sentence) == bool(said)
