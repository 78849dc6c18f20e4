"""When a server's warm-up is over: hardly anything is compiled for three slices, and throughput climbs no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

CONSECUTIVE = 3
JIT_SHARE_LIMIT = 0.02
THROUGHPUT_TOLERANCE = 0.03
LEVEL = 4  # slices on either side of where a climb is looked for


@dataclass(frozen=True)
class WarmUpSlice:
    """One slice of a warm-up: answers per second, and the compiler threads' run time as a share of the slice.

    `jit_share` is None where nothing says what was compiled (a server without a JIT, or one that hides its threads).
    """

    throughput_per_s: float
    jit_share: float | None = None


def steady_since(slices: Sequence[WarmUpSlice]) -> int | None:
    """The index of the first slice of the earliest steady stretch, or None while there is none.

    A stretch is CONSECUTIVE slices, each with a JIT share under JIT_SHARE_LIMIT, whose throughput stays within
    THROUGHPUT_TOLERANCE of their median (METHODOLOGY, rule 3; Barrett et al. 2017, "Virtual machine warmup blows
    hot and cold", show why a fixed number of iterations does not do). On a machine so noisy that throughput falls from one slice
    to the next by more than twice that, three may agree by chance while it climbs: there, the mean of LEVEL slices must be no more
    than THROUGHPUT_TOLERANCE above that of the LEVEL slices before them. The warm-up may end after slice index + 2.
    """
    for first in range(len(slices) - CONSECUTIVE + 1):
        last = first + CONSECUTIVE
        stretch = slices[first:last]
        if not _is_quiet(stretch):
            continue
        so_far = slices[:last]
        agrees = _agrees(stretch) and not _is_noisy(so_far) and not _has_just_climbed(so_far)
        if agrees or _climbs_no_more(so_far):
            return first
    return None


def jit_share(jit_ns: int, observed_ns: int, turns_ns: int | None) -> float:
    """Compiler threads' run time as a share of the subject's own time (0.02 is 2%).

    That is `turns_ns`, the measured time of its turns, since it stood in others'; where there were none, or whoever waited was
    not frozen, so that compilers ran on, all the time for which they were observed.
    """
    return jit_ns / max(1, observed_ns if turns_ns is None else turns_ns)


def compiles(jit_share: float | None) -> bool:
    """Whether so much was compiled that the slice cannot count; False where nothing is known."""
    return jit_share is not None and not jit_share < JIT_SHARE_LIMIT


def _is_quiet(stretch: Sequence[WarmUpSlice]) -> bool:
    return not any(compiles(part.jit_share) for part in stretch)


def _agrees(stretch: Sequence[WarmUpSlice]) -> bool:
    middle = median(part.throughput_per_s for part in stretch)
    return middle > 0 and all(abs(part.throughput_per_s - middle) <= THROUGHPUT_TOLERANCE * middle for part in stretch)


def _is_noisy(so_far: Sequence[WarmUpSlice]) -> bool:
    """A server that warms up gets faster; what falls by more than it may disagree by fell for the machine's sake."""
    return any(
        after.throughput_per_s < (1 - 2 * THROUGHPUT_TOLERANCE) * before.throughput_per_s
        for before, after in pairwise(so_far)
    )


def _has_just_climbed(so_far: Sequence[WarmUpSlice]) -> bool:
    """By more than a fifth since the stretch before: three that agree may then be a rest on the way up, or chance."""
    before = so_far[-2 * CONSECUTIVE : -CONSECUTIVE]
    if len(before) < CONSECUTIVE:
        return False
    return fmean(one.throughput_per_s for one in so_far[-CONSECUTIVE:]) > 1.2 * fmean(
        one.throughput_per_s for one in before
    )


def _climbs_no_more(so_far: Sequence[WarmUpSlice]) -> bool:
    if len(so_far) < 2 * LEVEL or any(not part.throughput_per_s > 0 for part in so_far[-2 * LEVEL :]):
        return False
    before = fmean(part.throughput_per_s for part in so_far[-2 * LEVEL : -LEVEL])
    after = fmean(part.throughput_per_s for part in so_far[-LEVEL:])
    return after <= (1 + THROUGHPUT_TOLERANCE) * before
