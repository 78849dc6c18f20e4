"""The machine's current speed relative to the fastest ever seen: the CPU time of a fixed piece of arithmetic."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from ..base.errors import StoreError
from ..models.records import Check
from ..results import machine_history
from ..results.machine_history import Spin
from .machine import spin_us

SLOWER = 1.5  # times the fastest: a processor that clocks as it likes stays within 1.4


def check(spun: str) -> Check:
    """Judge and remember what `steelyard-engine spin` said. A host that clocks its processors down, or gives a machine another one,
    takes no time away that any counter shows: only work that never changes does."""
    us = spin_us(spun).get("least")
    if us is None:
        return Check(name="pace", found="not measured", good=True, advice="")
    fastest = _fastest(Spin(us=us, seen=datetime.now(UTC).date().isoformat()))
    slower = us / fastest.us
    beside = f"{slower:.1f} times the fastest seen here ({fastest.us:.0f} us on {fastest.seen})"
    return Check(
        name="pace",
        found=f"{us:.0f} us for the reference spin, {beside}",
        good=slower <= SLOWER,
        advice="its host slowed it down: compare with nothing measured before, and let JVMs warm up for longer",
    )


def _fastest(now: Spin) -> Spin:
    """The fastest so far, this one included, which is remembered where it is; where it cannot be, it is the first each time."""
    before = machine_history.fastest_spin()
    if before is not None and before.us <= now.us:
        return before
    with suppress(StoreError):
        machine_history.remember_spin(now)
    return now
