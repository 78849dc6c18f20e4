"""How the machine's processors are shared between the subjects and the engine."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Shares:
    """Processors of the subjects and of the engine; the same list twice where there is only one."""

    server: list[int]
    engine: list[int]

    @property
    def apart(self) -> bool:
        return not set(self.server) & set(self.engine)


def share(available: list[int] | None = None) -> Shares:
    """The last quarter of the processors, at least one, for the engine and the rest for the subjects."""
    cpus = sorted(os.sched_getaffinity(0)) if available is None else sorted(available)
    if len(cpus) < 2:
        return Shares(cpus, cpus)
    engine = max(1, len(cpus) // 4)
    return Shares(cpus[:-engine], cpus[-engine:])
