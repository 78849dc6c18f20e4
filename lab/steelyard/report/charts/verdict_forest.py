"""The forest plot of the first screen: each subject's ratio to the reference, here and now, and on another day or machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...analyse.ratios import Compared
from ...analyse.verdicts import Judgement
from ...base.text import lower_first, percent_text, ratio_text
from ...models.verdict import Elsewhere
from ...statistics.verdict_words import Better
from ..drawing import BAND, COLOURS, INK, MUTED, PLAIN, WIDE, Picture, draw, marks, ratio_ticks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

MOST_ROWS = 12
_LOW, _HIGH = 0.01, 100.0  # ratios beyond are drawn at the edge
_LABEL_PIXELS = 330


@dataclass(frozen=True)
class _Row:
    """A subject. `ratios` are those of its cells; `bounds` span their intervals, `elsewhere` their predictions."""

    name: str
    ratios: tuple[float, ...]
    bounds: tuple[float, float] | None
    elsewhere: tuple[float, float] | None

    @property
    def amount(self) -> str:
        ratios = [ratio_text(ratio, self.bounds) for ratio in (min(self.ratios), max(self.ratios))]
        return "\u2013".join(dict.fromkeys(ratios))

    @property
    def label(self) -> str:
        """The name with the ratio; of one cell with its interval too."""
        interval = f" ({_dash(self.bounds)})" if self.bounds and len(self.ratios) == 1 else ""
        return f"{self.name}  {self.amount}{interval}"


def verdict_forest(
    judged: Sequence[tuple[Judgement, Elsewhere | None]],
    order: Sequence[str],
    floors: Collection[str],
    names: Mapping[str, str],
    margin: float,
) -> Picture | None:
    """None without a ratio.

    `judged` are the comparisons with the reference, each with its prediction; a subject may have several, one for each cell.
    `order` has the subjects in their order of rank, `names` the names to show. Floors come last.
    """
    by_subject: dict[str, list[tuple[Compared, Elsewhere | None]]] = {}
    for judgement, expected in judged:
        if judgement.word is not None and judgement.compared.ratio is not None:
            by_subject.setdefault(judgement.compared.a, []).append((judgement.compared, expected))
    if not by_subject:
        return None
    first = next(iter(by_subject.values()))[0][0]
    rows = [_row(names.get(subject, subject), mine) for subject, mine in by_subject.items()]
    placed = dict(zip(by_subject, rows, strict=True))
    sign = -1 if first.measure.better is Better.HIGHER else 1
    subjects = sorted(
        placed,
        key=lambda subject: (
            subject in floors,
            order.index(subject) if subject in order else len(order),
            sign * sum(placed[subject].ratios) / len(placed[subject].ratios),
        ),
    )
    shown = [placed[subject] for subject in subjects[:MOST_ROWS]]
    reference = names.get(first.b, first.b)
    low, high = _limits(shown, margin)
    wide, narrow = draw("forest", lambda width: _chart(shown, first, reference, margin, low, high, width))
    cells = max(len(mine) for mine in by_subject.values())
    return Picture(
        "",
        _caption(shown, first, reference, cells, len(subjects)),
        f"{first.measure.title} over {reference}: {'; '.join(map(_row_text, shown))}.",
        wide,
        narrow,
        ("subject", f"ratio to {reference}", "here and now", "another day or machine"),
        tuple((row.name, row.amount, _dash(row.bounds), _dash(row.elsewhere)) for row in shown),
    )


def _row(name: str, mine: Sequence[tuple[Compared, Elsewhere | None]]) -> _Row:
    bounds = [compared.bounds or (compared.ratio, compared.ratio) for compared, _ in mine if compared.ratio is not None]
    expected = [each.interval for _, each in mine if each is not None]
    known = any(compared.bounds for compared, _ in mine)
    return _Row(
        name,
        tuple(compared.ratio for compared, _ in mine if compared.ratio is not None),
        _hull(bounds) if known else None,
        _hull(expected) if len(expected) == len(mine) else None,
    )


def _hull(intervals: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _dash(bounds: tuple[float, float] | None) -> str:
    return "-" if bounds is None else "\u2013".join(ratio_text(bound, bounds) for bound in bounds)


def _row_text(row: _Row) -> str:
    expected = f", expected on another day or machine {_dash(row.elsewhere)}" if row.elsewhere else ""
    return f"{row.name} {row.amount} ({_dash(row.bounds)} here and now{expected})"


def _caption(rows: Sequence[_Row], first: Compared, reference: str, cells: int, subjects: int) -> str:
    level = percent_text(first.confidence)
    ratio = f"{first.measure.title} over that of {reference}"
    ratio += f", in up to {cells} cells: a dot is a cell, the bar spans" if cells > 1 else ": the bar is"
    ratio += f" {'their' if cells > 1 else 'the'} {level} {'intervals' if cells > 1 else 'interval'} here and now"
    expected = (
        "; the dashed line is what another day or machine of this kind is expected to find"
        if any(row.elsewhere for row in rows)
        else ""
    )
    more = f" {subjects - len(rows)} more subjects are below." if subjects > len(rows) else ""
    return f"{ratio}{expected}. Within the grey band subjects count as equal.{more}"


def _limits(rows: Sequence[_Row], margin: float) -> tuple[float, float]:
    seen = [1 / (1 + margin), 1 + margin]
    seen += [value for row in rows for value in (*row.ratios, *(row.bounds or ()), *(row.elsewhere or ()))]
    low, high = max(min(seen), _LOW), min(max(seen), _HIGH)
    room = (high / low) ** 0.05
    return low / room, high * room


def _chart(
    rows: Sequence[_Row], first: Compared, reference: str, margin: float, low: float, high: float, width: int
) -> Chart:
    labels = [row.label if width == WIDE else row.name for row in rows]
    ticks = ratio_ticks(low, high)
    better = "higher" if first.measure.better is Better.HIGHER else "lower"
    quantity = f"{lower_first(first.measure.title)} over {reference}" if width == WIDE else f"over {reference}"
    axis = axis_of(
        values=ticks if width == WIDE else ticks[:: 1 + len(ticks) // 6],
        format=PLAIN,
        title=f"{quantity}, {better} is better (log scale)",
    )
    x = channel("ratio:Q", scale=scale_of(type="log", domain=[low, high], nice=False), axis=axis)
    y_axis = axis_of(title=None, labelColor=INK, labelLimit=_LABEL_PIXELS if width == WIDE else 150)
    y = channel("row:N", sort=labels, scale=scale_of(domain=labels), axis=y_axis)

    def spans(bounds_of: str) -> list[dict[str, Any]]:
        known = ((label, getattr(row, bounds_of)) for label, row in zip(labels, rows, strict=True))
        return [{"row": label, "ratio": bounds[0], "to": bounds[1]} for label, bounds in known if bounds]

    dots = [
        {"row": label, "ratio": min(max(ratio, low), high), "alone": len(row.ratios) == 1}
        for label, row in zip(labels, rows, strict=True)
        for ratio in row.ratios
    ]
    layers = [
        marks([{"ratio": 1 / (1 + margin), "to": 1 + margin}]).as_marks("rect", color=BAND).encode(x=x, x2="to:Q"),
        marks([{"ratio": 1}]).as_marks("rule", color=MUTED, strokeDash=[3, 3]).encode(x=x),
        marks(spans("elsewhere"))
        .as_marks("rule", color=INK, strokeDash=[4, 3], strokeWidth=1.5, clip=True)
        .encode(x=x, x2="to:Q", y=y),
        marks(spans("bounds"))
        .as_marks("rule", color=INK, strokeWidth=5 if dots and dots[0]["alone"] else 2.5, strokeCap="butt", clip=True)
        .encode(x=x, x2="to:Q", y=y),
        marks(dots)
        .where("!datum.alone")
        .as_marks("point", size=34, filled=True, color=COLOURS[0], opacity=1)
        .encode(x=x, y=y),
        marks(dots)
        .where("datum.alone")
        .as_marks("point", shape="diamond", size=60, filled=True, color=COLOURS[0], opacity=1)
        .encode(x=x, y=y),
    ]
    step = 30 if len(rows) <= 4 else 24 if len(rows) <= 7 else 18
    return stack_layers(*layers).resize(width=width, height={"step": step})
