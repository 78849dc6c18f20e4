"""Throughput by request size on two logarithmic axes, one line per subject, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from ...analyse.growth import Grown
from ...base.text import bytes_text, range_text, value_text
from ..drawing import PLAIN, SMALL, Picture, draw_narrow, marks, series
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers


def size_chart(name: str, curves: Sequence[Grown], subjects: Sequence[str]) -> Picture | None:
    """One operation's curves at one number of users; None where there is no value."""
    points = [
        (size, curve.subject, point.value, point.bounds)
        for curve in curves
        for size, point in curve.points.items()
        if point.value is not None
    ]
    if not points:
        return None
    rows = tuple(
        (bytes_text(size), subject, value_text(value), range_text(bounds)) for size, subject, value, bounds in points
    )
    summary = "; ".join(f"{subject} at {size}: {value}" for size, subject, value, _ in rows)
    values = [
        {
            "bytes": size,
            "subject": subject,
            "value": value,
            "low": bounds[0] if bounds and bounds[0] > 0 else value,
            "high": bounds[1] if bounds else value,
        }
        for size, subject, value, bounds in points
    ]
    return Picture(
        f"{curves[0].operation}, {curves[0].users} users, requests/s",
        "",
        f"Throughput over request size. {summary}.",
        draw_narrow(name, _chart(values, subjects)),
        None,
        ("request", "subject", "requests/s", "95% interval"),
        rows,
    )


def _chart(points: Sequence[dict[str, object]], subjects: Sequence[str]) -> Chart:
    scales = series(subjects)
    log = scale_of(type="log", nice=False, padding=12)
    x = channel("bytes:Q", scale=log, axis=axis_of(title="request size, bytes", tickCount=4, format="~s"))
    y = channel("value:Q", scale=log, axis=axis_of(title=None, tickCount=5, format=PLAIN))
    low = channel("low:Q", scale=log, axis=axis_of(title=None, tickCount=5, format=PLAIN))
    colour = channel("subject:N", scale=scales["colour"], legend=None)
    shape = channel("subject:N", scale=scales["shape"], legend=None)
    dash = channel("subject:N", scale=scales["dash"], legend=None)
    base = marks(points)
    return stack_layers(
        base.as_marks("line", strokeWidth=1.5).encode(x=x, y=y, color=colour, strokeDash=dash),
        base.as_marks("rule", strokeWidth=1.5).encode(x=x, y=low, y2="high:Q", color=colour),
        base.as_marks("point", size=70, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape),
    ).resize(width=SMALL, height=220)
