"""The report: self-contained, escaped, the same bytes for the same files, and readable without its pictures."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from steelyard.models.records import Failure
from steelyard.report import write_report
from synthetic import Planted, write_run
from syrupy.assertion import SnapshotAssertion

STUDY = """
title = "WSTest: the cost of one call"
question = "What does one call cost?"
[paper]
authors = "Sun Microsystems"
year = 2004
title = "Web Services Performance"
[[claims]]
text = "JAX-RPC performed nearly 3 times better than .NET."
setting = "8 agents"
source = "section Performance Results"
"""
ENVIRONMENT = {
    "steelyard": "0.1.0",
    "command": ["steelyard", "run", "wstest", "--only", "tomcat-metro,go"],
    "machine": {"processor": "A processor", "processors": 2, "memory_bytes": 8 * 2**30},
    "processors_shared": {"server": [0], "engine": [1], "apart": True},
    "subjects": {"go": [{"place": "server", "server": "go", "factors": {"gc": "on"}}]},
}
HOSTILE = "</p><script>alert('x')</script><img src=x onerror=alert(1)> & {{ 7 * 7 }} \x00 \u202e"


class Text(HTMLParser):
    """Visible text of a page, a line a block; pictures by their description."""

    skipped = ("style", "svg", "title", "script")

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.tags: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.hidden += tag in self.skipped
        label = dict(attrs).get("aria-label")
        if label and dict(attrs).get("role") == "img":
            self.parts.append(f"\n[{label}]")
        if tag in ("p", "h1", "h2", "h3", "li", "tr", "dt", "summary", "pre", "figcaption"):
            self.parts.append("\n")
        elif tag in ("td", "th", "dd", "span"):
            self.parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in self.skipped

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(re.sub(r"\s+", " ", data))


def read(path: Path) -> tuple[str, Text]:
    page = path.read_text(encoding="utf-8")
    text = Text()
    text.feed(page)
    return page, text


def lines(text: Text) -> str:
    return "\n".join(line.strip(" |") for line in "".join(text.parts).splitlines() if line.strip(" |"))


def made(tmp_path: Path, **planted: object) -> Path:
    given = {"study": STUDY, "environment": ENVIRONMENT} | planted
    return write_report(write_run(tmp_path / "run", Planted(**given)))  # type: ignore[arg-type]


def test_the_words_of_the_report(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    path = made(
        tmp_path,
        pairs=4,
        cells={"echoStruct": 1.0, "echoVoid": 1.5},
        jit_bursts=frozenset({(2, 1, "tomcat-metro")}),
        changes={(3, 2, "go"): {"reset": 5}},
    )
    assert lines(read(path)[1]) == snapshot


def test_the_verdict_comes_before_everything_else(tmp_path: Path) -> None:
    said = lines(read(made(tmp_path))[1])
    assert said.index("tomcat-metro is slower than go on echoStruct") < said.index("The evidence")


def test_the_page_needs_nothing_but_itself(tmp_path: Path) -> None:
    page, text = read(made(tmp_path))
    assert not {"link", "img", "iframe"} & set(text.tags)
    assert not re.search(r"<script[^>]*src=", page)
    outside = set(re.findall(r"https?://[^\s\"'<)]+", page)) - {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not outside
    assert not re.search(r"@import|url\((?!['\"]?#)", page)
    assert page.count("<svg") > 5


def test_each_part_of_a_subject_is_set_out_under_its_place(tmp_path: Path) -> None:
    parts = [{"place": "server", "server": "go"}, {"place": "database", "server": "h2"}]
    said = lines(read(made(tmp_path, environment=ENVIRONMENT | {"subjects": {"go": parts}}))[1])
    assert "Subject go: server" in said and "Subject go: database" in said and "1, place" not in said


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    path = made(tmp_path)
    first = path.read_bytes()
    for _ in range(3):
        assert write_report(path.parent).read_bytes() == first


def test_identifiers_inside_the_pictures_never_meet(tmp_path: Path) -> None:
    page, _ = read(made(tmp_path, cells={"echoStruct": 1.0, "echoVoid": 1.5}))
    found = re.findall(r'\bid="([^"]+)"', page)
    assert len(found) == len(set(found))
    used = set(re.findall(r"url\(#([^)]+)\)", page))
    assert used and used <= set(found)


def test_what_servers_and_studies_say_is_escaped(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        failures={2: Failure(kind="died", subject="go", message=HOSTILE)},
        study=STUDY.replace("What does one call cost?", "<b onclick=alert(1)>What</b>"),
        environment={
            **ENVIRONMENT,
            "engine": HOSTILE,
            "subjects": {HOSTILE: [{"jdk": HOSTILE}]},
            "command": ["x", HOSTILE],
        },
    )
    page, text = read(path)
    assert not {"img", "b" + "utton"} & set(text.tags)
    assert [tag for tag in text.tags if tag == "script"] == ["script", "script"]  # the page's own and its data
    assert "<script>alert" not in page and "onerror=alert(1)>" not in page and "<b onclick" not in page
    assert "{{ 7 * 7 }}" in page and "&lt;script&gt;" in page


def test_a_hostile_label_is_escaped_in_pictures_too(tmp_path: Path) -> None:
    path = made(tmp_path, rates={"<i>a</i>": 8000.0, "go": 10_000.0})
    page, text = read(path)
    assert "i" not in text.tags and "<i>" not in page


def test_an_invalid_instrument_replaces_the_verdict(tmp_path: Path) -> None:
    said = lines(read(made(tmp_path, response_factor=0.9))[1])
    assert "No verdict: Little's law is off by -10.0%" in said and "is slower than" not in said


@pytest.mark.parametrize(
    "planted",
    [
        {"design": "as-published", "forks": 1, "pairs": 1},
        {"rates": {"go": 10_000.0}},
        {"failures": {1: Failure(kind="contract", message="no")}, "forks": 1, "cut_after_pairs": {1: 0}},
        {"failures": {4: Failure(kind="interrupted", message="stopped")}, "cut_after_pairs": {4: 1}},
        {"study": "", "environment": {}},
        {
            "study": 'title = 3\nquestion = []\nclaims = "x"\npaper = "y"',
            "environment": {"machine": [1, {"a": None}], "subjects": 5},
        },
        {"rates": {"tomcat-metro": 2.0, "go": 3.0}, "pairs": 3},
        {"forks": 20, "pairs": 2},
        {"rates": {f"server-{n}": 1000.0 * n for n in range(1, 8)}, "reference": "server-7", "pairs": 2},
    ],
)
def test_a_report_is_written_whatever_became_of_the_run(tmp_path: Path, planted: dict[str, object]) -> None:
    said = lines(read(made(tmp_path, **planted))[1])
    assert "Validity of the instrument" in said and "What these numbers cannot say" in said


def test_a_core_shared_with_the_engine_and_a_quota_are_among_what_the_numbers_cannot_say(tmp_path: Path) -> None:
    shared = {"server": [0], "engine": [1], "apart": True, "same_core": True, "quota": 2.0}
    said = lines(read(made(tmp_path, environment=ENVIRONMENT | {"processors_shared": shared}, forks=1, pairs=1))[1])
    assert "Processors of the engine and of the servers are threads of one core, so each slowed the other." in said
    assert (
        "A quota of 2 processors was in force for engine and servers together: without it, a server could be faster."
        in said
    )


def test_the_papers_claim_stands_with_its_setting_and_source(tmp_path: Path) -> None:
    said = lines(read(made(tmp_path))[1])
    assert (
        "JAX-RPC performed nearly 3 times better than .NET." in said
        and "8 agents" in said
        and "Sun Microsystems, 2004" in said
    )


def test_every_picture_has_a_description_and_its_numbers(tmp_path: Path) -> None:
    page, text = read(made(tmp_path))
    assert page.count('role="img" aria-label="') == text.tags.count("figure") > 0
    assert text.tags.count("details") >= text.tags.count("figure")
