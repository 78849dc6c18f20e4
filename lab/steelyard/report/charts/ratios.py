"""The chart of ratios: every fork as a dot, every pair as a faint one, the interval, and the band of what counts as equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from ...analyse.ratios import Compared
from ...analyse.sentences import amount, basis
from ...analyse.verdicts import Judgement
from ...base.text import percent_text
from ...statistics.verdict_words import Better
from ..drawing import BAND, COLOURS, GRID, INK, MUTED, PAPER, WIDE, Chart, Picture, draw, marks, ratio_ticks

_ALL = "all forks"


def ratio_chart(place: int, judgement: Judgement, margin: float, *, alone: bool) -> Picture | None:
    """The evidence for one verdict, fork by fork; None where there is no fork to show."""
    one = judgement.compared
    if not any(fork.ratio is not None for fork in one.forks):
        return None
    low, high = _bounds(one, margin)
    wide, narrow = draw(f"ratio-{place}", lambda width: _chart(one, margin, low, high, width))
    quantity = one.measure.title.lower()
    caption = (
        f"{one.measure.title} of {one.a} over {one.b} on {one.cell.name}. Large dots are forks, each the median of its pairs; "
        f"small dots are pairs, crosses are voided pairs, hollow dots forks that do not count. The bar is the "
        f"{percent_text(one.confidence)} interval over forks; the band is the margin within which subjects count as equal."
    )
    rows = tuple(
        (
            str(fork.trial),
            "-" if fork.ratio is None else f"{fork.ratio:.3f}",
            str(sum(not pair.voids for pair in fork.pairs)),
            str(sum(bool(pair.voids) for pair in fork.pairs)),
            fork.why_not or "counts",
        )
        for fork in one.forks
    )
    alternative = f"Ratio of {quantity}, {one.a} over {one.b} on {one.cell.name}: {amount(one)} ({basis(one)})."
    title = "" if alone else f"{one.a} against {one.b}"
    return Picture(
        title,
        caption if not place else "",
        alternative,
        wide,
        narrow,
        ("trial", "ratio", "pairs", "voided", "note"),
        rows,
    )


def _bounds(one: Compared, margin: float) -> tuple[float, float]:
    seen = [1 / (1 + margin), 1 + margin]
    seen += [fork.ratio for fork in one.forks if fork.ratio is not None]
    seen += [pair.ratio for fork in one.forks for pair in fork.pairs if pair.ratio is not None and not pair.voids]
    seen += [one.interval.low, one.interval.high] if one.interval is not None else []
    low, high = max(min(seen), 0.01), min(max(seen), 100.0)
    room = (high / low) ** 0.06
    return low / room, high * room


def _pairs(one: Compared, low: float, high: float) -> Iterator[dict[str, Any]]:
    for fork in one.forks:
        for pair in fork.pairs:
            if pair.ratio is not None:
                shown = min(max(pair.ratio, low), high)
                yield {"fork": f"trial {fork.trial}", "ratio": shown, "voided": bool(pair.voids)}


def _chart(one: Compared, margin: float, low: float, high: float, width: int) -> Chart:
    rows = [*(f"trial {fork.trial}" for fork in one.forks), _ALL]
    step = 30 if len(rows) <= 14 else 15
    height = len(rows) * step
    ticks = ratio_ticks(low, high)
    axis = alt.Axis(
        values=ticks if width == WIDE else ticks[:: 1 + len(ticks) // 6], format="~g", title=_axis_title(one, width)
    )
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    x = alt.X("ratio:Q", scale=scale, axis=axis)
    y = alt.Y("fork:N", sort=rows, scale=alt.Scale(domain=rows), axis=alt.Axis(title=None))
    pairs = list(_pairs(one, low, high))
    forks = [
        {"fork": f"trial {fork.trial}", "ratio": fork.ratio, "counts": fork.why_not is None}
        for fork in one.forks
        if fork.ratio is not None
    ]
    layers = [
        marks([{"ratio": 1 / (1 + margin), "to": 1 + margin}]).mark_rect(color=BAND).encode(x=x, x2="to:Q"),
        marks([{"ratio": 1}]).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x=x),
        marks([{}]).mark_rule(color=GRID).encode(y=alt.value(height - step)),
        _some(pairs, "!datum.voided").mark_point(size=22, filled=True, color=COLOURS[0], opacity=0.42).encode(x=x, y=y),
        _some(pairs, "datum.voided")
        .mark_point(shape="cross", angle=45, size=44, filled=True, color=MUTED)
        .encode(x=x, y=y),
        _some(forks, "datum.counts")
        .mark_point(size=120, filled=True, color=COLOURS[0], opacity=1, stroke=PAPER)
        .encode(x=x, y=y),
        _some(forks, "!datum.counts").mark_point(size=120, filled=False, color=MUTED, opacity=1).encode(x=x, y=y),
        *_whole(one, x, y),
        *(
            marks([{"text": text}])
            .mark_text(align=align, color=MUTED, baseline="bottom", fontSize=12)
            .encode(x=alt.value(place), y=alt.value(-6), text="text:N")
            for text, align, place in zip(_directions(one), ("left", "right"), (0, "width"), strict=True)
        ),
    ]
    return alt.layer(*layers).properties(width=width, height={"step": step})


def _some(values: list[dict[str, Any]], keep: str) -> Chart:
    return marks(values).transform_filter(keep)


def _whole(one: Compared, x: Any, y: Any) -> Iterator[Chart]:
    if one.interval is not None:
        bar = marks([{"fork": _ALL, "ratio": one.interval.low, "to": one.interval.high}])
        yield bar.mark_rule(color=INK, strokeWidth=3, strokeCap="butt", clip=True).encode(x=x, x2="to:Q", y=y)
        ends = marks([{"fork": _ALL, "ratio": end} for end in (one.interval.low, one.interval.high)])
        yield ends.mark_tick(color=INK, thickness=3, size=14, clip=True).encode(x=x, y=y)
    if one.ratio is not None:
        diamond = marks([{"fork": _ALL, "ratio": one.ratio}])
        yield diamond.mark_point(shape="diamond", size=110, filled=True, color=INK, opacity=1).encode(x=x, y=y)


def _directions(one: Compared) -> tuple[str, str]:
    higher = one.measure.better is Better.HIGHER
    left, right = ("slower", "faster") if higher else ("faster", "slower")
    return f"\u2190 {one.a} {left}", f"{one.a} {right} \u2192"


def _axis_title(one: Compared, width: int) -> str:
    return f"{one.measure.title}, {one.a} / {one.b} (log scale)" if width == WIDE else "ratio (log scale)"
