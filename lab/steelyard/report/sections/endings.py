"""Where each server breaks: a picture and a table per use case, with a publication's figures, and the sentences."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.endings import endings
from ..charts.endings import ending_map
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where trials do not each cover one cell."""
    all_endings = endings(analysis.run)
    if not all_endings:
        return None
    operations = dict.fromkeys(ending.cell.operation for ending in all_endings)
    limits = next((ending.cell.until for ending in all_endings if ending.cell.until is not None), None)
    return {
        "maps": [
            ending_map(f"endings-{place}", [ending for ending in all_endings if ending.cell.operation == operation])
            for place, operation in enumerate(operations)
        ],
        "sentences": [str(wording) for wording in analysis.sentences],
        "limits": limits,
        "patience": analysis.run.schedule.drain_limit_seconds,
        "assumed": list(dict.fromkeys(assumption for ending in all_endings for assumption in ending.cell.assumed)),
    }


SECTION = Section("endings", content)
