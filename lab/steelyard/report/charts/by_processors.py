"""A measure over the number of processors, a line a server, each point with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analyse.by_processors import ProcessorSeries
from ...analyse.figures import ForkFigure
from ...base.text import range_text, value_text
from ..drawing import INK, Picture, draw_narrow
from .by_users import line_chart, value_and_bounds


def processors_chart(name: str, series: Sequence[ProcessorSeries], figures: Mapping[str, ForkFigure]) -> Picture | None:
    """One measure's figures over all forks, by subject, from 0; None where fewer than two numbers of processors have a value."""
    seen = [
        (level, each.name, figures[label])
        for each in series
        for level, label in each.labels.items()
        if label in figures and figures[label].value is not None
    ]
    if len({level for level, _, _ in seen}) < 2:
        return None
    seen.sort(key=lambda point: point[0])
    measure = seen[0][2].measure
    rows = tuple(
        (str(level), subject, value_text(figure.value or 0.0), range_text(figure.bounds))
        for level, subject, figure in seen
    )
    summary = "; ".join(f"{row[1]} on {row[0]}: {row[2]}" for row in rows)
    points = [{"processors": level, "subject": subject, **value_and_bounds(figure)} for level, subject, figure in seen]
    legend = {"title": None, "orient": "bottom", "columns": 1, "labelLimit": 300, "labelColor": INK}
    return Picture(
        f"{measure.title}{', ' if measure.unit else ''}{measure.unit}",
        "",
        f"{measure.title} over the number of processors. {summary}.",
        draw_narrow(name, line_chart("processors", points, [each.name for each in series], legend=legend)),
        None,
        ("processors", "server", measure.unit or "value", "95% interval"),
        rows,
    )
