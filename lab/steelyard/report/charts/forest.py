"""The forest plot over several machines: each ratio with its interval, the mean, and the prediction for the next."""

from __future__ import annotations

from typing import Any

from ...analyse.levels import WORDS, LevelWords
from ...base.text import lower_first, percent_text, ratio_text
from ...models.cluster import Level, OverMachines
from ..drawing import BAND, COLOURS, GRID, INK, MUTED, PLAIN, WIDE, Picture, draw, marks, ratio_ticks
from ..grammar import Chart, Marks, axis_of, channel, fixed_channel, scale_of, stack_layers

_STEP = 28


def forest_chart(place: int, comparison: OverMachines, level: Level = "machine") -> Picture | None:
    """None where no machine has a ratio. `place` keeps the identifiers of a page's charts apart."""
    words = WORDS[level]
    rows = _rows(comparison, words)
    if not any(row["counts"] is not None for row in rows):
        return None
    low, high = _bounds(comparison, rows)
    wide, narrow = draw(f"forest-{place}", lambda width: _chart(comparison, rows, low, high, width))
    both = f"{comparison.a} over {comparison.b} on {comparison.cell}"
    caption = (
        f"{comparison.title} of {both}. Each dot is a {words.one} with its interval over forks, hollow where it does not count; "
        f"the diamond is the mean over {words.one}s with its {percent_text(comparison.confidence)} interval"
        + (
            f", and the dashed bar is the prediction interval for {words.next}"
            if comparison.prediction is not None
            else ""
        )
        + "; the band is the margin within which subjects count as equal."
    )
    summary = "; ".join(f"{row['row']}: {row['description']}" for row in rows)
    return Picture(
        "",
        caption,
        f"Ratio of {lower_first(comparison.title)}, {both}: {summary}.",
        wide,
        narrow,
        (words.one, "ratio", "interval", "forks", "note"),
        tuple((row["row"], row["ratio_text"], row["interval"], row["forks"], row["note"]) for row in rows),
    )


def _rows(comparison: OverMachines, words: LevelWords) -> list[dict[str, Any]]:
    """One row per machine, then the mean and the next machine; `counts` is None for rows without a dot."""
    rows = [
        _row(machine.machine, machine.ratio, machine.interval, str(machine.forks), not machine.why_not)
        | {"note": machine.why_not or machine.verdict or ""}
        for machine in comparison.machines
    ]
    if comparison.interval is not None:
        whole = _row(words.such, comparison.ratio, comparison.interval, str(comparison.forks), True)
        rows.append(whole | {"note": comparison.verdict or "", "kind": "mean"})
    if comparison.prediction is not None:
        rows.append(_row(words.next, None, comparison.prediction, "", True) | {"kind": "next"})
    return rows


def _row(
    name: str, ratio: float | None, interval: tuple[float, float] | None, forks: str, counts: bool
) -> dict[str, Any]:
    shown = "" if interval is None else "\u2013".join(ratio_text(bound, interval) for bound in interval)
    text = "-" if ratio is None else ratio_text(ratio, interval)
    return {
        "row": name,
        "ratio": ratio,
        "low": interval[0] if interval else None,
        "high": interval[1] if interval else None,
        "ratio_text": text,
        "interval": shown,
        "forks": forks,
        "note": "",
        "description": f"{text}{f' ({shown})' if shown else ''}",
        "kind": "machine",
        "counts": counts if ratio is not None else None,
    }


def _bounds(comparison: OverMachines, rows: list[dict[str, Any]]) -> tuple[float, float]:
    seen = [1 / (1 + comparison.margin), 1 + comparison.margin]
    seen += [row[name] for row in rows for name in ("ratio", "low", "high") if row[name] is not None]
    low, high = max(min(seen), 0.01), min(max(seen), 100.0)
    room = (high / low) ** 0.06
    return low / room, high * room


def _chart(comparison: OverMachines, rows: list[dict[str, Any]], low: float, high: float, width: int) -> Chart:
    names = [row["row"] for row in rows]
    ticks = ratio_ticks(low, high)
    title = f"{comparison.title}, {comparison.a} / {comparison.b} (log scale)" if width == WIDE else "ratio (log scale)"
    axis = axis_of(values=ticks if width == WIDE else ticks[:: 1 + len(ticks) // 6], format=PLAIN, title=title)
    x = channel("ratio:Q", scale=scale_of(type="log", domain=[low, high], nice=False), axis=axis)
    y = channel("row:N", sort=names, scale=scale_of(domain=names), axis=axis_of(title=None))
    bars = [
        {"row": row["row"], "ratio": row["low"], "to": row["high"], "kind": row["kind"]}
        for row in rows
        if row["low"] is not None
    ]
    dots = [
        {"row": row["row"], "ratio": row["ratio"], "kind": row["kind"], "counts": row["counts"]}
        for row in rows
        if row["counts"] is not None
    ]
    machines = sum(row["kind"] == "machine" for row in rows)
    separator = machines * _STEP if machines < len(rows) else None
    layers = _mark_layers(comparison.margin, bars, dots, separator, x, y)
    return stack_layers(*layers).resize(width=width, height={"step": _STEP})


def _mark_layers(
    margin: float, bars: list[dict[str, Any]], dots: list[dict[str, Any]], separator: int | None, x: Any, y: Any
) -> list[Marks]:
    """The band within the margin, the line of equality, the separator above the summary rows, intervals and estimates."""
    bar = {"strokeWidth": 2.5, "strokeCap": "butt", "clip": True}
    return [
        marks([{"ratio": 1 / (1 + margin), "to": 1 + margin}]).as_marks("rect", color=BAND).encode(x=x, x2="to:Q"),
        marks([{"ratio": 1}]).as_marks("rule", color=MUTED, strokeDash=[3, 3]).encode(x=x),
        *(
            [marks([{}]).as_marks("rule", color=GRID).encode(y=fixed_channel(separator))]
            if separator is not None
            else []
        ),
        marks(bars)
        .where("datum.kind === 'machine'")
        .as_marks("rule", color=COLOURS[0], **bar)
        .encode(x=x, x2="to:Q", y=y),
        marks(bars).where("datum.kind === 'mean'").as_marks("rule", color=INK, **bar).encode(x=x, x2="to:Q", y=y),
        marks(bars)
        .where("datum.kind === 'next'")
        .as_marks("rule", color=INK, strokeDash=[5, 4], **bar)
        .encode(x=x, x2="to:Q", y=y),
        marks(dots)
        .where("datum.kind === 'machine' && datum.counts")
        .as_marks("point", size=90, filled=True, color=COLOURS[0], opacity=1)
        .encode(x=x, y=y),
        marks(dots)
        .where("!datum.counts")
        .as_marks("point", size=90, filled=False, color=MUTED, opacity=1)
        .encode(x=x, y=y),
        marks(dots)
        .where("datum.kind === 'mean'")
        .as_marks("point", shape="diamond", size=130, filled=True, color=INK, opacity=1)
        .encode(x=x, y=y),
    ]
