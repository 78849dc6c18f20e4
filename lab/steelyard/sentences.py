"""A verdict in words that a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .statistics.words import Word

if TYPE_CHECKING:
    from .comparing import Compared


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


def verdict(found: Compared, word: Word, margin: float, reasons: Sequence[str] = ()) -> str:
    """One comparison's verdict as a sentence without its full stop, such as "tomcat-metro is slower than go on echoStruct:
    0.62 times the throughput (95% interval 0.58 to 0.66, 4 forks, 40 pairs)"."""
    where = f"on {found.cell.name}"
    match word:
        case Word.FASTER | Word.SLOWER:
            head = f"{found.a} is {word} than {found.b} {where}"
        case Word.EQUIVALENT:
            head = f"{found.a} and {found.b} are equivalent {where}, within {margin:.0%}"
        case Word.UNDECIDED:
            head = f"undecided between {found.a} and {found.b} {where}"
    tail = "; ".join(reasons)
    return f"{head}: {evidence(found)}" + (f"; {tail}" if tail else "")


def evidence(found: Compared) -> str:
    """The ratio with its interval and what it rests on."""
    if found.ratio is None:
        return "nothing could be compared"
    forks = counted(len(found.counted), "fork")
    if not found.forks:
        return f"{ratio_text(found.ratio)} times the {_quantity(found)}, one unbroken run each"
    if found.interval is None:
        return f"{ratio_text(found.ratio)} times the {_quantity(found)} ({forks}, {counted(found.pairs, 'pair')})"
    bounds = (found.interval.low, found.interval.high)
    low, high = (ratio_text(bound, bounds) for bound in bounds)
    return (
        f"{ratio_text(found.ratio, bounds)} times the {_quantity(found)} "
        f"({percent_text(found.confidence)} interval {low} to {high}, {forks}, {counted(found.pairs, 'pair')})"
    )


def _quantity(found: Compared) -> str:
    return found.measure.title[0].lower() + found.measure.title[1:]


def capital(text: str) -> str:
    """With a capital first letter unless the first word is a subject's name."""
    return text[:1].upper() + text[1:] if text.startswith(("undecided", "no ", "nothing")) else text
