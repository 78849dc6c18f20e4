"""The ranking chart: every subject against the reference on one scale, best first, with forks and interval."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ...analyse.ratios import Compared
from ...analyse.sentences import place_text
from ...analyse.verdicts import Judgement, Ranked
from ...base.text import percent_text, ratio_text
from ..drawing import BAND, COLOURS, GRID, INK, MUTED, PAPER, PLAIN, WIDE, Picture, draw, marks, ratio_ticks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

_STEP = 26


def ranking_chart(
    judgements: Sequence[Judgement], ranked: Sequence[Ranked], floors: Collection[str], margin: float
) -> Picture | None:
    """None without places. `judgements` are those against the reference, on the primary measure."""
    shown = [judgement.compared for judgement in judgements if judgement.compared.ratio is not None]
    if not ranked or not shown:
        return None
    rows = list(_rows(shown, ranked, floors))
    seen = [
        1 / (1 + margin),
        1 + margin,
        *(value for row in rows for value in (row["low"], row["high"], *row["forks"])),
    ]
    room = (max(seen) / min(seen)) ** 0.03
    low, high = min(seen) / room, max(seen) * room
    wide, narrow = draw("ranking", lambda width: _chart(rows, shown[0], margin, low, high, width))
    first = shown[0]
    return Picture(
        "Places",
        f"{first.measure.title} on {first.cell.name}, each subject over {first.b}. Each name has its place, or the best and "
        f"the worst that no decided pair contradicts. Small dots are forks, the bar is the {percent_text(first.confidence)} "
        "interval over them, the band is the margin within which subjects count as equal.",
        "; ".join(f"{row['row']}: {ratio_text(row['ratio'])}" for row in rows) + ".",
        wide,
        narrow,
        ("place and subject", f"ratio to {first.b}", "interval", "forks"),
        tuple((row["row"], ratio_text(row["ratio"]), row["interval"], str(len(row["forks"]))) for row in rows),
    )


def _rows(shown: Sequence[Compared], ranked: Sequence[Ranked], floors: Collection[str]) -> Iterator[dict[str, Any]]:
    """One row per subject, best first, then those without a place, then floors; the reference is at 1."""
    by_name = {compared.a: compared for compared in shown}
    apart = [label for label in by_name if label not in {place.subject for place in ranked}]
    apart.sort(key=lambda label: label in floors)
    places = [(place.subject, place_text(place)) for place in ranked]
    for label, place in [*places, *((label, "floor" if label in floors else "-") for label in apart)]:
        compared = by_name.get(label)
        bounds = None if compared is None else compared.bounds
        ratio = compared.ratio if compared is not None and compared.ratio is not None else 1.0
        yield {
            "row": f"{place}  {label}",
            "ratio": ratio,
            "low": bounds[0] if bounds else ratio,
            "high": bounds[1] if bounds else ratio,
            "interval": "" if bounds is None else "\u2013".join(ratio_text(bound, bounds) for bound in bounds),
            "forks": [fork.ratio for fork in compared.counted_forks if fork.ratio is not None]
            if compared is not None
            else [],
        }


def _chart(
    rows: Sequence[dict[str, Any]], compared: Compared, margin: float, low: float, high: float, width: int
) -> Chart:
    names = [row["row"] for row in rows]
    ticks = ratio_ticks(low, high)
    title = (
        f"{compared.measure.title} over {compared.b} (log scale)" if width == WIDE else f"over {compared.b} (log scale)"
    )
    axis = axis_of(values=ticks if width == WIDE else ticks[:: 1 + len(ticks) // 6], format=PLAIN, title=title)
    x = channel("ratio:Q", scale=scale_of(type="log", domain=[low, high], nice=False), axis=axis)
    y = channel("row:N", sort=names, scale=scale_of(domain=names), axis=axis_of(title=None, grid=True, gridColor=GRID))
    forks = [{"row": row["row"], "ratio": fork} for row in rows for fork in row["forks"]]
    bars = [{"row": row["row"], "ratio": row["low"], "to": row["high"]} for row in rows if row["forks"]]
    middles = [{"row": row["row"], "ratio": row["ratio"]} for row in rows]
    layers = [
        marks([{"ratio": 1 / (1 + margin), "to": 1 + margin}]).as_marks("rect", color=BAND).encode(x=x, x2="to:Q"),
        marks([{"ratio": 1}]).as_marks("rule", color=MUTED, strokeDash=[3, 3]).encode(x=x),
        marks(bars).as_marks("rule", color=INK, strokeWidth=2.5, strokeCap="butt").encode(x=x, x2="to:Q", y=y),
        marks(forks)
        .as_marks("point", size=34, filled=True, color=COLOURS[0], opacity=0.6, stroke=PAPER)
        .encode(x=x, y=y),
        marks(middles).as_marks("point", shape="diamond", size=80, filled=True, color=INK, opacity=1).encode(x=x, y=y),
    ]
    return stack_layers(*layers).resize(width=width, height={"step": _STEP})
