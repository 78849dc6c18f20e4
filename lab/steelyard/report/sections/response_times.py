"""Percentiles of response time, as HdrHistogram plots them."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ..charts.curves import percentile_chart, percentile_panels
from ..drawing import MOST_TOGETHER
from ..section import Section
from ..subjects import cells, present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where there are tests, and without histograms."""
    run = analysis.run
    if tests_in_order(run):
        return None
    each = enumerate(cells(run))
    panels = len(run.schedule.subjects) > MOST_TOGETHER
    if panels:
        pictures = tuple(picture for place, cell in each for picture in percentile_panels(place, run, cell))
    else:
        pictures = present(percentile_chart(place, run, cell) for place, cell in each)
    return {"percentiles": pictures, "panels": panels} if pictures else None


SECTION = Section("response_times", content)
