"""The chart of ratios: forks and pairs as dots, the interval, and the margin as a band."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...analyse.ratios import Compared
from ...analyse.sentences import amount, basis
from ...analyse.verdicts import Judgement
from ...base.text import percent_text
from ...statistics.verdict_words import Better
from ..drawing import (
    BAND,
    COLOURS,
    GRID,
    INK,
    MUTED,
    PAPER,
    PLAIN,
    SMALL,
    WIDE,
    Picture,
    Svg,
    draw,
    draw_narrow,
    marks,
    ratio_ticks,
)
from ..grammar import Channel, Chart, Marks, axis_of, channel, fixed_channel, scale_of, stack_layers

_ALL = "all forks"


def _of_pairs(compared: Compared) -> str:
    if compared.of_sums:
        return "the ratio of sums over its stretches"
    return "the ratio over all its pairs together" if compared.measure.from_histograms else "the median of its pairs"


def ratio_chart(place: int, judgement: Judgement, margin: float, *, alone: bool, small: bool = False) -> Picture | None:
    """The evidence for one verdict, fork by fork; None without forks. Two `small` charts fit side by side."""
    compared = judgement.compared
    if not any(fork.ratio is not None for fork in compared.forks):
        return None
    low, high = _bounds(compared, margin)
    narrow: Svg | None = None
    if small:
        wide = draw_narrow(f"ratio-{place}", _chart(compared, margin, low, high, SMALL))
    else:
        wide, narrow = draw(f"ratio-{place}", lambda width: _chart(compared, margin, low, high, width))
    quantity = compared.measure.title.lower()
    both = f"{compared.a} over {compared.b} on {compared.cell.name}"
    caption = (
        f"{compared.measure.title} of {both}. Large dots are forks, each {_of_pairs(compared)}; "
        f"small dots are pairs{_marks_too(compared)}. The bar is the "
        f"{percent_text(compared.confidence)} interval over forks; the band is the margin within which subjects count as equal."
    )
    rows = tuple(
        (
            str(fork.trial),
            "-" if fork.ratio is None else f"{fork.ratio:.3f}",
            str(sum(not pair.voids for pair in fork.pairs)),
            str(sum(bool(pair.voids) for pair in fork.pairs)),
            fork.why_not or "counts",
        )
        for fork in compared.forks
    )
    alternative = f"Ratio of {quantity}, {both}: {amount(compared)} ({basis(compared)})."
    title = "" if alone else f"{compared.a} against {compared.b}"
    return Picture(
        title,
        caption if not place else "",
        alternative,
        wide,
        narrow,
        ("trial", "ratio", "pairs", "voided", "note"),
        rows,
    )


def _marks_too(compared: Compared) -> str:
    """Other marks of the chart, if it has any."""
    voided = any(pair.voids and pair.ratio is not None for fork in compared.forks for pair in fork.pairs)
    left_out = any(fork.why_not is not None and fork.ratio is not None for fork in compared.forks)
    return (", crosses are voided pairs" if voided else "") + (
        ", hollow dots forks that do not count" if left_out else ""
    )


def _bounds(compared: Compared, margin: float) -> tuple[float, float]:
    seen = [1 / (1 + margin), 1 + margin]
    seen += [fork.ratio for fork in compared.forks if fork.ratio is not None]
    seen += [pair.ratio for fork in compared.forks for pair in fork.pairs if pair.ratio is not None and not pair.voids]
    seen += [compared.interval.low, compared.interval.high] if compared.interval is not None else []
    low, high = max(min(seen), 0.01), min(max(seen), 100.0)
    room = (high / low) ** 0.06
    return low / room, high * room


def _pairs(compared: Compared, low: float, high: float) -> Iterator[dict[str, Any]]:
    for fork in compared.forks:
        for pair in fork.pairs:
            if pair.ratio is not None:
                shown = min(max(pair.ratio, low), high)
                yield {"fork": f"trial {fork.trial}", "ratio": shown, "voided": bool(pair.voids)}


def _chart(compared: Compared, margin: float, low: float, high: float, width: int) -> Chart:
    rows = [*(f"trial {fork.trial}" for fork in compared.forks), _ALL]
    step = 30 if len(rows) <= 14 else 15
    height = len(rows) * step
    ticks = ratio_ticks(low, high)
    axis = axis_of(
        values=ticks if width == WIDE else ticks[:: 1 + len(ticks) // 6],
        format=PLAIN,
        title=_axis_title(compared, width),
    )
    scale = scale_of(type="log", domain=[low, high], nice=False)
    x = channel("ratio:Q", scale=scale, axis=axis)
    y = channel("fork:N", sort=rows, scale=scale_of(domain=rows), axis=axis_of(title=None))
    pairs = list(_pairs(compared, low, high))
    forks = [
        {"fork": f"trial {fork.trial}", "ratio": fork.ratio, "counts": fork.why_not is None}
        for fork in compared.forks
        if fork.ratio is not None
    ]
    layers = [
        marks([{"ratio": 1 / (1 + margin), "to": 1 + margin}]).as_marks("rect", color=BAND).encode(x=x, x2="to:Q"),
        marks([{"ratio": 1}]).as_marks("rule", color=MUTED, strokeDash=[3, 3]).encode(x=x),
        marks([{}]).as_marks("rule", color=GRID).encode(y=fixed_channel(height - step)),
        _marks_of(pairs, "!datum.voided")
        .as_marks("point", size=22, filled=True, color=COLOURS[0], opacity=0.42)
        .encode(x=x, y=y),
        _marks_of(pairs, "datum.voided")
        .as_marks("point", shape="cross", angle=45, size=44, filled=True, color=MUTED)
        .encode(x=x, y=y),
        _marks_of(forks, "datum.counts")
        .as_marks("point", size=120, filled=True, color=COLOURS[0], opacity=1, stroke=PAPER)
        .encode(x=x, y=y),
        _marks_of(forks, "!datum.counts")
        .as_marks("point", size=120, filled=False, color=MUTED, opacity=1)
        .encode(x=x, y=y),
        *_whole(compared, x, y),
        *(
            marks([{"text": text}])
            .as_marks("text", align=align, color=MUTED, baseline="bottom", fontSize=12)
            .encode(x=fixed_channel(place), y=fixed_channel(-6), text="text:N")
            for text, align, place in zip(_directions(compared), ("left", "right"), (0, "width"), strict=True)
        ),
    ]
    return stack_layers(*layers).resize(width=width, height={"step": step})


def _marks_of(values: list[dict[str, Any]], keep: str) -> Marks:
    return marks(values).where(keep)


def _whole(compared: Compared, x: Channel, y: Channel) -> Iterator[Marks]:
    if compared.interval is not None:
        bar = marks([{"fork": _ALL, "ratio": compared.interval.low, "to": compared.interval.high}])
        yield bar.as_marks("rule", color=INK, strokeWidth=3, strokeCap="butt", clip=True).encode(x=x, x2="to:Q", y=y)
        ends = marks([{"fork": _ALL, "ratio": end} for end in (compared.interval.low, compared.interval.high)])
        yield ends.as_marks("tick", color=INK, thickness=3, size=14, clip=True).encode(x=x, y=y)
    if compared.ratio is not None:
        diamond = marks([{"fork": _ALL, "ratio": compared.ratio}])
        yield diamond.as_marks("point", shape="diamond", size=110, filled=True, color=INK, opacity=1).encode(x=x, y=y)


def _directions(compared: Compared) -> tuple[str, str]:
    higher = compared.measure.better is Better.HIGHER
    left, right = ("slower", "faster") if higher else ("faster", "slower")
    return f"\u2190 {compared.a} {left}", f"{compared.a} {right} \u2192"


def _axis_title(compared: Compared, width: int) -> str:
    return (
        f"{compared.measure.title}, {compared.a} / {compared.b} (log scale)" if width == WIDE else "ratio (log scale)"
    )
