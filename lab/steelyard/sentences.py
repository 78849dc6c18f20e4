"""A verdict in words that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .statistics.words import Word

if TYPE_CHECKING:
    from .comparing import Compared
    from .models.records import Place


def ratio_text(ratio: float, interval: tuple[float, float] | None = None) -> str:
    """A ratio with as many digits as its interval deserves: three decimals where it is narrow, else two."""
    narrow = interval is not None and interval[1] - interval[0] < 0.04
    return f"{ratio:.3f}" if narrow or ratio < 0.1 else f"{ratio:.2f}"


def value_text(value: float) -> str:
    """A figure with three significant digits, or whole and grouped from 1,000 up."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.3g}".removesuffix(".")


def range_text(interval: tuple[float, float] | None) -> str:
    """An interval of figures; empty where there is none."""
    return "" if interval is None else f"{value_text(interval[0])} to {value_text(interval[1])}"


def dashed(interval: tuple[float, float] | None) -> str:
    """An interval of figures for narrow places."""
    return "" if interval is None else f"{value_text(interval[0])}\u2013{value_text(interval[1])}"


def percent_text(confidence: float) -> str:
    """A confidence as a percentage without needless digits."""
    return f"{confidence * 100:.3g}%"


def counted(number: int, thing: str) -> str:
    """A number with its noun."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(thing: str, names: Sequence[object]) -> str:
    """Things by their names: `trial 1`, `trials 1, 2`."""
    return f"{thing}{'s' if len(names) > 1 else ''} {', '.join(map(str, names))}"


def bytes_text(size: float) -> str:
    """A number of bytes in the unit that suits it."""
    for unit, bytes_in_it in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= bytes_in_it:
            return f"{size / bytes_in_it:.1f} {unit}"
    return f"{size:.0f} B"


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
