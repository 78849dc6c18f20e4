"""The time of each of the machine's processors by use, from /proc/stat."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class CpuTimes:
    """Seconds since boot of one processor in user code (nice included), in the kernel, idle, and stolen.

    `interrupts_s` is the part of `system_s` spent on interrupts.
    """

    user_s: float
    system_s: float
    idle_s: float
    steal_s: float
    interrupts_s: float = 0.0


def machine_times(stat: str | None = None) -> dict[int, CpuTimes]:
    """Times of each processor from /proc/stat (or its given text)."""
    text = Path("/proc/stat").read_text(encoding="ascii") if stat is None else stat
    times: dict[int, CpuTimes] = {}
    for line in text.splitlines():
        name, *values = line.split()
        if name.startswith("cpu") and name != "cpu":
            user, nice, system, idle, iowait, irq, softirq, steal = (int(value) / _TICK for value in values[:8])
            times[int(name[3:])] = CpuTimes(user + nice, system + irq + softirq, idle + iowait, steal, irq + softirq)
    return times
