"""The end of a server's warm-up: almost no JIT compilation for three slices, and the pace no longer rises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

CONSECUTIVE = 3
JIT_SHARE_LIMIT = 0.02
PACE_TOLERANCE = 0.03
LEVEL = 4  # slices on each side of a possible rise


LEAST_BUSY = 0.1  # share of a slice's time: below this, processor time per request is too noisy


@dataclass(frozen=True)
class WarmUpSlice:
    """One slice of a warm-up: answers per second, and the compiler threads' run time as a share of the slice.

    `jit_share` is None where compilation is unknown (a server without a JIT, or with hidden threads); `cpu_ns_per_request` is the
    processor time of a request, None where unknown.
    """

    throughput_per_s: float
    jit_share: float | None = None
    cpu_ns_per_request: float | None = None


def cpu_ns_per_request(cpu_ns: int, answered: int, observed_ns: int) -> float | None:
    """The processor time of a request; None where the server used too little processor time."""
    return cpu_ns / answered if answered and cpu_ns >= LEAST_BUSY * observed_ns else None


def steady_since(slices: Sequence[WarmUpSlice]) -> int | None:
    """The index of the first slice of the earliest steady stretch, or None while there is none.

    A stretch is CONSECUTIVE slices, each with a JIT share under JIT_SHARE_LIMIT, whose pace stays within PACE_TOLERANCE of their
    median (METHODOLOGY, rule 3; Barrett et al. 2017, "Virtual machine warmup blows hot and cold", show why a fixed number of
    iterations does not suffice). On a noisy machine, whose pace falls from one slice to the next by more than twice the
    tolerance, three slices may agree by chance during a rise. There, the mean of LEVEL slices must be at most PACE_TOLERANCE
    above that of the LEVEL slices before. The warm-up may end after slice index + 2.

    The pace is requests per second of processor time, which is independent of the host, where all slices so far have it, else
    answers per second.
    """
    for first in range(len(slices) - CONSECUTIVE + 1):
        last = first + CONSECUTIVE
        if not _is_quiet(slices[first:last]):
            continue
        paces = _paces(slices[:last])
        agrees = _agrees(paces[first:]) and not _is_noisy(paces) and not _has_just_climbed(paces)
        if agrees or _has_stopped_climbing(paces):
            return first
    return None


def _paces(so_far: Sequence[WarmUpSlice]) -> list[float]:
    costs = [part.cpu_ns_per_request for part in so_far]
    if all(costs):
        return [1e9 / cost for cost in costs if cost]
    return [part.throughput_per_s for part in so_far]


def jit_share(jit_ns: int, observed_ns: int, turns_ns: int | None) -> float:
    """Compiler threads' run time as a share of the subject's own time (0.02 is 2%).

    That time is `turns_ns`, the measured time of its turns, since it was paused during the others'. Without turns, or where idle
    subjects were not paused and their compilers kept running, it is the whole observed time.
    """
    return jit_ns / max(1, observed_ns if turns_ns is None else turns_ns)


def compiles(jit_share: float | None) -> bool:
    """Whether so much was compiled that the slice cannot count; False where unknown."""
    return jit_share is not None and not jit_share < JIT_SHARE_LIMIT


def still_compiles(slices: Sequence[WarmUpSlice]) -> bool:
    """Whether so much was compiled in most of the last CONSECUTIVE slices that they cannot count.

    Most, not all: between two methods with long compilations, compilers may rest for one slice.
    """
    last = slices[-CONSECUTIVE:]
    return len(last) == CONSECUTIVE and sum(compiles(part.jit_share) for part in last) > CONSECUTIVE / 2


def _is_quiet(stretch: Sequence[WarmUpSlice]) -> bool:
    return not any(compiles(part.jit_share) for part in stretch)


def _agrees(stretch: Sequence[float]) -> bool:
    middle = median(stretch)
    return middle > 0 and all(abs(pace - middle) <= PACE_TOLERANCE * middle for pace in stretch)


def _is_noisy(paces: Sequence[float]) -> bool:
    """Whether the machine is noisy. A warming server gets faster, so a decrease beyond the tolerance comes from the machine."""
    return any(after < (1 - 2 * PACE_TOLERANCE) * before for before, after in pairwise(paces))


def _has_just_climbed(paces: Sequence[float]) -> bool:
    """Whether the pace rose by more than a fifth since the stretch before: three equal slices may then be a pause in the rise, or
    chance."""
    before = paces[-2 * CONSECUTIVE : -CONSECUTIVE]
    if len(before) < CONSECUTIVE:
        return False
    return fmean(paces[-CONSECUTIVE:]) > 1.2 * fmean(before)


def _has_stopped_climbing(paces: Sequence[float]) -> bool:
    if len(paces) < 2 * LEVEL or any(not pace > 0 for pace in paces[-2 * LEVEL :]):
        return False
    before, after = fmean(paces[-2 * LEVEL : -LEVEL]), fmean(paces[-LEVEL:])
    return after <= (1 + PACE_TOLERANCE) * before
