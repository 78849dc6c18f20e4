"""Recovery from bursts: the time from a burst's start until response time or throughput is back at the undisturbed level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.errors import InsufficientDataError
from ..base.text import plural
from .interval import CONFIDENCE
from .settling import BAND, LEAST_SECONDS, level_and_band, since_inside, times
from .verdict_words import Better

LEAST_STAY = 3


@dataclass(frozen=True)
class Recovery:
    """One burst, counted from 1: `seconds` from its start until the level is reached for its rest; None where it is not
    reached."""

    burst: int
    seconds: float | None
    lasted_seconds: float


def recoveries(
    time_s: ArrayLike,
    values: ArrayLike,
    begins_s: Sequence[float],
    ends_s: Sequence[float],
    *,
    better: Better = Better.LOWER,
    level: float | None = None,
    within: float = BAND,
) -> tuple[Recovery, ...]:
    """Each burst's recovery: settling to a given level, from the worse side only (see `settling.settling`).

    `time_s` (n,) is where each second ends, `values` (n,) its mean response time (better LOWER) or throughput (HIGHER) in
    any unit, NaN without an answer; `begins_s` and `ends_s` (b,) bound the bursts, on the same clock. `level` is
    the undisturbed one, from a constant load; without it, the median of all bursts' second halves. A burst has
    recovered once all its further seconds, at least 3, are within `within` of the level, as a share (or within the
    noise of the burst's own second half, where that is wider). Bursts under 8 seconds are left out, as one that the end of the test
    cuts off. Raises InsufficientDataError where no burst is left, or none has a level.
    """
    at, series = np.asarray(time_s, float), np.asarray(values, float)
    bursts = {
        number: series[(at > begin) & (at <= end)]
        for number, (begin, end) in enumerate(zip(begins_s, ends_s, strict=True), 1)
    }
    bursts = {number: burst for number, burst in bursts.items() if len(burst) >= LEAST_SECONDS}
    if not bursts:
        raise InsufficientDataError(f"no burst lasts {LEAST_SECONDS} seconds")
    if level is None:
        level = _usual_level(list(bursts.values()))
    return tuple(_recovery(number, burst, level, within, better) for number, burst in bursts.items())


def recovery_sentence(name: str, forks: Sequence[Sequence[Recovery]], confidence: float = CONFIDENCE) -> str:
    """The report's sentence on all bursts, such as "tomcat is back at its level after each burst's begin: burst 1 2.25 s (95%
    interval 1 to 3.5 s, 4 forks), ..."."""
    numbers = sorted({recovery.burst for fork in forks for recovery in fork})
    parts = []
    for number in numbers:
        recovery_time = times(
            [recovery.seconds for fork in forks for recovery in fork if recovery.burst == number], confidence
        )
        parts.append(f"burst {number} {'after' if recovery_time.mean is not None else 'only'} {recovery_time}")
    lost = sum(recovery.seconds is None for fork in forks for recovery in fork)
    bursts = plural(sum(len(fork) for fork in forks), "burst")
    head = f"{name} does not get back to its level in {lost} of {bursts}" if lost else f"{name} recovers in every burst"
    return f"{head}: {', '.join(parts)}."


def _usual_level(bursts: Sequence[NDArray[np.float64]]) -> float:
    halves = np.concatenate([burst[len(burst) // 2 :] for burst in bursts])
    halves = halves[np.isfinite(halves)]
    if not len(halves) or not np.median(halves) > 0:
        raise InsufficientDataError("the bursts have too few seconds with an answer to show a level")
    return float(np.median(halves))


def _recovery(number: int, burst: NDArray[np.float64], level: float, within: float, better: Better) -> Recovery:
    lasted = float(len(burst))
    try:
        own, width = level_and_band(burst, within)
    except InsufficientDataError:  # almost no answers in its second half: not recovered
        return Recovery(number, None, lasted)
    width = max(within, width * own / level)
    inside = burst <= level * (1 + width) if better is Better.LOWER else burst >= level * (1 - width)
    since = since_inside(inside)
    return Recovery(number, float(since) if len(burst) - since >= LEAST_STAY else None, lasted)
