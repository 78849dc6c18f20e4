"""Operation by operation: charts and tables of each subject's own figures, and all ratios with their intervals."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.decisions import tests_in_order
from ..charts.own_figures import level_chart
from ..drawing import Picture
from ..figure_table import headings, operation_of
from ..section import Section
from ..subjects import cells, present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where there are tests, which show their figures themselves."""
    if tests_in_order(analysis.run):
        return None
    return {
        "levels": _levels(analysis),
        "headings": headings(analysis),
        "operations": [operation_of(analysis, cell) for cell in cells(analysis.run)],
    }


def _levels(analysis: Analysis) -> tuple[Picture, ...]:
    """What is judged first, and beside it throughput, or the mean response time where that is judged."""
    run = analysis.run
    operations = [cell.name for cell in cells(run)]
    charts = []
    for name in list(dict.fromkeys((cells(run)[0].primary_measure, "throughput", "response_time_mean")))[:2]:
        figures = [figure for figure in analysis.figures if figure.measure.name == name]
        charts.append(level_chart(f"level-{name}", figures, operations, run.schedule.subjects))
    return present(charts)


SECTION = Section("operations", content)
