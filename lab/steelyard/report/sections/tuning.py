"""The paper's tuning, and the nearest setting of each subject in this run."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ..section import Section
from .setup import tuning


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where the paper's list was not stored."""
    tuned = tuning(analysis.run)
    return None if tuned is None else {"tuning": tuned}


SECTION = Section("tuning", content)
