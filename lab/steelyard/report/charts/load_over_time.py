"""Charts of a load over time: throughput, percentiles of response time, users if they change, failures if there are any."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...analyse.load_figures import PERCENTILES, Second, percentile_name
from ...base import histogram
from ...base.text import value_text
from ...statistics.checks import percentile_refusal
from ..drawing import SMALL, Picture, draw_narrow, marks, series
from ..grammar import Chart, axis_of, channel, scale_of

_MOST_POINTS = 120
_MOST_ROWS = 12
_HEIGHT = 170
Line = list[tuple[float, float | None]]  # seconds since the start, value


def over_time_charts(seconds: Sequence[Second]) -> Iterator[Picture]:
    """The charts of a load's whole seconds, if there are two or more."""
    width = math.ceil(len(seconds) / _MOST_POINTS)
    bins = [seconds[at : at + width] for at in range(0, len(seconds), width)]
    ends = [min((place + 1) * width, len(seconds)) for place in range(len(bins))]

    def line(values: Sequence[float | None]) -> Line:
        return list(zip(map(float, ends), values, strict=True))

    throughput = line([sum(second.completed for second in each) / len(each) for each in bins])
    yield _picture("throughput", "Throughput", "requests/s", {"right answers": throughput})
    percentiles = {percentile_name(share): line([_percentile(each, share) for each in bins]) for share in PERCENTILES}
    known = {name: points for name, points in percentiles.items() if any(value is not None for _, value in points)}
    if known:
        yield _picture("percentiles", "Response time", "ms", known)
    if len({second.users for second in seconds}) > 1:
        yield _picture("users", "Users", "users", {"users": line([float(each[-1].users) for each in bins])})
    if any(second.failed for second in seconds):
        failed = line([sum(second.failed for second in each) / len(each) for each in bins])
        yield _picture("failures", "Wrong and failed", "requests/s", {"failures": failed})


def legend_of(charts: Sequence[Picture]) -> list[tuple[str, str]]:
    """The drawn percentiles, each with its colour as a variable of the page."""
    names = [
        name for chart in charts for name in chart.headings[1:] if name.startswith("p") and len(chart.headings) > 2
    ]
    return [(name.partition(",")[0], f"var(--series-{place})") for place, name in enumerate(names)]


def _percentile(seconds: Sequence[Second], share: float) -> float | None:
    """A percentile of right answers in ms; None where too few requests lie beyond it."""
    times = histogram.merge_histograms(second.times for second in seconds)
    if not times.total or percentile_refusal(share, times.total):
        return None
    return times.percentile(share * 100) / 1000


def _picture(name: str, title: str, unit: str, lines: Mapping[str, Line]) -> Picture:
    names = list(lines)
    places = [x for x, _ in lines[names[0]]]
    step = max(1, math.ceil(len(places) / _MOST_ROWS))
    rows = tuple(
        (f"{places[at]:g}", *(_text(lines[each][at][1]) for each in names)) for at in range(0, len(places), step)
    )
    ends = "; ".join(f"{each} {_text(lines[each][0][1])} to {_text(lines[each][-1][1])}" for each in names)
    listed = ", ".join(names) if len(names) > 1 else ""
    return Picture(
        title=f"{title}, {unit}{f': {listed}' if listed else ''}",
        caption="",
        alt=f"{title} in {unit} over time. From the first to the last second: {ends}.",
        wide=draw_narrow(f"load-{name}", _chart(lines)),
        narrow=None,
        headings=("seconds", *(f"{each}, {unit}" if len(names) > 1 else unit for each in names)),
        rows=rows,
    )


def _text(value: float | None) -> str:
    return "-" if value is None else value_text(value)


def _chart(lines: Mapping[str, Line]) -> Chart:
    values: list[dict[str, Any]] = [
        {"subject": name, "x": x, "value": value} for name, points in lines.items() for x, value in points
    ]
    scales = series(list(lines))
    large = max((value["value"] or 0 for value in values), default=0) >= 1000
    x = channel("x:Q", axis=axis_of(title="seconds", tickCount=6, grid=False), scale=scale_of(nice=False, zero=True))
    y = channel(
        "value:Q", axis=axis_of(title=None, tickCount=4, format="~s" if large else ",.3~f"), scale=scale_of(zero=True)
    )
    colour = channel("subject:N", scale=scales["colour"], legend=None)
    dash = channel("subject:N", scale=scales["dash"], legend=None)
    lined = marks(values).as_marks("line", strokeWidth=1.6).encode(x=x, y=y, color=colour, strokeDash=dash)
    return lined.to_chart(width=SMALL, height=_HEIGHT)
