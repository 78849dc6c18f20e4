"""Shares of layers as a paper printed them, each above those of this run: one bar a breakdown, all of the same length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...base.text import value_text
from ...models.service import Layer
from ..drawing import Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of
from .layers import layer_colour

LABEL = 170  # pixels, of a bar's name


def shares(place: int, title: str, bars: Mapping[str, Mapping[str, float]], layers: Sequence[Layer]) -> Picture:
    """One bar a row of `bars`: by its name the percent of each layer, by the layer's name, from the outermost layer on the left."""
    values = [
        {"bar": bar, "layer": layer.title, "order": order, "percent": percents[layer.name]}
        for bar, percents in bars.items()
        for order, layer in enumerate(layers)
        if layer.name in percents
    ]
    rows = tuple(
        (bar, *(value_text(percents[layer.name]) if layer.name in percents else "-" for layer in layers))
        for bar, percents in bars.items()
    )
    told = "; ".join(
        f"{bar}: {', '.join(f'{layer.title} {percents[layer.name]:.0f}%' for layer in layers if layer.name in percents)}"
        for bar, percents in bars.items()
    )

    def build(width: int) -> Chart:
        # What was printed was rounded, so that a bar may end beside 100: the axis ends there all the same.
        scale = scale_of(domain=[0, 100], clamp=True)
        return (
            marks(values)
            .drawn("bar", height={"band": 0.75})
            .encode(
                x=channel("percent:Q", stack="zero", scale=scale, axis=axis_of(title="% of a request", tickCount=5)),
                y=channel("bar:N", sort=list(bars), axis=axis_of(title=None, labelLimit=LABEL)),
                color=layer_colour(layers),
                order=channel("order:Q"),
            )
            .sized(width=width, height=28 * len(bars) + 50)
        )

    wide, narrow = draw(f"shares-{place}", build)
    headings = ("breakdown, %", *(layer.title for layer in layers))
    return Picture(title, "", f"Share of a request in each layer. {told}.", wide, narrow, headings, rows)
