"""Percentiles of response time, as HdrHistogram plots them."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ..charts.curves import percentile_chart
from ..section import Section
from ..subjects import cells, present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where there are tests, and where no histogram was kept."""
    run = analysis.run
    if tests_in_order(run):
        return None
    pictures = present(percentile_chart(place, run, cell) for place, cell in enumerate(cells(run)))
    return {"percentiles": pictures} if pictures else None


SECTION = Section("response_times", content)
