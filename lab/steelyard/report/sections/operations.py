"""Operation by operation: charts and tables of each subject's own figures, and all ratios with their intervals."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ...analyse.figures import ForkFigure
from ..charts.own_figures import level_chart, sorted_chart
from ..drawing import MOST_TOGETHER, Picture
from ..figure_table import headings, operation_of
from ..section import Section
from ..subjects import cells, present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where there are tests, which show their own figures."""
    if tests_in_order(analysis.run):
        return None
    return {
        "levels": _levels(analysis),
        "coloured": len(analysis.run.schedule.subjects) <= MOST_TOGETHER,
        "headings": headings(analysis),
        "operations": [operation_of(analysis, cell) for cell in cells(analysis.run)],
    }


def figures_of(analysis: Analysis, measure: str, cell: str) -> list[ForkFigure]:
    """All subjects' figures of a measure in a cell, by names."""
    return [figure for figure in analysis.figures if (figure.measure.name, figure.cell.name) == (measure, cell)]


def _levels(analysis: Analysis) -> tuple[Picture, ...]:
    """The judged measure, and beside it throughput, or the mean response time where throughput is judged."""
    run = analysis.run
    operations = [cell.name for cell in cells(run)]
    charts = []
    names = list(dict.fromkeys((cells(run)[0].primary_measure, "throughput", "response_time_mean")))[:2]
    if len(run.schedule.subjects) > MOST_TOGETHER:
        return present(
            sorted_chart(f"level-{name}-{place}", figures_of(analysis, name, cell), run.floors)
            for place, cell in enumerate(operations)
            for name in names
        )
    for name in names:
        figures = [figure for figure in analysis.figures if figure.measure.name == name]
        charts.append(level_chart(f"level-{name}", figures, operations, run.schedule.subjects))
    return present(charts)


SECTION = Section("operations", content)
