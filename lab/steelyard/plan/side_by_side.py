"""The number of concurrent trials: one where anything is timed, otherwise as many as the machine holds."""

from __future__ import annotations

import os

PER_PROCESSOR = 2  # the load under faults is a few customers, which leave most of a processor idle
BYTES_A_PROCESS = 2**30
_OF_MEMORY = 0.5


def most_at_once(processes: int, processors: int | None = None, memory_bytes: int | None = None) -> int:
    """The number of trials with this many processes each that the machine can hold, at least one; defaults are those of
    this machine."""
    if processors is None:
        processors = len(os.sched_getaffinity(0))
    if memory_bytes is None:
        memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    held = int(_OF_MEMORY * memory_bytes / (BYTES_A_PROCESS * max(1, processes)))
    return max(1, min(PER_PROCESSOR * processors, held))
