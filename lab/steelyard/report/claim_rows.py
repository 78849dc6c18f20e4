"""A paper's claims as rows of a table: what the paper says, what a run has, and the word for it."""

from __future__ import annotations

from dataclasses import dataclass

from ..analyse.claims import JudgedClaim, answer_text, numbers_text, remarks_text, tolerance_text
from ..statistics.claims import ClaimWord

_TONES = {ClaimWord.HOLDS: "ok", ClaimWord.DOES_NOT_HOLD: "invalid", ClaimWord.UNDECIDED: "warning"}


@dataclass(frozen=True)
class ClaimRow:
    """A row: `tone` is the style of its word, `how` the origin of the interval, `link` leads to the run (empty: none)."""

    text: str
    place: str
    paper: str
    tolerance: str
    ours: str
    word: str
    tone: str
    how: str
    remarks: str
    link: str = ""


def claim_row(judged: JudgedClaim, link: str = "") -> ClaimRow:
    """A judged claim as a row."""
    claim, answer = judged.claim, judged.answer
    return ClaimRow(
        text=claim.text,
        place=claim.place,
        paper=numbers_text(claim),
        tolerance=tolerance_text(claim),
        ours=answer_text(claim, answer) or ("no value" if answer is not None else ""),
        word=judged.word,
        tone=tone_of(judged.word),
        how=answer.how if answer is not None and answer.interval is not None else "",
        remarks=remarks_text(judged),
        link=link,
    )


def tone_of(word: ClaimWord) -> str:
    """The style of a word: green, red or amber; grey where nothing was judged."""
    return _TONES.get(word, "unknown")
