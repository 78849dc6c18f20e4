"""Measures when nobody else uses the machine, tells how much others used it, and measures again when that was too much."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MOST_OTHERS = 0.03
WINDOW_S = 0.5
CALM_WINDOWS = 2

Rows = list[dict[str, object]]


class Others:
    """The share of all processors' time that went to processes that are not ours, since begin."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._busy = busy_s()
        self._own = own_s()

    def share(self) -> float:
        elapsed = (time.monotonic() - self._begin) * (os.cpu_count() or 1)
        return max(0.0, (busy_s() - self._busy) - (own_s() - self._own)) / elapsed


def busy_s() -> float:
    """Processor time that was used, or taken by other machines on the same host.

    Interrupts are in it, since the kernel charges those of the network to the process that they interrupt.
    """
    user, nice, system, _idle, _waiting, *others = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    return sum(map(int, (user, nice, system, *others))) / os.sysconf("SC_CLK_TCK")


def own_s() -> float:
    """Processor time of this process, of its children that have ended, and of those that live."""
    own = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    ticks = 0
    family = {os.getpid()}
    # Children have greater numbers than their parents, but for a wrap that a bench does not live to see twice.
    for pid in sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(fields[1]) in family:
            family.add(pid)
            ticks += int(fields[11]) + int(fields[12])
    return own + ticks / os.sysconf("SC_CLK_TCK")


@dataclass
class Quiet:
    """`patience_s`: how long in all to wait for others; 0 measures at once, and once, whatever others do."""

    patience_s: float

    def measure(self, what: Callable[[], Rows]) -> Rows:
        """Give the rows of a measurement that others did not disturb, or of the least disturbed; each row says how much."""
        least, kept = 2.0, Rows()
        while True:
            self._wait()
            others = Others()
            rows = what()
            share = others.share()
            if share < least:
                least, kept = share, rows
            if least <= MOST_OTHERS or self.patience_s <= 0:
                return [{**row, "others_cpu": round(least, 4)} for row in kept]
            print(f"others used {share:.0%} of the processors; once more", file=sys.stderr)

    def _wait(self) -> None:
        calm = 0
        while calm < CALM_WINDOWS and self.patience_s > 0:
            others = Others()
            time.sleep(WINDOW_S)
            self.patience_s -= WINDOW_S
            calm = calm + 1 if others.share() <= MOST_OTHERS else 0
