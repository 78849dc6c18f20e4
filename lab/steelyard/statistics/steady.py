"""When a server's warm-up is over: three slices in a row that agree and in which hardly anything is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

CONSECUTIVE = 3
JIT_SHARE_LIMIT = 0.02
THROUGHPUT_TOLERANCE = 0.03


@dataclass(frozen=True)
class WarmUpSlice:
    """One slice of a warm-up: answers per second, and the compiler threads' run time as a share of the slice.

    `jit_share` is None where nothing says what was compiled (a server without a JIT, or one that hides its threads).
    """

    throughput_per_s: float
    jit_share: float | None = None


def steady_since(slices: Sequence[WarmUpSlice]) -> int | None:
    """The index of the first slice of the earliest steady stretch, or None while there is none.

    A stretch is CONSECUTIVE slices, each with a JIT share under JIT_SHARE_LIMIT and a throughput within
    THROUGHPUT_TOLERANCE of their median (METHODOLOGY, rule 3; Barrett et al. 2017, "Virtual machine warmup blows
    hot and cold", show why a fixed number of iterations does not do). The warm-up may end after slice index + 2.
    """
    for first in range(len(slices) - CONSECUTIVE + 1):
        if _is_steady(slices[first : first + CONSECUTIVE]):
            return first
    return None


def compiles(jit_share: float | None) -> bool:
    """Whether so much was compiled that the slice cannot count; False where nothing is known."""
    return jit_share is not None and not jit_share < JIT_SHARE_LIMIT


def _is_steady(stretch: Sequence[WarmUpSlice]) -> bool:
    middle = median(part.throughput_per_s for part in stretch)
    if not middle > 0:
        return False
    return all(
        not compiles(part.jit_share) and abs(part.throughput_per_s - middle) <= THROUGHPUT_TOLERANCE * middle
        for part in stretch
    )
