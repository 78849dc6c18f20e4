"""The look of all charts: colours and shapes for colour-blind readers, and SVG that follows light and dark mode."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any

from ..base.rounding import all_significant
from . import chart_processes
from .grammar import Chart, Marks, scale_of

# Okabe and Ito 2008, "Color universal design", in the order that keeps neighbours apart; never alone: shapes and dashes go along.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MOST_TOGETHER = len(COLOURS)  # subjects that colours distinguish in one chart; more have a row or panel each
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
PATHS = {  # the same shapes for the legend, about 8 wide
    "circle": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0",
    "square": "M-3.6,-3.6H3.6V3.6H-3.6Z",
    "triangle-up": "M0,-4.2L4.6,3.6H-4.6Z",
    "diamond": "M0,-4.8L4.8,0L0,4.8L-4.8,0Z",
    "triangle-down": "M0,4.2L4.6,-3.6H-4.6Z",
    "cross": "M-1.5,-4.4H1.5V-1.5H4.4V1.5H1.5V4.4H-1.5V1.5H-4.4V-1.5H-1.5Z",
}
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [10, 4], [4, 4])
# Placeholders for the page's colours, which `draw` replaces by its variables.
INK, MUTED, GRID, BAND, PAPER = "#1b1c1e", "#5f6368", "#e4e4e7", "#e9eef2", "#fffffe"
_VARIABLES = {
    INK: "ink", MUTED: "muted", GRID: "grid", BAND: "band", PAPER: "paper",
    **{colour: f"series-{place}" for place, colour in enumerate(COLOURS)},
}  # fmt: skip
_VARIABLE_OF = {f'"{colour}"': f'"var(--{variable})"' for colour, variable in _VARIABLES.items()}
_COLOUR = re.compile(r'"#[0-9a-fA-F]{6}"')
_IDENTIFIER = re.compile(r'\bid="([^"]+)"')
_NAMED = re.compile(r'(\bid="|url\(#)([^")]+)')
PLAIN = ",.4~r"  # figures of an axis: without the exponent that a logarithmic axis has by default
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
WIDE, SMALL, NARROW = 760, 372, 356

_MARK = re.compile(
    r'<(?P<tag>path|line|rect|circle) aria-label="(?P<description>[^"]*)" role="graphics-symbol"'
    r' aria-roledescription="(?P<kind>[^"]*)"(?P<rest>[^>]*?)/>'
)
_AT_THE_LEFT = re.compile(r'<text text-anchor="end"[^>]*>([^<]*)</text>')
_LEFT, _WIDER = 20, 1.0  # pixels of a chart's margin, and by how much a letter may be wider than the library assumes
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(k?)")  # an axis may abbreviate thousands as k
_TITLED = frozenset({"point", "bar", "rect mark", "rule mark", "line mark", "circle", "square"})
_FIELDS = {"throughput_per_s": "requests/s", "value": "figure", "to": "up to"}
_UNSAID = frozenset({"more", "depth", "whole", "opacity"})  # fields that only place or colour a mark

_CONFIG: dict[str, Any] = {
    "font": FONT,
    "aria": True,  # the source of the marks' titles in `_with_titles`
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 10,
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "labelLimit": 240,
    },
    "axisX": {"labelSeparation": 8},
    "axisY": {"domain": False, "ticks": False, "labelPadding": 8},
    "text": {"font": FONT, "fontSize": 12, "color": INK},
    "header": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 13},
}


class Svg:
    """A chart that is being drawn. As text it is its SVG, or one that says that the chart is missing."""

    def __init__(self, name: str, width: int, drawing: Future[str | None]) -> None:
        self._name = name
        self._width = width
        self._drawing = drawing

    @cached_property
    def _text(self) -> str:
        svg = self._drawing.result()
        return _page_svg(self._name, _missing_svg(self._width) if svg is None else svg)

    def __str__(self) -> str:
        return self._text

    def __html__(self) -> str:
        return self._text


@dataclass(frozen=True)
class Picture:
    """A chart with title, caption, and its content as a table for readers who cannot see it.

    `narrow` is the version for small screens; None where `wide` is small enough.
    """

    title: str
    caption: str
    alt: str
    wide: Svg
    narrow: Svg | None
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def draw(name: str, build: Callable[[int], Chart]) -> tuple[Svg, Svg]:
    """The SVG of `build(width)`, wide and narrow; `name` keeps the identifiers of a page's charts apart."""
    return _svg(f"{name}-wide", build(WIDE)), _svg(f"{name}-narrow", build(NARROW))


def draw_narrow(name: str, chart: Chart) -> Svg:
    """The SVG of a chart of SMALL width; two fit side by side."""
    return _svg(name, chart)


def failure() -> str:
    """Why charts are missing on the pages of this process; empty where none is."""
    return chart_processes.pool().failure


def standalone(picture: Svg) -> str:
    """A chart as a separate SVG file: on white, with light colours and its namespace."""
    svg = str(picture)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(f"var(--{variable})", colour)
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" style="background:#ffffff" ', 1)


def _svg(name: str, chart: Chart) -> Svg:
    spec = all_significant(chart.json())
    spec["config"] = _CONFIG
    spec["padding"] = {"left": _LEFT, "right": 6, "top": 4, "bottom": 4}
    spec["autosize"] = {"type": "fit", "contains": "padding"}
    return Svg(name, chart.width, chart_processes.submit(json.dumps(spec)))


def _missing_svg(width: int) -> str:
    text = "This chart could not be drawn. Its numbers are below."
    return f'<svg viewBox="0 0 {width} 40"><text x="0" y="24" font-size="12" fill="{INK}">{text}</text></svg>'


def _page_svg(name: str, svg: str) -> str:
    """The library's SVG in the page's colours, with titles on its marks and identifiers that begin with `name`."""
    svg = _with_titles(_renumber(name, svg))
    svg = _COLOUR.sub(lambda colour: _VARIABLE_OF.get(colour[0].lower(), colour[0]), svg)
    head = re.match(r'<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>', svg)
    if head is None:
        raise AssertionError("the chart library wrote no SVG with a view box")
    more = _wider_names(svg)
    width, height = float(head[1]) + more, float(head[2])
    box = f'viewBox="{-more:g} 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return f'<svg {box} aria-hidden="true">{svg[head.end() :]}'


def _wider_names(svg: str) -> float:
    """The additional room for the longest name at the left: the library measures with a narrower font than some browsers."""
    longest = max((len(unescape(name)) for name in _AT_THE_LEFT.findall(svg)), default=0)
    return max(0.0, longest * _WIDER - _LEFT)


def _with_titles(svg: str) -> str:
    """The SVG with the library's description of each mark as its title (the tooltip), without the library's roles."""
    svg = _MARK.sub(_with_title, svg)
    return re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)


def _with_title(mark: re.Match[str]) -> str:
    tag, description, kind, rest = mark["tag"], mark["description"], mark["kind"], mark["rest"]
    parts = [part.partition(": ") for part in description.split("; ")]
    shown = [
        f"{_FIELDS.get(label, label.replace('_', ' '))}: {_figure(value)}"
        for label, _, value in parts
        if value and label not in _UNSAID and (kind != "line mark" or label == "subject")
    ]
    title = "; ".join(shown)
    if len(parts) == 1 and not parts[0][1]:  # a chart's own words
        title = description
    return f"<{tag}{rest}><title>{title}</title></{tag}>" if title and kind in _TITLED else f"<{tag}{rest}/>"


def _figure(value: str) -> str:
    """A figure of a mark in readable form; other text unchanged."""
    number = _NUMBER.fullmatch(value)
    if number is None:
        return value
    figure = float(number[1]) * (1000 if number[2] else 1)
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.4g}"


def _renumber(name: str, svg: str) -> str:
    """The SVG with its own identifiers: the library counts them over all charts of the process, in no fixed order."""
    known = dict.fromkeys(_IDENTIFIER.findall(svg))
    own = {identifier: f"{name}-{place}" for place, identifier in enumerate(known)}
    return _NAMED.sub(lambda named: f"{named[1]}{own.get(named[2], named[2])}", svg)


def marks(values: Sequence[Mapping[str, Any]]) -> Marks:
    """An empty chart over inline values."""
    return Marks(values)


def series(labels: Sequence[str]) -> dict[str, Any]:
    """The colour, shape and dash scales of subjects, the same in every chart."""
    count = len(labels)
    return {
        "colour": scale_of(domain=list(labels), range=[COLOURS[n % len(COLOURS)] for n in range(count)]),
        "shape": scale_of(domain=list(labels), range=[shape_of(n) for n in range(count)]),
        "dash": scale_of(domain=list(labels), range=[DASHES[n % len(DASHES)] for n in range(count)]),
    }


def shape_of(place: int) -> str:
    """The shape of a subject by its place: beyond six subjects, a colour is reused with another shape."""
    return SHAPES[(place + place // len(COLOURS)) % len(SHAPES)]


def ratio_ticks(low: float, high: float) -> list[float]:
    """Five to nine round ratios between `low` and `high` for a logarithmic axis."""
    if high / low > 4:
        return [
            round(digit * 10.0**power, 6)
            for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for digit in (1, 2, 5)
            if low <= digit * 10.0**power <= high
        ]
    step = next(step for step in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if (high - low) / step <= 8)
    first = math.ceil(low / step - 1e-9)
    return [round(place * step, 6) for place in range(first, math.floor(high / step + 1e-9) + 1)]
