"""Prose that a reader takes in at once: words per sentence in documents and in every --help, links that resolve, a short map."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import typer
from steelyard.cli import whole_program

ROOT = Path(__file__).parents[2]
PAGES = (
    *("README.md", "METHODOLOGY.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "BIAS.md", "SECURITY.md", "AGENTS.md"),
    *("lab/README.md", "docs/glossary.md", "docs/studies.md", "docs/reference/what-works.md"),
    *(
        path.relative_to(ROOT).as_posix()
        for folder in ("docs/method", "docs/guides", "contracts")
        for path in sorted((ROOT / folder).glob("*.md"))
    ),
)
MORE_LINKED = (
    *("CHANGELOG.md", "docs/results/README.md"),
    *(
        path.relative_to(ROOT).as_posix()
        for folder in ("docs/decisions", "docs/reference")
        for path in sorted((ROOT / folder).glob("*.md"))
    ),
)
MEAN_WORDS, MOST_WORDS = 18, 45
LARGEST_MAP = 12_000  # bytes of ARCHITECTURE.md
Command = Any  # typer brings a copy of click of its own, without types

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
GENERATED = re.compile(r"<!-- (\S[^:\n]*): made by .*?<!-- /\1 -->", re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")
NEW_BLOCK = re.compile(r"^\s*(?:[-*] |\d+\. |#+ )")
# A full stop, an exclamation or a question mark before a capital, a digit or an opening mark; none within a number or a path.
SENTENCE_END = re.compile(r"(?<=[.!?])[*\"')\]]*\s+(?=[A-Z\"'`*(\[0-9])")


def blocks(page: str) -> Iterator[str]:
    """Paragraphs and list items of a page, each as one line; without code, headings, tables and generated parts."""
    text = FENCE.sub("", COMMENT.sub("\n", GENERATED.sub("\n", page)))
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        code = line.startswith("    ") and not lines
        if not line.strip() or line.startswith(("#", "|")) or code or NEW_BLOCK.match(line):
            if lines:
                yield " ".join(lines)
            lines = []
        if line.strip() and not line.startswith(("#", "|")) and not code:
            lines.append(NEW_BLOCK.sub("", line).strip())


def cells(page: str) -> Iterator[str]:
    """The cells of a page's tables."""
    text = FENCE.sub("", GENERATED.sub("\n", page))
    for line in text.splitlines():
        if line.startswith("|"):
            yield from (cell.strip() for cell in line.strip("|").split(" | "))


def sentences(block: str) -> list[list[str]]:
    """A block's sentences as words; a link is its text."""
    plain = LINK.sub(r"\1", block)
    counted = [re.findall(r"\S*\w\S*", sentence) for sentence in SENTENCE_END.split(plain)]
    return [words for words in counted if words]


def too_long(spoken: list[list[str]]) -> list[str]:
    """Sentences beyond the most words, each as it begins."""
    return [f"{len(words)} words: {' '.join(words[:12])} ..." for words in spoken if len(words) > MOST_WORDS]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_short_sentences(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    spoken = [sentence for block in blocks(page) for sentence in sentences(block)]
    assert len(spoken) >= 5
    assert too_long(spoken + [sentence for cell in cells(page) for sentence in sentences(cell)]) == []
    assert mean(map(len, spoken)) <= MEAN_WORDS


NOT_PLAIN = re.compile(
    r"\b(?:whoever|whosoever|manieth|lest|hence|is said|are said|of which each)\b|\d us\b", re.IGNORECASE
)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_plain_words_and_units(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert [match.group() for block in (*blocks(page), *cells(page)) for match in NOT_PLAIN.finditer(block)] == []


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", LINK.sub(r"\1", heading).lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", (*PAGES, *MORE_LINKED))
def test_every_link_leads_to_a_file_and_a_heading_that_exist(name: str) -> None:
    page = ROOT / name
    broken = []
    for _, link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        exists = "://" in link or target.exists()
        if not exists or (anchor and "://" not in link and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    assert broken == []


SOURCE_NAMED = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|rs|css|toml|json))`")
# Files that a reader makes, and those within a service, a server or a run.
OF_A_READER = re.compile(r"(?:contract|corpus|trials|machines|samples)/|.*NAME|~/")


@pytest.mark.parametrize("name", PAGES)
def test_every_source_file_that_a_page_names_exists(name: str) -> None:
    named = SOURCE_NAMED.findall((ROOT / name).read_text(encoding="utf-8"))
    places = (ROOT, ROOT / "lab" / "steelyard", ROOT / "lab" / "steelyard" / "workload" / "soap")
    missing = [path for path in named if not any((place / path).is_file() for place in places)]
    assert [path for path in missing if not OF_A_READER.match(path)] == []


def test_the_map_is_short() -> None:
    assert (ROOT / "ARCHITECTURE.md").stat().st_size < LARGEST_MAP


def commands(command: Command, name: str) -> Iterator[tuple[str, Command]]:
    """A command and all below it, by what a user types."""
    yield name, command
    for word, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{name} {word}")


COMMANDS = dict(commands(typer.main.get_command(whole_program()), "steelyard"))


def help_texts(command: Command) -> list[str]:
    """The help of a command and of each option and argument, without lines that are kept as they are, such as examples."""
    texts = [command.help or "", command.epilog or ""]
    texts += [getattr(parameter, "help", None) or "" for parameter in command.params]
    paragraphs = [paragraph for text in texts for paragraph in text.split("\n\n") if not paragraph.startswith("\b")]
    return [block for paragraph in paragraphs for block in blocks(paragraph)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_text_has_short_sentences(name: str) -> None:
    spoken = [sentence for text in help_texts(COMMANDS[name]) for sentence in sentences(text)]
    assert spoken
    assert too_long(spoken) == []
    assert mean(map(len, spoken)) <= MEAN_WORDS


@pytest.mark.parametrize(
    ("page", "lengths"),
    [
        ("One two three. Four five.", [3, 2]),
        ("A [link to it](x.md) at 0.5 s.", [7]),
        ("# Heading\n\nText.\n\n    code is not counted at all\n\n- An item here\n- another one", [1, 3, 2]),
        ("| a table | is not |\n\nText that\ngoes on.", [4]),
        ("<!-- demo: made by x -->\n\nNot this.\n\n<!-- /demo -->\n\nBut this.", [2]),
    ],
)
def test_sentences_are_counted_as_a_reader_sees_them(page: str, lengths: list[int]) -> None:
    assert [len(sentence) for block in blocks(page) for sentence in sentences(block)] == lengths
