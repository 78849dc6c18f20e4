"""The events in the answers of a load: how many an answer held, the time to the first one, and from one to the next."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import load_of
from ...results.session_text import stream_rows
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where there is no load, or none whose answers hold events."""
    load = load_of(analysis.run)
    return None if load is None or not load.streams else {"streams": stream_rows(load.streams)}


SECTION = Section("loaded_streams", content, of_running=True)
