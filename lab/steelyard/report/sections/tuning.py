"""What the paper tuned, and the nearest setting of each subject as it stands in this run."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ..section import Section
from .setup import tuning


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where the paper's list was not stored."""
    found = tuning(analysis.run)
    return None if found is None else {"tuning": found}


SECTION = Section("tuning", content)
