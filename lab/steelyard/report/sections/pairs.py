"""Every pair of slices of two subjects that ran before: their ratio, and why a pair does not count."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import ran_already
from ...base.text import value_text
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where nothing is compared, and of subjects that were started, whose pairs stand with their forks."""
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
