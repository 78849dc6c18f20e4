"""How many threads the engine needs, by short slices that are driven before anything is measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from ...results.tables import SliceRow

# Of a thread in a pilot: the rest is a reserve for a server that answers faster once it is warm.
MOST_BUSY = 0.5
_FULL = 0.9  # a thread that is busier sends fewer requests than its users would


def threads_needed(row: SliceRow, threads: int) -> int:
    """The number of threads of which none is more than half busy, by a slice that `threads` drove.

    Where one of them was full, the need is not known: it is at least twice as many.
    """
    busy = (row.engine_user_ns + row.engine_system_ns) / max(1, row.measured_ns)
    full = row.thread_cpu_most_ns > _FULL * row.measured_ns
    return max(math.ceil(busy / MOST_BUSY), 2 * threads if full else 1)


def choose_threads(drive: Callable[[int], Iterable[SliceRow]], most: int) -> int:
    """The number of threads, at most `most`, that suffices for the slices of a pilot; `drive` drives them with so many threads."""
    threads = 1
    while threads < most:
        needed = max((threads_needed(row, threads) for row in drive(threads)), default=1)
        if needed <= threads:
            break
        threads = min(most, needed)
    return threads
