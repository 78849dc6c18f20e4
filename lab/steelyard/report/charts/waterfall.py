"""The waterfall of a difference: each layer's part starts at the end of the one before; the last bar is the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...analyse.layer_split import OUTSIDE, WHOLE
from ...base.text import range_text, value_text
from ...models.outputs.run import LayerSplit, SplitPart
from ...models.service import Layer
from ..drawing import INK, MUTED, NARROW, PAPER, Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers
from .layers import colours

_ROW = 30
_ROOM = {True: 0.55, False: 0.28}  # room for the text at a row's end, as a share of the width: narrow, wide


def waterfall(name: str, shown: LayerSplit, layers: Sequence[Layer]) -> Picture:
    """One row per part, from the outermost layer inwards, then outside and whole; pale where no difference was detected."""
    values = list(_values(shown, layers))
    wide, narrow = draw(name, lambda width: _chart(values, width))
    return Picture(
        title=f"{shown.a} against {shown.b} on {shown.cell}",
        caption=(
            f"Time per request of {shown.a} minus that of {shown.b}, ms. Each part begins where the part above it ends. "
            "A pale bar is a part without a detected difference. Lines are intervals that hold jointly with "
            f"{shown.confidence * 100:.3g}% confidence."
        ),
        alt=f"The difference in response time by layer. {' '.join(shown.sentences)}",
        wide=wide,
        narrow=narrow,
        headings=headings(shown),
        rows=rows(shown),
    )


def headings(shown: LayerSplit) -> tuple[str, ...]:
    """The headings of a split's table."""
    sure = f"{shown.confidence * 100:.3g}% interval"
    return ("layer", f"{shown.a}, ms", f"{shown.b}, ms", "difference, ms", sure, "of the difference")


def rows(shown: LayerSplit) -> tuple[tuple[str, ...], ...]:
    """The rows of a split's table: one per part, and the whole last."""
    return tuple(
        (
            part.title,
            value_text(part.a_ms),
            value_text(part.b_ms),
            value_text(part.ms),
            range_text(part.interval) or "one fork",
            _share(part),
        )
        for part in (*shown.parts, shown.whole)
    )


def _share(part: SplitPart) -> str:
    """A part's share of the whole difference, or that no difference was detected."""
    if not part.told_apart:
        return "no difference detected"
    return "difference detected" if part.percent is None else f"{part.percent:.0f}%"


def _values(shown: LayerSplit, layers: Sequence[Layer]) -> Iterator[dict[str, Any]]:
    of_layer = {layer.name: colour for layer, (_, colour) in zip(layers, colours(layers), strict=True)}
    of_layer |= {OUTSIDE.name: MUTED, WHOLE.name: INK}
    begin = 0.0
    for part in (*shown.parts, shown.whole):
        start = 0.0 if part is shown.whole else begin
        low, high = part.interval or (part.ms, part.ms)
        end = start + part.ms
        yield {
            "layer": part.title,
            "begin": start,
            "end": end,
            "low": start + low,
            "high": start + high,
            "right": max(start, end, start + high),
            "more": f"{'+' if part.ms > 0 else ''}{value_text(part.ms)} ms" if part.told_apart else "",
            "not": "" if part.told_apart else "no difference detected",
            "colour": of_layer[part.layer],
            "opacity": 1.0 if part.told_apart else 0.3,
        }
        begin = end


def _chart(values: Sequence[dict[str, Any]], width: int) -> Chart:
    least = min(0.0, *(min(value["begin"], value["end"], value["low"]) for value in values))
    most = max(0.0, *(value["right"] for value in values))
    room = (most - least or 1.0) * _ROOM[width <= NARROW]
    scale = scale_of(domain=[least, most + room], nice=False)
    axis = axis_of(title="ms per request", tickCount=5, format=",~r")
    y = channel("layer:N", sort=[value["layer"] for value in values], axis=axis_of(title=None))
    base = marks(values).encode(y=y)
    bars = base.as_marks("bar", height={"band": 0.62}, stroke=MUTED, strokeWidth=0.6).encode(
        x=channel("begin:Q", scale=scale, axis=axis),
        x2="end:Q",
        color=channel("colour:N", scale=None, legend=None),
        opacity=channel("opacity:Q", scale=None, legend=None),
    )
    halo = (  # so that a line is visible on its dark bar
        base.where("datum.opacity == 1")
        .as_marks("rule", color=PAPER, strokeWidth=4)
        .encode(x=channel("low:Q"), x2="high:Q")
    )
    bounds = base.as_marks("rule", color=INK, strokeWidth=1.4).encode(x=channel("low:Q"), x2="high:Q")
    zero = marks([{"zero": 0}]).as_marks("rule", color=MUTED).encode(x=channel("zero:Q"))
    drawn = [zero, bars, halo, bounds]
    for words, colour in (("more", INK), ("not", MUTED)):
        if words == "more" or width > NARROW:  # also shown by a pale bar
            text = base.as_marks("text", align="left", dx=8, color=colour, fontSize=12)
            drawn.append(text.encode(x=channel("right:Q"), text=channel(f"{words}:N")))
    return stack_layers(*drawn).resize(width=width, height=_ROW * len(values) + 40)
