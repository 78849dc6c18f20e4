"""The words for a paper's claims: an interval against the claim's own tolerance."""

from __future__ import annotations

from enum import StrEnum

from ..models.published_conclusions import PaperClaim


class ClaimWord(StrEnum):
    """The result of a claim, in the order in which pages list them."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not comparable"
    NOT_RUN = "not run"


def judge_claim(interval: tuple[float, float] | None, claim: PaperClaim, *, ran: bool = True) -> ClaimWord:
    """The word for a claim, by the 95% interval of the value that answers it, in the claim's unit.

    It holds where the whole interval lies within the tolerance, ends included, does not hold where none of it does, and is
    undecided across an edge or without an interval. A claim on something else than ours is never judged.
    """
    if claim.not_comparable:
        return ClaimWord.NOT_COMPARABLE
    if not ran:
        return ClaimWord.NOT_RUN
    if interval is None:
        return ClaimWord.UNDECIDED
    low, high = interval
    least = float("-inf") if claim.least is None else claim.least
    most = float("inf") if claim.most is None else claim.most
    if least <= low and high <= most:
        return ClaimWord.HOLDS
    return ClaimWord.DOES_NOT_HOLD if high < least or low > most else ClaimWord.UNDECIDED
