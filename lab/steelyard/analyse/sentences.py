"""A verdict in words that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..base.text import bytes_text, counted, percent_text, ratio_text
from ..statistics.verdict_words import Word

if TYPE_CHECKING:
    from ..models.records import Place
    from .ratios import Compared


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


def verdict(found: Compared, word: Word, margin: float, reasons: Sequence[str] = ()) -> Said:
    """One comparison's verdict, such as "this is slower than that on echoStruct: 0.62 times the throughput
    (95% interval 0.58 to 0.66, 4 forks, 40 pairs)."."""
    where = f"on {found.cell.name}"
    match word:
        case Word.FASTER | Word.SLOWER:
            head = f"{found.a} is {word} than {found.b} {where}"
        case Word.EQUIVALENT:
            head = f"{found.a} and {found.b} are equivalent {where}, within {margin:.0%}"
        case Word.UNDECIDED:
            head = f"Undecided between {found.a} and {found.b} {where}"
    return Said(
        f"{head}: {amount(found)}", basis(found), " ".join(f"{reason[:1].upper()}{reason[1:]}." for reason in reasons)
    )


def no_verdict(reasons: Sequence[str], found: Compared | None = None) -> Said:
    """Why there is none, for all or for one comparison: the first reason, and how many more there are."""
    more = f", and {counted(len(reasons) - 1, 'more reason')}" if len(reasons) > 1 else ""
    where = f" on {found.a} against {found.b}" if found is not None else ""
    return Said(f"No verdict{where}: {reasons[0]}{more}")


def ranking(found: Compared, ranked: Sequence[tuple[int, str]], unranked: Sequence[str]) -> Said:
    """Ranks in words, such as "By throughput on echoStruct: 1. this; 2. that and another."; best first."""
    groups: dict[int, list[str]] = {}
    for rank, subject in ranked:
        groups.setdefault(rank, []).append(subject)
    places = "; ".join(f"{rank}. {' and '.join(subjects)}" for rank, subjects in groups.items())
    shared = any(len(subjects) > 1 for subjects in groups.values())
    reasons = ["Subjects that share a rank could not be separated."] if shared else []
    if unranked:
        reasons.append(f"Without a rank, for want of forks that count: {' and '.join(unranked)}.")
    return Said(f"By {_quantity(found)} on {found.cell.name}: {places}", reasons=" ".join(reasons))


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
    return f"{percent_text(found.confidence)} interval {low} to {high}, {size}"


def _bounds(found: Compared) -> tuple[float, float] | None:
    return None if found.interval is None else (found.interval.low, found.interval.high)


def _quantity(found: Compared) -> str:
    return found.measure.title[0].lower() + found.measure.title[1:]
