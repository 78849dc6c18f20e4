"""The terms of Steelyard with one-line definitions (terms.toml), for reports and docs/glossary.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..base.configuration import load
from ..models.strict import Strict

_FILE = Path(__file__).with_name("terms.toml")


class Term(Strict):
    """A term with its definition; `on_report`: it is part of a report's own glossary."""

    term: str
    meaning: str
    on_report: bool = False


class Terms(Strict):
    """The content of terms.toml."""

    terms: tuple[Term, ...]


@cache
def terms() -> tuple[Term, ...]:
    """All terms in the order of the file."""
    return load(_FILE, Terms).terms


def terms_in(texts: Iterable[str]) -> list[Term]:
    """The terms of a report that occur in these texts as whole words, singular or plural, in the order of the file."""
    text = " ".join(texts)
    return [term for term in terms() if term.on_report and re.search(rf"\b{term.term}s?\b", text, re.IGNORECASE)]
