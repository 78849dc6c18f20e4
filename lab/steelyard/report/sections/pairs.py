"""Every pair of slices of two running subjects: its ratio, or why it does not count."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import ran_already
from ...base.text import value_text
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None without a comparison, and for subjects that were started, whose pairs are shown with their forks."""
    primary = next((judged.compared for judged in analysis.judgements if judged.compared.primary), None)
    if primary is None or not ran_already(analysis.run.schedule):
        return None
    rows = [
        (
            f"{point.number + 1}",
            "-" if point.ratio is None else value_text(point.ratio),
            "; ".join(point.voids) or "yes",
        )
        for fork in primary.forks
        for point in fork.pairs
    ]
    return {
        "measure": primary.measure.title,
        "a": primary.a,
        "b": primary.b,
        "headings": ("pair", "ratio", "counts"),
        "rows": rows,
    }


SECTION = Section("pairs", content, of_running=True)
