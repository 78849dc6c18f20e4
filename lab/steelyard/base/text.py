"""Figures, intervals and lists as a person reads them; nothing here knows of runs or verdicts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

_THERE_ARE = re.compile(r"there (?:is|are) ([\d,]+)$")


def ratio_text(ratio: float, interval: tuple[float, float] | None = None) -> str:
    """A ratio with as many digits as its interval deserves: three decimals where it is narrow, else two."""
    narrow = interval is not None and interval[1] - interval[0] < 0.04
    return f"{ratio:.3f}" if narrow or ratio < 0.1 else f"{ratio:.2f}"


def value_text(value: float) -> str:
    """A figure with three significant digits, or whole and grouped from 1,000 up; never with an exponent."""
    return _significant(value, 3) if value else "0"


def short_text(value: float) -> str:
    """A figure with two significant digits and no needless zeros, or whole and grouped from 10 up; never with an exponent."""
    text = _significant(value, 2) if value else "0"
    return text.rstrip("0").removesuffix(".") if "." in text else text


def number_text(value: float) -> str:
    """A number that may be a count: whole where it is, else as `value_text` has it."""
    return f"{value:,.0f}" if value == round(value) else value_text(value)


def _significant(value: float, digits: int) -> str:
    """So many digits after the last leading zero; what stands before the point is never cut."""
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2] or 0)  # of the rounded value; inf and nan have none
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def range_text(interval: tuple[float, float] | None) -> str:
    """An interval of figures, `1.02 to 1.10`; empty where there is none."""
    return "" if interval is None else f"{value_text(interval[0])} to {value_text(interval[1])}"


def dashed(interval: tuple[float, float] | None) -> str:
    """An interval of figures with a dash, for narrow columns; empty where there is none."""
    return "" if interval is None else f"{value_text(interval[0])}\u2013{value_text(interval[1])}"


def percent_text(confidence: float) -> str:
    """A confidence of 0 to 1 as a percentage without needless digits: `95%`, `99.5%`."""
    return f"{confidence * 100:.3g}%"


def share_text(share: float) -> str:
    """A share as a percentage with one decimal, or as many as two significant digits need: what is not 0 is not shown as 0."""
    percent = share * 100
    if not percent:
        return "0%"
    if not 0 < percent < 0.1:
        return f"{percent:.1f}%"
    return f"{percent:.{1 - math.floor(math.log10(percent))}f}%"


def change_text(share: float) -> str:
    """A change as a percentage with its sign: `+7%`, `-12%`, and `+0%` where it rounds to none."""
    return f"{round(share, 2) + 0.0:+.0%}"


def enumerated(names: Sequence[object], joined_by: str = "and") -> str:
    """Names as a sentence lists them: `this`, `this and that`, `this, that and another`."""
    *first, last = map(str, names)
    return f"{', '.join(first)} {joined_by} {last}" if first else last


def lower_first(text: str) -> str:
    """A title as it stands inside a sentence: its first letter small, names in it as they are."""
    return text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """What begins a sentence: its first letter a capital, the rest as it is, which `str.capitalize` makes small."""
    return text[:1].upper() + text[1:]


def counted(number: int, noun: str) -> str:
    """A number with its noun in singular or plural: `1 fork`, `10 forks`; `noun` is the singular."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def there_are(number: int) -> str:
    """The end of a sentence that says how many there are: `there is 1`, `there are 1,200`."""
    return f"there {'is' if number == 1 else 'are'} {number:,}"


def alike_together(reasons: Iterable[str]) -> list[str]:
    """Reasons that differ alone in how many `there_are`, as one with the least and the most: `there are 4,470 to 8,636`."""
    counts: dict[str, list[int]] = {}
    for reason in reasons:
        said = _THERE_ARE.search(reason)
        counts.setdefault(reason[: said.start()] if said else reason, []).extend(
            [int(said[1].replace(",", ""))] if said else []
        )
    return [
        begin
        if not numbers
        else begin + there_are(numbers[0])
        if min(numbers) == max(numbers)
        else f"{begin}there are {min(numbers):,} to {max(numbers):,}"
        for begin, numbers in counts.items()
    ]


def listed(noun: str, names: Sequence[object]) -> str:
    """A noun with the names of what it stands for: `trial 1`, `trials 1, 2`; `noun` is the singular."""
    return f"{noun}{'s' if len(names) > 1 else ''} {', '.join(map(str, names))}"


def about(seconds: float) -> str:
    """A time to come, no more exact than a plan is: `40 seconds`, `9 minutes`, `16.6 hours`."""
    if seconds < 90:
        return counted(round(seconds), "second")
    if seconds < 90 * 60:
        return counted(round(seconds / 60), "minute")
    return f"{seconds / 3600:.1f} hours"


def bytes_text(size: float) -> str:
    """A number of bytes in the unit that suits it: `512 B`, `1.5 KiB`, `3.0 GiB`."""
    for unit, bytes_in_it in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= bytes_in_it:
            return f"{size / bytes_in_it:.1f} {unit}"
    return f"{size:.0f} B"
