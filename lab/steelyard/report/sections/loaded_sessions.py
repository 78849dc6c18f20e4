"""The sessions of a load: how many were whole, how long they took, step by step, and the first wrong answer of each step."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import load_of
from ...results.session_text import session_rows, session_sentences, step_rows
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where there is no load, or none of sessions."""
    load = load_of(analysis.run)
    if load is None or not load.sessions:
        return None
    return {
        "sessions": session_rows(load.sessions),
        "steps": step_rows(load.sessions),
        "sentences": list(session_sentences(load.sessions)),
    }


SECTION = Section("loaded_sessions", content, of_running=True)
