"""A measure by number of users, one line per subject with intervals; the paper's ranges as thick bars behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...analyse.figures import ForkFigure
from ...base.text import range_text, value_text
from ..drawing import SMALL, Picture, draw_narrow, marks, series
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers


@dataclass(frozen=True)
class PublishedSpan:
    """The paper's figure for a subject at a number of users, from `low` to `high` in the measure's unit."""

    subject: str
    users: int
    low: float
    high: float


def users_chart(
    name: str, figures: Sequence[ForkFigure], spans: Sequence[PublishedSpan], subjects: Sequence[str]
) -> Picture | None:
    """One measure's figures over all forks, from 0; None for fewer than two numbers of users."""
    whole = [figure for figure in figures if figure.fork is None and figure.value is not None]
    if len({figure.cell.users for figure in whole}) < 2:
        return None
    measure = whole[0].measure
    rows = tuple(
        (str(figure.cell.users), figure.subject, value_text(figure.value or 0), _interval(figure))
        for figure in sorted(whole, key=lambda figure: (figure.cell.users, subjects.index(figure.subject)))
    )
    summary = "; ".join(f"{row[1]} by {row[0]} users: {row[2]}" for row in rows)
    return Picture(
        f"{measure.title}{', ' if measure.unit else ''}{measure.unit}",
        "",
        f"{measure.title} over the number of users. {summary}.",
        draw_narrow(name, line_chart("users", _points(whole), subjects, _bars(spans))),
        None,
        ("users", "subject", measure.unit or "value", "95% interval"),
        rows,
    )


def _interval(figure: ForkFigure) -> str:
    return range_text(figure.bounds)


def _points(figures: Sequence[ForkFigure]) -> list[dict[str, object]]:
    return [{"users": figure.cell.users, "subject": figure.subject, **value_and_bounds(figure)} for figure in figures]


def _bars(spans: Sequence[PublishedSpan]) -> list[dict[str, object]]:
    return [{"users": span.users, "subject": span.subject, "low": span.low, "high": span.high} for span in spans]


def value_and_bounds(figure: ForkFigure) -> dict[str, object]:
    """A figure's value and the ends of its interval, for a mark."""
    return {
        "value": figure.value,
        "low": figure.interval.low if figure.interval else figure.value,
        "high": figure.interval.high if figure.interval else figure.value,
    }


def line_chart(
    over: str,
    points: Sequence[Mapping[str, object]],
    subjects: Sequence[str],
    bars: Sequence[Mapping[str, object]] = (),
    legend: Mapping[str, object] | None = None,
) -> Chart:
    """Lines from 0 over the quantity `over` of each point, one a subject, with intervals; `bars` are drawn behind them. A `legend`
    is for subjects that are not those of the page."""
    scales = series(subjects)
    x = channel(f"{over}:Q", scale=scale_of(zero=True), axis=axis_of(title=over, tickCount=5))
    y = channel("value:Q", scale=scale_of(zero=True), axis=axis_of(title=None, tickCount=5, format="~s"))
    low = channel("low:Q", axis=axis_of(title=None, tickCount=5, format="~s"))
    colour = channel("subject:N", scale=scales["colour"], legend=legend)
    shape = channel("subject:N", scale=scales["shape"], legend=legend)
    dash = channel("subject:N", scale=scales["dash"], legend=legend)
    base = marks(points)
    layers = [
        base.as_marks("line", strokeWidth=1.5).encode(x=x, y=y, color=colour, strokeDash=dash),
        base.as_marks("rule", strokeWidth=1.5).encode(x=x, y=low, y2="high:Q", color=colour),
        base.as_marks("point", size=70, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape),
    ]
    if bars:
        # A single number is a span without length, which has a mark of its own.
        behind = marks(bars)
        layers[:0] = [
            behind.as_marks("rule", strokeWidth=9, opacity=0.25).encode(x=x, y=low, y2="high:Q", color=colour),
            behind.as_marks("tick", width=18, thickness=3, opacity=0.35).encode(x=x, y=low, color=colour),
        ]
    return stack_layers(*layers).resize(width=SMALL, height=220)
