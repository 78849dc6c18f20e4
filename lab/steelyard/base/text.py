"""Text of figures, intervals and lists for people. It knows no runs and no verdicts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

_THERE_ARE = re.compile(r"there (?:is|are) ([\d,]+)$")


def ratio_text(ratio: float, interval: tuple[float, float] | None = None) -> str:
    """A ratio with three decimals where it is small or its interval narrow, else two."""
    narrow = interval is not None and interval[1] - interval[0] < 0.04
    return f"{ratio:.3f}" if narrow or ratio < 0.1 else f"{ratio:.2f}"


def spoken_ratio(ratio: float, interval: tuple[float, float] | None = None) -> str:
    """A ratio in a sentence: as by `ratio_text`, whole from 10 on, and turned round below 0.1: `13 times lower`."""
    return f"{_factor(1 / ratio)} times lower" if is_turned(ratio) else _factor(ratio, interval)


def spoken_range(interval: tuple[float, float], ratio: float | None = None) -> str:
    """An interval of ratios in a sentence: `1.35 to 1.63`, and `11 to 15 times lower` where its ratio (or middle) is below 0.1."""
    low, high = interval
    if is_turned(math.sqrt(low * high) if ratio is None else ratio) and low > 0:
        return f"{_factor(1 / high)} to {_factor(1 / low)} times lower"
    return f"{_factor(low, interval)} to {_factor(high, interval)}"


def is_turned(ratio: float) -> bool:
    """Whether a sentence has "N times lower", instead of a ratio below 0.1."""
    return 0 < ratio < 0.1


def _factor(ratio: float, interval: tuple[float, float] | None = None) -> str:
    return f"{ratio:,.0f}" if ratio >= 9.995 else ratio_text(ratio, interval)


def value_text(value: float) -> str:
    """A figure with three significant digits, or whole and grouped from 1,000 up. Never with an exponent."""
    return _significant(value, 3) if value else "0"


def short_text(value: float) -> str:
    """A figure with two significant digits without trailing zeros, or whole and grouped from 10 up.

    Never with an exponent.
    """
    text = _significant(value, 2) if value else "0"
    return text.rstrip("0").removesuffix(".") if "." in text else text


def number_text(value: float) -> str:
    """A number that may be a count: whole where it is, else as by `value_text`."""
    return f"{value:,.0f}" if value == round(value) else value_text(value)


def _significant(value: float, digits: int) -> str:
    """A number with this many significant digits. Digits before the point are never cut."""
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2] or 0)  # of the rounded value; inf and nan have none
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def range_text(interval: tuple[float, float] | None) -> str:
    """An interval of figures, `1.02 to 1.10`. Empty for None."""
    return "" if interval is None else f"{value_text(interval[0])} to {value_text(interval[1])}"


def dash_interval(interval: tuple[float, float] | None) -> str:
    """An interval of figures with a dash, for narrow columns. Empty for None."""
    return "" if interval is None else f"{value_text(interval[0])}\u2013{value_text(interval[1])}"


def percent_text(confidence: float) -> str:
    """A confidence of 0 to 1 as a percentage without needless digits: `95%`, `99.5%`."""
    return f"{confidence * 100:.3g}%"


def share_text(share: float) -> str:
    """A share as a percentage with one decimal, or with two significant digits below 0.1%, so that only 0 is shown as
    0."""
    percent = share * 100
    if not percent:
        return "0%"
    if not 0 < percent < 0.1:
        return f"{percent:.1f}%"
    return f"{percent:.{1 - math.floor(math.log10(percent))}f}%"


def change_text(share: float) -> str:
    """A change as a percentage with its sign: `+7%`, `-12%`, and `+0%` where it rounds to zero."""
    return f"{round(share, 2) + 0.0:+.0%}"


def join_words(names: Sequence[object], joined_by: str = "and") -> str:
    """Names joined for a sentence: `this`, `this and that`, `this, that and another`."""
    *first, last = map(str, names)
    return f"{', '.join(first)} {joined_by} {last}" if first else last


def first_names(names: Sequence[str], most: int) -> str:
    """The first names of a list, and how many more it has: `this, that and 7 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def lower_first(text: str) -> str:
    """A title inside a sentence: its first letter in lower case, the rest unchanged."""
    return text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """The beginning of a sentence: its first letter in upper case, the rest unchanged (unlike `str.capitalize`)."""
    return text[:1].upper() + text[1:]


def plural(number: int, noun: str) -> str:
    """A number with its noun, given in the singular: `1 fork`, `10 forks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def existence_clause(number: int) -> str:
    """The end of a sentence with a count: `there is 1`, `there are 1,200`."""
    return f"there {'is' if number == 1 else 'are'} {number:,}"


def alike_together(reasons: Iterable[str]) -> list[str]:
    """Join reasons that differ only in their count (`existence_clause`) into one with a range: `there are 4,470 to 8,636`."""
    counts: dict[str, list[int]] = {}
    for reason in reasons:
        counted = _THERE_ARE.search(reason)
        counts.setdefault(reason[: counted.start()] if counted else reason, []).extend(
            [int(counted[1].replace(",", ""))] if counted else []
        )
    return [
        begin
        if not numbers
        else begin + existence_clause(numbers[0])
        if min(numbers) == max(numbers)
        else f"{begin}there are {min(numbers):,} to {max(numbers):,}"
        for begin, numbers in counts.items()
    ]


def label_names(noun: str, names: Sequence[object]) -> str:
    """A noun, given in the singular, with names: `trial 1`, `trials 1, 2`."""
    return f"{noun}{'s' if len(names) > 1 else ''} {', '.join(map(str, names))}"


def rough_duration(seconds: float) -> str:
    """A planned time, roughly: `40 seconds`, `9 minutes`, `16.6 hours`."""
    if seconds < 90:
        return plural(round(seconds), "second")
    if seconds < 90 * 60:
        return plural(round(seconds / 60), "minute")
    return f"{seconds / 3600:.1f} hours"


def bytes_text(size: float) -> str:
    """A number of bytes in a suitable unit: `512 B`, `1.5 KiB`, `3.0 GiB`."""
    for unit, bytes_in_it in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= bytes_in_it:
            return f"{size / bytes_in_it:.1f} {unit}"
    return f"{size:.0f} B"
