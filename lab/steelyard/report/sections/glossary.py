"""The terms of the page with their definitions."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ..section import Section
from ..terms import terms


def content(_analysis: Analysis) -> Mapping[str, object]:
    """Always present."""
    return {"terms": [term for term in terms() if term.on_report]}


SECTION = Section("glossary", content)
