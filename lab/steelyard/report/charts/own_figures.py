"""Charts of the subjects' own figures by operation: the value with its interval, and every fork."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ...analyse.figures import ForkFigure
from ...base.text import range_text, value_text
from ..drawing import COLOURS, INK, PLAIN, SMALL, Picture, draw_narrow, marks, series
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers


def level_chart(
    name: str, figures: Sequence[ForkFigure], operations: Sequence[str], subjects: Sequence[str]
) -> Picture | None:
    """One measure for every operation and subject, from 0; None without measurements. `operations` are cells by name."""
    shown = [figure for figure in figures if figure.value is not None]
    whole = [figure for figure in shown if figure.fork is None]
    if not whole:
        return None
    measure = whole[0].measure
    rows = tuple(
        (figure.cell.name, figure.subject, value_text(figure.value or 0), _range(figure), str(figure.forks))
        for figure in whole
    )
    summary = "; ".join(f"{row[1]} on {row[0]}: {row[2]}" for row in rows)
    headings = ("operation", "subject", measure.unit, "95% interval", "forks")
    return Picture(
        f"{measure.title}, {measure.unit}",
        "",
        f"{measure.title} in {measure.unit}. {summary}.",
        draw_narrow(name, _chart(shown, operations, subjects)),
        None,
        headings,
        rows,
    )


def sorted_chart(name: str, figures: Sequence[ForkFigure], floors: Collection[str]) -> Picture | None:
    """One measure of many subjects in one cell, one row each, best first; None without measurements.

    Floors would flatten the axis: they are in the caption and the table only.
    """
    shown = [figure for figure in figures if figure.value is not None]
    better = -1 if shown and shown[0].measure.data.better == "higher" else 1
    whole = sorted(
        (figure for figure in shown if figure.fork is None), key=lambda figure: better * (figure.value or 0.0)
    )
    order = [figure.subject for figure in whole if figure.subject not in floors]
    if not order:
        return None
    measure, cell = whole[0].measure, whole[0].cell
    rows = tuple((figure.subject, value_text(figure.value or 0), _range(figure), str(figure.forks)) for figure in whole)
    apart = ", ".join(
        f"{figure.subject} {value_text(figure.value or 0)} {measure.unit}"
        for figure in whole
        if figure.subject in floors
    )
    return Picture(
        f"{measure.title}, {measure.unit}: {cell.name}",
        f"Floors, not in the chart: {apart}." if apart else "",
        f"{measure.title} in {measure.unit} on {cell.name}. {'; '.join(f'{row[0]}: {row[1]}' for row in rows)}.",
        draw_narrow(name, _sorted_rows([figure for figure in shown if figure.subject in order], order)),
        None,
        ("subject", measure.unit, "95% interval", "forks"),
        rows,
    )


def _sorted_rows(figures: Sequence[ForkFigure], order: Sequence[str]) -> Chart:
    values = list(_values(figures))
    large = max(value["value"] for value in values) >= 1000
    axis = axis_of(title=None, tickCount=5, format="~s" if large else PLAIN)
    x = channel("value:Q", scale=scale_of(zero=True), axis=axis)
    y = channel("subject:N", sort=list(order), axis=axis_of(title=None, grid=True))
    base = marks(values)
    layers = stack_layers(
        base.where("!datum.whole")
        .as_marks("point", size=20, filled=True, opacity=0.45, color=COLOURS[0])
        .encode(x=x, y=y),
        base.where("datum.whole").as_marks("point", size=80, filled=True, opacity=1, color=COLOURS[0]).encode(x=x, y=y),
        base.where("datum.whole && isValid(datum.low)")
        .as_marks("rule", color=INK, strokeWidth=2)
        .encode(x=channel("low:Q", axis=axis), x2="high:Q", y=y),
    )
    return layers.resize(width=SMALL, height={"step": 22})


def _range(figure: ForkFigure) -> str:
    return range_text(figure.bounds)


def _values(figures: Sequence[ForkFigure]) -> Iterator[dict[str, Any]]:
    for figure in figures:
        value: dict[str, Any] = {
            "operation": figure.cell.name,
            "subject": figure.subject,
            "value": figure.value,
            "whole": figure.fork is None,
        }
        if figure.interval is not None:
            value |= {"low": figure.interval.low, "high": figure.interval.high}
        yield value


def _chart(figures: Sequence[ForkFigure], operations: Sequence[str], subjects: Sequence[str]) -> Chart:
    values = list(_values(figures))
    scales = series(subjects)
    large = max(value["value"] for value in values) >= 1000
    axis = axis_of(title=None, tickCount=5, format="~s" if large else PLAIN)
    x = channel("value:Q", scale=scale_of(zero=True), axis=axis)
    y = channel("operation:N", sort=list(operations), axis=axis_of(title=None), scale=scale_of(paddingInner=0.35))
    offset = channel("subject:N", sort=list(subjects), scale=scale_of(paddingInner=0.2))
    colour = channel("subject:N", scale=scales["colour"], legend=None)
    shape = channel("subject:N", scale=scales["shape"], legend=None)
    base = marks(values)
    forks = base.where("!datum.whole").as_marks("point", size=20, filled=True, opacity=0.45)
    bars = base.where("datum.whole && isValid(datum.low)").as_marks("rule", color=INK, strokeWidth=2)
    dots = base.where("datum.whole").as_marks("point", size=95, filled=True, opacity=1)
    layers = stack_layers(
        forks.encode(x=x, y=y, yOffset=offset, color=colour, shape=shape),
        dots.encode(x=x, y=y, yOffset=offset, color=colour, shape=shape),
        bars.encode(x=channel("low:Q", axis=axis), x2="high:Q", y=y, yOffset=offset),
    )
    return layers.resize(width=SMALL, height=max(60, len(operations) * (18 * len(subjects) + 14)))
