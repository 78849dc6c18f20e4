"""Throughput and processor time per request over the number of processors, where subjects ran with several numbers of them."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.by_processors import processor_series
from ...statistics.scalability import LEAST_LEVELS
from ..charts.by_processors import processors_chart
from ..drawing import Picture
from ..section import Section
from ..subjects import present

_BESIDE = "cpu_per_request"


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where no subject ran with two numbers of processors."""
    series = processor_series(analysis.run)
    charts: list[Picture | None] = []
    for cell in (cell for cell in analysis.run.schedule.cells if series and cell.primary):
        for measure in (cell.primary_measure, _BESIDE):
            figures = {
                figure.subject: figure
                for figure in analysis.figures
                if figure.fork is None and (figure.cell.name, figure.measure.name) == (cell.name, measure)
            }
            charts.append(processors_chart(f"by-processors-{len(charts)}", series, figures))
    shown = present(charts)
    if not shown:
        return None
    most = max(len(each.labels) for each in series)
    law = (
        f"Coefficients of the scalability law need {LEAST_LEVELS} numbers of processors." if most < LEAST_LEVELS else ""
    )
    return {"charts": shown, "sentences": analysis.verdicts.by_processors, "law": law}


SECTION = Section("by_processors", content)
