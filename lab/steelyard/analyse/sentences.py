"""A verdict in words that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..base.text import bytes_text, counted, percent_text, ratio_text
from ..statistics.verdict_words import Word, word

if TYPE_CHECKING:
    from ..models.records import Place
    from ..models.verdict import Rank
    from .ratios import Compared
    from .verdicts import Ranked


_DEEDS = {
    "out-of-memory": "ran out of memory",
    "deadlock": "deadlocked",
    "self-deadlock": "waited for itself",
    "hung": "hung",
    "killed": "was killed",
    "died": "died",
    "too-slow": "was too slow",
    "no-answer": "answered nothing",
    "wrong-answer": "answered wrongly",
    "not-ready": "did not come up",
    "contract": "broke the contract",
    "state": "began in another state",
    "reconciliation": "was not reconciled",
    "defect": "was ended by a defect of Steelyard",
}


def deed(kind: str) -> str:
    """What a subject did, by the kind of its failure."""
    return _DEEDS.get(kind, f"failed ({kind})")


def load_text(place: Place) -> str:
    """The load under which something happened."""
    return f"at {counted(place.users, 'user')} on {place.cell}, requests of {bytes_text(place.request_bytes)}"


@dataclass(frozen=True)
class Said:
    """A verdict in words: the verdict, what it rests on (empty where there is nothing), and what stands in its way."""

    verdict: str
    basis: str = ""
    reasons: str = ""

    def __str__(self) -> str:
        basis = f" ({self.basis})" if self.basis else ""
        return f"{self.verdict}{basis}." + (f" {self.reasons}" if self.reasons else "")


def verdict(found: Compared, said: Word, margin: float, reasons: Sequence[str] = ()) -> Said:
    """One comparison's verdict, such as "this is slower than that on echoStruct: 0.62 times the throughput
    (95% interval 0.58 to 0.66, 4 forks, 40 pairs)."."""
    return Said(
        f"{_head(found, said, margin)}: {amount(found)}",
        basis(found),
        " ".join(f"{reason[:1].upper()}{reason[1:]}." for reason in reasons),
    )


def _head(found: Compared, said: Word, margin: float) -> str:
    where = f"on {found.cell.name}"
    match said:
        case Word.FASTER | Word.SLOWER:
            return f"{found.a} is {said} than {found.b} {where}"
        case Word.EQUIVALENT:
            return f"{found.a} and {found.b} are equivalent {where}, within {margin:.0%}"
        case Word.UNCONFIRMED if found.interval is not None:
            alone = word(found.interval, found.measure.better, margin)
            return f"Unconfirmed, that {_head(found, alone, margin)}"
        case Word.TOO_FEW_FORKS:
            return f"Too few forks to judge {found.a} against {found.b} {where}"
        case _:
            return f"Undecided between {found.a} and {found.b} {where}"


def no_verdict(reasons: Sequence[str], found: Compared | None = None) -> Said:
    """Why there is none, for all or for one comparison: the first reason, and how many more there are."""
    more = f", and {counted(len(reasons) - 1, 'more reason')}" if len(reasons) > 1 else ""
    where = f" on {found.a} against {found.b}" if found is not None else ""
    return Said(f"No verdict{where}: {reasons[0]}{more}")


def ranking(found: Compared, ranked: Sequence[Ranked], floors: Sequence[str], unranked: Sequence[str]) -> Said:
    """Places in words, such as "By throughput on echoStruct: this 1, that 2 to 3, another 2 to 3."; best measured first."""
    places = ", ".join(f"{one.subject} {place_text(one)}" for one in ranked)
    reasons = []
    if any(one.best < one.worst for one in ranked):
        reasons.append("Places are those that no decided pair contradicts.")
    if floors:
        reasons.append(f"Apart, for they are floors: {' and '.join(floors)}.")
    if unranked:
        reasons.append(f"Without a place, for want of forks that count: {' and '.join(unranked)}.")
    return Said(f"By {_quantity(found)} on {found.cell.name}: {places}", reasons=" ".join(reasons))


def place_text(one: Ranked | Rank) -> str:
    """The places left to a subject, such as "4 to 8"."""
    return str(one.best) if one.best == one.worst else f"{one.best} to {one.worst}"


def amount(found: Compared) -> str:
    """The ratio in words."""
    if found.ratio is None:
        return "nothing could be compared"
    return f"{ratio_text(found.ratio, _bounds(found))} times the {_quantity(found)}"


def basis(found: Compared) -> str:
    """The interval, and the forks and pairs that it rests on; empty where there is no ratio."""
    if found.ratio is None:
        return ""
    if not found.forks:
        return "one unbroken run each"
    size = f"{counted(len(found.counted), 'fork')}, {counted(found.pairs, 'pair')}"
    bounds = _bounds(found)
    if bounds is None:
        return size
    low, high = (ratio_text(bound, bounds) for bound in bounds)
    widened = "; as wide as their pairs ask for, since the forks agreed more closely than that" if found.widened else ""
    return f"{percent_text(found.confidence)} interval {low} to {high}, {size}{widened}"


def _bounds(found: Compared) -> tuple[float, float] | None:
    return None if found.interval is None else (found.interval.low, found.interval.high)


def _quantity(found: Compared) -> str:
    return found.measure.title[0].lower() + found.measure.title[1:]
