"""What requests are made of, in percent: one bar a row, all of the same length, parted by colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...base.text import value_text
from ..drawing import Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of

LABEL = 170  # pixels, of a bar's name


@dataclass(frozen=True)
class SharePart:
    """A part of every bar: its name in the data, what it is called, and its colour."""

    name: str
    title: str
    colour: str


def shares(
    name: str, title: str, of: tuple[str, str], bars: Mapping[str, Mapping[str, float]], parts: Sequence[SharePart]
) -> Picture:
    """One bar a row of `bars`: by its name the percent of each part, the first on the left.

    `of` is what the axis is in percent of, and what a row is called.
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
    told = "; ".join(
        f"{bar}: {', '.join(f'{part.title} {percents[part.name]:.0f}%' for part in parts if part.name in percents)}"
        for bar, percents in bars.items()
    )

    def build(width: int) -> Chart:
        # What was printed was rounded, so that a bar may end beside 100: the axis ends there all the same.
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
    return Picture(title, "", f"{title}, in percent of {whole}. {told}.", wide, narrow, headings, rows)
