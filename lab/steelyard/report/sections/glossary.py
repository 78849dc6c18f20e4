"""The terms of the page that a reader may not know, each with its definition."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ..section import Section
from ..terms import terms


def content(_analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    return {"terms": [term for term in terms() if term.on_report]}


SECTION = Section("glossary", content)
