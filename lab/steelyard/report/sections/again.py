"""How to run it again, and how to rebuild this page."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ..section import Section
from .setup import command


def content(analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    return {"command": command(analysis.run)}


SECTION = Section("again", content)
