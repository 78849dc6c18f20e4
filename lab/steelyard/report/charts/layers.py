"""Charts of layers: stacked bars, and single requests in order of time with garbage collector pauses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...analyse.layers import Breakdown, own_ms
from ...base.text import value_text
from ...models.service import Layer
from ...models.verdict import LayerFigure
from ...results.collector_log import CollectorLog, Pause
from ...results.request_columns import RequestColumns, RequestRecord
from ..drawing import COLOURS, INK, MUTED, WIDE, Picture, draw, marks
from ..grammar import Channel, Chart, axis_of, channel, scale_of, stack_layers

REQUESTS = 30  # shown in order of time
LEVELS = ("90%", "95%", "99%")  # of margins of error


def colours(layers: Sequence[Layer]) -> tuple[tuple[str, str], ...]:
    """The title and colour of each layer; layers beyond the number of colours are grey."""
    return tuple((layer.title, COLOURS[n] if n < len(COLOURS) else MUTED) for n, layer in enumerate(layers))


def legend(layers: Sequence[Layer]) -> tuple[tuple[str, str], ...]:
    """As `colours`, with the page's variables, which follow its light or dark mode."""
    known = {colour: f"var(--series-{n})" for n, colour in enumerate(COLOURS)} | {MUTED: "var(--muted)"}
    return tuple((title, known[colour]) for title, colour in colours(layers))


_FLAME_HEADINGS = (
    "requests",
    "layer",
    "ms",
    "%",
    *(f"margin at {level}" for level in LEVELS),
    "SD",
    "lower quartile",
    "median",
    "upper quartile",
)


def flame(place: int, title: str, bars: Mapping[str, Sequence[LayerFigure]], layers: Sequence[Layer]) -> Picture:
    """One stacked bar per row of `bars`, from the outermost layer on the left to the innermost, in ms."""
    values = [
        {"bar": bar, "layer": figure.title, "order": order, "ms": figure.ms, "percent": figure.percent}
        for bar, figures in bars.items()
        for order, figure in enumerate(figures)
    ]
    summary = "; ".join(
        f"{bar}: {', '.join(f'{figure.title} {figure.percent:.0f}%' for figure in figures)}"
        for bar, figures in bars.items()
    )

    def build(width: int) -> Chart:
        return (
            marks(values)
            .as_marks("bar", height={"band": 0.75})
            .encode(
                x=channel("ms:Q", stack="zero", axis=axis_of(title="ms per request", tickCount=6, format=",~r")),
                y=channel("bar:N", sort=list(bars), axis=axis_of(title=None)),
                color=layer_colour(layers),
                order=channel("order:Q"),
            )
            .to_chart(width=width, height=28 * len(bars) + 50)
        )

    wide, narrow = draw(f"flame-{place}", build)
    text = f"Time per request in each layer. {summary}."
    return Picture(title, "", text, wide, narrow, _FLAME_HEADINGS, tuple(_flame_rows(bars)))


def _flame_rows(bars: Mapping[str, Sequence[LayerFigure]]) -> Iterator[tuple[str, ...]]:
    """A row for each layer of each bar, under the headings of a flame."""
    for bar, figures in bars.items():
        for figure in figures:
            yield (
                bar,
                figure.title,
                value_text(figure.ms),
                f"{figure.percent:.1f}",
                *_margins(figure),
                value_text(figure.deviation),
                *map(value_text, figure.quartiles),
            )


def _margins(figure: LayerFigure) -> tuple[str, ...]:
    """The margin of error at each level; there is none for one run."""
    return tuple(value_text(figure.margins[level]) if level in figure.margins else "one run" for level in LEVELS)


def layer_colour(layers: Sequence[Layer]) -> Channel:
    """The colour scale of layers in every chart; the page has their legend."""
    named = colours(layers)
    scale = scale_of(domain=[title for title, _ in named], range=[colour for _, colour in named])
    return channel("layer:N", scale=scale, legend=None)


def request_timeline(
    place: int, breakdown: Breakdown, requests: RequestColumns, logs: Sequence[CollectorLog]
) -> Picture | None:
    """The slowest of `requests` (one trial's) and its neighbours, one per line, with collector pauses.

    A layer is drawn from its first entry, as long as its total. None without a request.
    """
    if not len(requests):
        return None
    drawn = _around_the_slowest(requests)
    shown = drawn.records()
    begin = shown[0].begin_ns
    end = max(request.begin_ns + request.total_ns for request in shown)
    pauses = [pause for log in logs for pause in log.pauses_within(begin, end)]
    values = [
        dict(value, request=line)
        for line, request in enumerate(shown)
        for value in _bars(request, breakdown.layers, begin)
    ]
    bands = [{"from": (pause.begin_ns - begin) / 1e6, "to": (pause.end_ns - begin) / 1e6} for pause in pauses]

    def build(width: int) -> Chart:
        return _time_chart(width, values, bands, breakdown.layers, len(shown))

    wide, narrow = draw(f"in-time-{place}", build)
    slow = max(shown, key=lambda request: request.total_ns)
    named = frozenset(tag for layer in breakdown.layers for tag in layer.tags)
    own = zip(*(own_ms(drawn, layer, named) for layer in breakdown.layers), strict=True)
    caption = (
        f"{len(shown)} requests around the slowest ({value_text(slow.total_ns / 1e6)} ms, {_pause_text(slow, pauses)}). "
        "A bar begins where the request first enters the layer; its length is the sum of all entries"
    )
    return Picture(
        title=f"{breakdown.subject} on {breakdown.cell.name}",
        caption=caption,
        alt=f"Requests of {breakdown.subject} on {breakdown.cell.name} in order of time. {caption}.",
        wide=wide,
        narrow=narrow,
        headings=("after, ms", "total, ms", "paused, ms", *(layer.title for layer in breakdown.layers)),
        rows=tuple(
            (
                value_text((request.begin_ns - begin) / 1e6),
                value_text(request.total_ns / 1e6),
                value_text(_paused_ms(request, pauses)),
                *map(value_text, times),
            )
            for request, times in zip(shown, own, strict=True)
        ),
    )


def _around_the_slowest(requests: RequestColumns) -> RequestColumns:
    """The slowest request and its neighbours, in order of time."""
    by_time = np.argsort(requests.begin_ns, kind="stable")
    slowest = int(np.argmax(requests.total_ns[by_time]))
    first = max(0, min(slowest - REQUESTS // 2, len(by_time) - REQUESTS))
    return requests.select(by_time[first : first + REQUESTS])


def _bars(request: RequestRecord, layers: Sequence[Layer], begin: int) -> Iterator[dict[str, Any]]:
    titles = {tag: layer.title for layer in layers for tag in layer.tags}
    for depth, (tag, time) in enumerate(request.layers.items()):
        start = request.begin_ns - begin + time.first_ns
        title = titles.get(tag, "Other")
        yield {"layer": title, "from": start / 1e6, "to": (start + time.total_ns) / 1e6, "depth": depth}


def _paused_ms(request: RequestRecord, pauses: Sequence[Pause]) -> float:
    end = request.begin_ns + request.total_ns
    return sum(max(0, min(pause.end_ns, end) - max(pause.begin_ns, request.begin_ns)) for pause in pauses) / 1e6


def _pause_text(request: RequestRecord, pauses: Sequence[Pause]) -> str:
    paused = _paused_ms(request, pauses)
    return f"stopped by the collector for {value_text(paused)} ms" if paused else "during no pause of a collector"


def _time_chart(
    width: int,
    values: Sequence[Mapping[str, Any]],
    bands: Sequence[Mapping[str, Any]],
    layers: Sequence[Layer],
    lines: int,
) -> Chart:
    axis = axis_of(title="ms", tickCount=6, format=",~r")
    deepest = max(value["depth"] for value in values)
    bars = [
        marks([value for value in values if value["depth"] == depth])
        .as_marks("bar", height={"band": 0.95 - 0.6 * depth / (deepest + 1)})
        .encode(
            x=channel("from:Q", axis=axis, scale=scale_of(nice=False)),
            x2="to:Q",
            y=channel("request:O", axis=axis_of(title="requests in order of time", labels=False)),
            color=layer_colour(layers),
        )
        for depth in range(deepest + 1)
    ]
    if bands:
        bars.append(
            marks(bands).as_marks("rect", color=INK, opacity=0.25).encode(x=channel("from:Q", axis=axis), x2="to:Q")
        )
    return stack_layers(*bars).resize(width=min(width, WIDE) - 60, height=9 * lines + 10)
