"""The benefit of more time: the power of a comparison, and the forks that a difference needs."""

from __future__ import annotations

import math

from .distributions import noncentral_student_share, student_quantile

POWER = 0.9


def power(effect: float, fork_deviation: float, forks: int, alpha: float) -> float:
    """The chance that the 1 - alpha interval of `forks` forks excludes 1, when the true log ratio is `effect`.

    `fork_deviation` is the forks' standard deviation (log scale). Source: noncentral t, Cohen 1988, "Statistical power
    analysis for the behavioral sciences", chapter 2, for one sample.
    """
    if forks < 2:
        return 0.0
    if fork_deviation <= 0:
        return 1.0 if effect else alpha
    shift = abs(effect) / fork_deviation * math.sqrt(forks)
    critical = student_quantile(1 - alpha / 2, forks - 1)
    upper = 1.0 if shift > critical + 40 else 1 - noncentral_student_share(critical, forks - 1, shift)
    lower = 0.0 if shift > 30 else noncentral_student_share(-critical, forks - 1, shift)
    return upper + lower


def forks_needed(
    effect: float, fork_deviation: float, alpha: float, wanted: float = POWER, most: int = 1000
) -> int | None:
    """The fewest forks that find `effect` (log ratio) with power `wanted`; None where `most` forks are too few."""
    if effect == 0:
        return None
    low, high = 1, 2
    while power(effect, fork_deviation, high, alpha) < wanted:
        low, high = high, high * 2
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(effect, fork_deviation, middle, alpha) >= wanted else (middle, high)
    return high


def smallest_difference(fork_deviation: float, forks: int, alpha: float, wanted: float = POWER) -> float:
    """The smallest difference that `forks` forks find with power `wanted`, as a share (0.05 means 5%)."""
    if forks < 2:
        return math.inf
    if fork_deviation <= 0:
        return 0.0
    low, high = 0.0, fork_deviation
    while power(high, fork_deviation, forks, alpha) < wanted:
        low, high = high, high * 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle, fork_deviation, forks, alpha) >= wanted else (middle, high)
    return math.expm1(high)


def time_left(difference: float, fork_deviation: float, forks: int, fork_seconds: float, alpha: float) -> str | None:
    """A sentence on the benefit of more time, such as "a difference of 5% could be decided in about 12 more minutes".

    `difference` is a share above 0; `fork_seconds` is the time of one more fork. None where the forks so far suffice, or the time
    would be unreasonable.
    """
    needed = forks_needed(math.log1p(difference), fork_deviation, alpha)
    if needed is None or needed <= forks:
        return None
    seconds = (needed - forks) * fork_seconds
    return f"a difference of {difference:.0%} could be decided in about {_duration_text(seconds)}"


def _duration_text(seconds: float) -> str:
    minutes = max(1, math.ceil(seconds / 60))
    if minutes < 90:
        return f"{minutes} more minute{'s' if minutes > 1 else ''}"
    hours = round(minutes / 60)
    return f"{hours} more hours" if hours <= 48 else f"{math.ceil(hours / 24)} more days"
