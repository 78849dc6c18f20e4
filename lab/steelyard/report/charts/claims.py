"""A paper's claims in one picture: our intervals over the paper's numbers, with each claim's tolerance behind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...analyse.claims import JudgedClaim, answer_text, numbers_text, tolerance_text
from ...statistics.claims import ClaimWord
from ..drawing import BAND, COLOURS, MUTED, PLAIN, WIDE, Picture, draw, marks, ratio_ticks
from ..grammar import Chart, axis_of, channel, scale_of, stack_layers

_STEP = 18
_LEAST, _MOST = 0.01, 100.0  # ends of the axis: values beyond are drawn at its ends
_LOOKS = {
    ClaimWord.HOLDS: (COLOURS[2], "circle"),
    ClaimWord.DOES_NOT_HOLD: (COLOURS[1], "diamond"),
    ClaimWord.UNDECIDED: (COLOURS[0], "square"),
}


def claims_chart(name: str, judged: Mapping[str, JudgedClaim]) -> Picture | None:
    """The judged claims by their labels, for which the paper prints a positive number; None where there is none.

    `name` keeps the identifiers of a page's charts apart.
    """
    rows = [row for label, claim in judged.items() if (row := _row(label, claim)) is not None]
    if not rows:
        return None
    wide, narrow = draw(name, lambda width: _chart(rows, width))
    caption = (
        "Our value with its 95% interval, divided by the paper's number. The line at 1 is the paper's number, and the band is the "
        "claim's tolerance. Circles hold, diamonds do not hold, squares are undecided. Claims without a printed number above 0 are "
        "left out, and values beyond the axis stand at its ends."
    )
    shown = tuple((row["row"], row["number"], row["tolerance"], row["ours"], row["word"]) for row in rows)
    alt = "; ".join(f"{label}: the paper {number}, ours {ours}, {word}" for label, number, _, ours, word in shown)
    return Picture("", caption, f"{alt}.", wide, narrow, ("claim", "paper", "tolerance", "ours", "result"), shown)


def _row(label: str, judged: JudgedClaim) -> dict[str, Any] | None:
    claim, answer = judged.claim, judged.answer
    if judged.word not in _LOOKS or not claim.numbers or claim.numbers[0] <= 0:
        return None
    if answer is None or answer.interval is None or answer.value is None or answer.interval[1] <= 0:
        return None
    number = math.sqrt(claim.numbers[0] * claim.numbers[-1])
    return {
        "row": label,
        "ratio": _on_axis(answer.value / number),
        "low": _on_axis(answer.interval[0] / number),
        "high": _on_axis(answer.interval[1] / number),
        "least": _on_axis((claim.least or 0) / number),
        "most": _MOST if claim.most is None else _on_axis(claim.most / number),
        "word": str(judged.word),
        "number": numbers_text(claim),
        "tolerance": tolerance_text(claim),
        "ours": answer_text(claim, answer),
    }


def _on_axis(ratio: float) -> float:
    return min(max(ratio, _LEAST), _MOST)


def _chart(rows: Sequence[Mapping[str, Any]], width: int) -> Chart:
    names = [row["row"] for row in rows]
    ticks = [tick for tick in ratio_ticks(_LEAST, _MOST) if width == WIDE or math.log10(tick).is_integer()]
    title = "ours over the paper's number (log scale)"
    x = channel(
        "ratio:Q",
        scale=scale_of(type="log", domain=[_LEAST, _MOST], nice=False),
        axis=axis_of(values=ticks, format=PLAIN, title=title),
    )
    y = channel("row:N", sort=names, scale=scale_of(domain=names), axis=axis_of(title=None))
    bands = [{"row": row["row"], "ratio": row["least"], "to": row["most"]} for row in rows]
    bars = [{"row": row["row"], "ratio": row["low"], "to": row["high"], "word": row["word"]} for row in rows]
    dots = [{"row": row["row"], "ratio": row["ratio"], "word": row["word"]} for row in rows]
    layers = [
        marks(bands).as_marks("rule", color=BAND, strokeWidth=14, strokeCap="butt").encode(x=x, x2="to:Q", y=y),
        marks([{"ratio": 1}]).as_marks("rule", color=MUTED, strokeDash=[3, 3]).encode(x=x),
    ]
    for word, (colour, shape) in _LOOKS.items():
        only = f"datum.word === '{word}'"
        layers += [
            marks(bars).where(only).as_marks("rule", color=colour, strokeWidth=2.5).encode(x=x, x2="to:Q", y=y),
            marks(dots)
            .where(only)
            .as_marks("point", size=60, filled=True, opacity=1, color=colour, shape=shape)
            .encode(x=x, y=y),
        ]
    return stack_layers(*layers).resize(width=width, height={"step": _STEP})
