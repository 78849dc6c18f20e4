"""A grid of cells as a heat map of ratios, by payload and users."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...analyse.verdicts import Judgement
from ...base.text import ratio_text
from ...statistics.verdict_words import Word
from ..drawing import COLOURS, INK, MUTED, WIDE, Picture, draw, marks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

DEEPEST = math.log(2)  # ratios of 2 or more have the darkest colour


def heat_map(name: str, operation: str, judgements: Sequence[Judgement]) -> Picture | None:
    """One subject against the reference over all cells of an operation; None where there is no ratio."""
    shown = [judgement for judgement in judgements if judgement.compared.ratio is not None]
    if not shown:
        return None
    first = shown[0].compared
    measure_title = first.measure.title.lower()
    rows = tuple(_row(judgement) for judgement in shown)
    summary = "; ".join(
        f"{payload}, {users} user{'s' * (users != '1')}: {ratio} {word}" for payload, users, ratio, _, word in rows
    )
    wide, narrow = draw(name, lambda width: _chart(shown, width))
    return Picture(
        f"{operation}: {first.a} against {first.b}",
        f"Ratios of {measure_title}; blue where {first.a} is higher, orange where it is lower, darker with the distance. A cell "
        "has a word where it has a verdict, which is adjusted for all cells judged together. The intervals are per cell "
        "and not adjusted.",
        f"Ratios of {measure_title} of {first.a} to {first.b} on {operation}. {summary}.",
        wide,
        narrow,
        ("payload", "users", "ratio", "interval", "verdict"),
        rows,
    )


def _payload(judgement: Judgement) -> str:
    return ", ".join(f"{name} {value}" for name, value in judgement.compared.cell.payload.items()) or "unchanged"


def _row(judgement: Judgement) -> tuple[str, str, str, str, str]:
    compared = judgement.compared
    bounds = compared.bounds
    interval = "" if bounds is None else " to ".join(ratio_text(bound, bounds) for bound in bounds)
    return (
        _payload(judgement),
        str(compared.cell.users),
        ratio_text(compared.ratio or 0.0, bounds),
        interval,
        _word(judgement),
    )


def _word(judgement: Judgement) -> str:
    if judgement.word is not None:
        return "equal" if judgement.word is Word.EQUIVALENT else judgement.word.value
    return "not valid" if judgement.broken else ""


def _chart(judgements: Sequence[Judgement], width: int) -> Chart:
    values: list[dict[str, Any]] = []
    for judgement in judgements:
        payload, users, ratio, _, word = _row(judgement)
        depth = math.log(judgement.compared.ratio or 1.0)
        values.append(
            {
                "payload": payload,
                "users": users,
                "ratio": ratio,
                "word": word,
                "more": depth > 0,
                "depth": 0.08 + 0.5 * min(1.0, abs(depth) / DEEPEST),
            }
        )
    columns = list(dict.fromkeys(value["payload"] for value in values))
    rows = sorted({value["users"] for value in values}, key=int)
    x = channel("payload:N", sort=columns, axis=axis_of(title=None, orient="top", labelAngle=0))
    y = channel("users:N", sort=rows, axis=axis_of(title="users"))
    base = marks(values).encode(x=x, y=y)
    colour = channel("more:N", scale=scale_of(domain=[True, False], range=[COLOURS[0], COLOURS[1]]), legend=None)
    tiles = base.as_marks("rect").encode(color=colour, opacity=channel("depth:Q", scale=None, legend=None))
    ratios = base.as_marks("text", color=INK, fontSize=15, dy=-7).encode(text="ratio:N")
    words = base.as_marks("text", color=MUTED, fontSize=12, dy=10).encode(text="word:N")
    return stack_layers(tiles, ratios, words).resize(width=min(width, WIDE), height=30 + 52 * len(rows))
