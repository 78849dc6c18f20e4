"""The first picture of a load or of two running targets: figures of these processes with their intervals, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...analyse.as_it_runs import estimate_text
from ...base.text import range_text, value_text
from ...models.outputs.loading import Estimate
from ..drawing import COLOURS, INK, MUTED, PLAIN, WIDE, Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

_LABEL_PIXELS = 330


def estimate_chart(
    estimates: Sequence[tuple[str, Estimate]], quantity: str, over: str, *, of_ratio: bool = False
) -> Picture | None:
    """Each figure by its name, with its 95% interval; None where none is known. Intervals are `over` what they rest on;
    `of_ratio` marks 1."""
    known = [(name, each) for name, each in estimates if each.value is not None and each.value > 0]
    if not known:
        return None
    wide, narrow = draw("first", lambda width: _chart(known, quantity, width, of_ratio=of_ratio))
    bars = f", the bar its 95% interval over {over}" if any(_bounds(each) for _, each in known) else ""
    same = " At the dashed line both are the same." if of_ratio else ""
    texts = "; ".join(f"{name} {estimate_text(each)}" for name, each in known)
    return Picture(
        title="",
        caption=f"A diamond is a figure{bars}.{same}",
        alt=f"{quantity}: {texts}.",
        wide=wide,
        narrow=narrow,
        headings=("figure", quantity, "95% interval"),
        rows=tuple((name, value_text(each.value or 0.0), range_text(_bounds(each))) for name, each in known),
    )


def _bounds(estimate: Estimate) -> tuple[float, float] | None:
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def _row(label: str, estimate: Estimate) -> dict[str, Any]:
    """A row of the chart; without an interval that can be drawn on the axis it is a point."""
    value = estimate.value or 0.0
    low, high = _bounds(estimate) or (value, value)
    return {"figure": label, "value": value, "low": low if low > 0 else value, "to": high}


def _chart(estimates: Sequence[tuple[str, Estimate]], quantity: str, width: int, *, of_ratio: bool) -> Chart:
    labels = [f"{name}  {estimate_text(each)}" if width == WIDE else name for name, each in estimates]
    rows = [_row(label, each) for label, (_, each) in zip(labels, estimates, strict=True)]
    ends = [*(row["low"] for row in rows), *(row["to"] for row in rows), *([1.0] if of_ratio else [])]
    low, high = min(ends), max(ends)
    room = max((high / low) ** 0.05, 1.01)
    axis = axis_of(title=f"{quantity} (log scale)", tickCount=6, format=PLAIN)
    scale = scale_of(type="log", domain=[low / room, high * room], nice=False)
    x = channel("value:Q", scale=scale, axis=axis)
    y_axis = axis_of(title=None, labelColor=INK, labelLimit=_LABEL_PIXELS if width == WIDE else 150)
    y = channel("figure:N", sort=labels, scale=scale_of(domain=labels), axis=y_axis)
    layers = [
        marks(rows)
        .as_marks("rule", color=INK, strokeWidth=5, strokeCap="butt", clip=True)
        .encode(x=channel("low:Q", scale=scale, axis=axis), x2="to:Q", y=y),
        marks(rows)
        .as_marks("point", shape="diamond", size=60, filled=True, color=COLOURS[0], opacity=1)
        .encode(x=x, y=y),
    ]
    if of_ratio:
        layers.insert(0, marks([{"value": 1}]).as_marks("rule", color=MUTED, strokeDash=[3, 3]).encode(x=x))
    return stack_layers(*layers).resize(width=width, height={"step": 24})
