"""A scatter of two measures, a mark and a name for each subject, with both intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...analyse.figures import ForkFigure
from ...base.text import lower_first, range_text, value_text
from ..drawing import COLOURS, INK, MUTED, PLAIN, WIDE, Picture, draw, marks, shape_of
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

_HEIGHT = 320
_LETTER, _LINE = 7.4, 15.0  # pixels that a letter and a line of a label take
_MARGIN = 80.0  # pixels of an axis with its title
_DIGITS = (1, 2, 5)
_LEAST_TICKS = 3


def scatter_chart(
    name: str,
    across: Mapping[str, ForkFigure],
    up: Mapping[str, ForkFigure],
    subjects: Sequence[str],
    names: Mapping[str, str],
) -> Picture | None:
    """The measure `up` over the measure `across`, both by subject, on logarithmic scales; None for fewer than two subjects.

    `names` has the name to show for a subject.
    """
    shown = [label for label in subjects if (across[label].value or 0) > 0 and (up[label].value or 0) > 0]
    if len(shown) < 2:
        return None
    x, y = across[shown[0]], up[shown[0]]
    points = [_point(label, names.get(label, label), across[label], up[label], subjects) for label in shown]
    wide, narrow = draw(name, lambda width: _chart(points, x, y, width))
    on = "" if x.cell.name == y.cell.name else f" on {y.cell.where}"
    rows = tuple(
        (
            names.get(label, label),
            *_amount(up[label]),
            *_amount(across[label]),
            str(min(across[label].forks, up[label].forks)),
        )
        for label in shown
    )
    summary = "; ".join(f"{row[0]}: {row[1]} {y.measure.unit} and {row[3]} {x.measure.unit}" for row in rows)
    better = {"higher": "high", "lower": "low"}[y.measure.data.better]
    side = {"higher": "right", "lower": "left"}[x.measure.data.better]
    return Picture(
        f"{y.measure.title} and {lower_first(x.measure.title)}",
        f"{y.measure.title}{on} over {lower_first(x.measure.title)}, on logarithmic scales: {better} and to the {side} is better. "
        "Lines are 95% intervals over fresh starts.",
        f"{y.measure.title} over {lower_first(x.measure.title)}. {summary}.",
        wide,
        narrow,
        ("server", _heading(y), "95% interval", _heading(x), "95% interval", "forks"),
        rows,
    )


def _heading(figure: ForkFigure) -> str:
    return f"{lower_first(figure.measure.short)}, {figure.measure.unit}"


def _amount(figure: ForkFigure) -> tuple[str, str]:
    return value_text(figure.value or 0), range_text(figure.bounds)


def _point(label: str, name: str, across: ForkFigure, up: ForkFigure, subjects: Sequence[str]) -> dict[str, Any]:
    """A subject's mark, its intervals, and its colour and shape, the same as in the page's other charts."""
    place = subjects.index(label)
    x, y = across.value or 0.0, up.value or 0.0
    low, high = across.bounds or (x, x)
    down, top = up.bounds or (y, y)
    return {
        "subject": name,
        "x": x,
        "y": y,
        "low": low,
        "high": high,
        "down": down,
        "top": top,
        "colour": COLOURS[place % len(COLOURS)],
        "shape": shape_of(place),
    }


def _chart(points: Sequence[dict[str, Any]], across: ForkFigure, up: ForkFigure, width: int) -> Chart:
    plot = width - _MARGIN
    x_domain = _domain([point[key] for point in points for key in ("low", "high")])
    y_domain = _domain([point[key] for point in points for key in ("down", "top")])
    titles = (f"{_heading(figure)}{' (log scale)' if width == WIDE else ''}" for figure in (across, up))
    x_title, y_title = titles
    x_scale, y_scale = (scale_of(type="log", domain=list(domain), nice=False) for domain in (x_domain, y_domain))
    x = channel("x:Q", scale=x_scale, axis=_axis(x_title, x_domain))
    y = channel("y:Q", scale=y_scale, axis=_axis(y_title, y_domain))
    low = channel("low:Q", scale=x_scale, axis=_axis(x_title, x_domain))
    down = channel("down:Q", scale=y_scale, axis=_axis(y_title, y_domain))
    colour = channel("colour:N", scale=None, legend=None)
    shape = channel("shape:N", scale=None, legend=None)
    placed = _with_label_places(points, x_domain, y_domain, plot)
    layers = [
        marks(points).as_marks("rule", color=MUTED, strokeWidth=1.2).encode(x=low, x2="high:Q", y=y),
        marks(points).as_marks("rule", color=MUTED, strokeWidth=1.2).encode(x=x, y=down, y2="top:Q"),
        marks(points).as_marks("point", size=90, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape),
        *(
            marks(placed)
            .where(f"datum.side === '{side}'")
            .as_marks("text", align=side, dx=dx, color=INK, fontSize=12)
            .encode(x=x, y=channel("label_y:Q", scale=y_scale), text=channel("subject:N"))
            for side, dx in (("left", 8), ("right", -8))
        ),
    ]
    return stack_layers(*layers).resize(width=width, height=_HEIGHT)


def _axis(title: str, domain: tuple[float, float]) -> dict[str, Any]:
    """An axis with round figures where there are enough of them, else with the library's own."""
    low, high = domain
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    round_figures = [digit * 10.0**power for power in powers for digit in _DIGITS if low <= digit * 10.0**power <= high]
    ticks = {"values": round_figures} if len(round_figures) >= _LEAST_TICKS else {"tickCount": 5}
    return axis_of(title=title, format=PLAIN, grid=True, **ticks)


def _domain(values: Sequence[float]) -> tuple[float, float]:
    """The ends of a logarithmic axis: all values, with room around them."""
    low, high = min(values), max(values)
    room = max(high / low, 1.2) ** 0.08
    return low / room, high * room


def _with_label_places(
    points: Sequence[dict[str, Any]], x_domain: tuple[float, float], y_domain: tuple[float, float], plot: float
) -> list[dict[str, Any]]:
    """The points with the height and alignment of their labels: beside the mark where there is room, each below those above it with
    which it would overlap."""
    taken: list[tuple[float, float, float]] = []  # begin, end and height in pixels
    placed = []
    for point in sorted(points, key=lambda each: -float(each["y"])):
        length = _LETTER * len(point["subject"])
        middle = _share(point["x"], x_domain) * plot
        side = "left" if middle + length < plot else "right"
        begin, end = (middle, middle + length) if side == "left" else (middle - length, middle)
        height = (1 - _share(point["y"], y_domain)) * _HEIGHT
        for other_begin, other_end, other in sorted(taken, key=lambda each: each[2]):
            if begin < other_end and other_begin < end and abs(other - height) < _LINE:
                height = other + _LINE
        taken.append((begin, end, height))
        low, high = y_domain
        placed.append({**point, "side": side, "label_y": low * (high / low) ** (1 - height / _HEIGHT)})
    return placed


def _share(value: float, domain: tuple[float, float]) -> float:
    low, high = domain
    return math.log(value / low) / math.log(high / low)
