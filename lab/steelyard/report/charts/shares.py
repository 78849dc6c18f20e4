"""Shares in percent: one bar per row, all of the same length, divided by colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...base.text import value_text
from ..drawing import Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of

LABEL = 170  # pixels for a bar's name


@dataclass(frozen=True)
class SharePart:
    """A part of every bar: its name in the data, its title and its colour."""

    name: str
    title: str
    colour: str


def shares(
    name: str, title: str, of: tuple[str, str], bars: Mapping[str, Mapping[str, float]], parts: Sequence[SharePart]
) -> Picture:
    """One bar per row of `bars`: the percent of each part by name, the first on the left.

    `of` has the whole that the axis is in percent of, and the name of a row.
    """
    whole, row_name = of
    values = [
        {"bar": bar, "part": part.title, "order": order, "percent": percents[part.name]}
        for bar, percents in bars.items()
        for order, part in enumerate(parts)
        if part.name in percents
    ]
    rows = tuple(
        (bar, *(value_text(percents[part.name]) if part.name in percents else "-" for part in parts))
        for bar, percents in bars.items()
    )
    summary = "; ".join(
        f"{bar}: {', '.join(f'{part.title} {percents[part.name]:.0f}%' for part in parts if part.name in percents)}"
        for bar, percents in bars.items()
    )

    def build(width: int) -> Chart:
        # Printed shares are rounded, so a bar may not end at 100; the axis does.
        scale = scale_of(domain=[0, 100], clamp=True)
        colours = scale_of(domain=[part.title for part in parts], range=[part.colour for part in parts])
        return (
            marks(values)
            .as_marks("bar", height={"band": 0.75})
            .encode(
                x=channel("percent:Q", stack="zero", scale=scale, axis=axis_of(title=f"% of {whole}", tickCount=5)),
                y=channel("bar:N", sort=list(bars), axis=axis_of(title=None, labelLimit=LABEL)),
                color=channel("part:N", scale=colours, legend=None),
                order=channel("order:Q"),
            )
            .to_chart(width=width, height=28 * len(bars) + 50)
        )

    wide, narrow = draw(name, build)
    headings = (f"{row_name}, %", *(part.title for part in parts))
    return Picture(title, "", f"{title}, in percent of {whole}. {summary}.", wide, narrow, headings, rows)
