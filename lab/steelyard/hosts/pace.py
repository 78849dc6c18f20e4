"""The machine's current speed relative to the fastest recorded one: the CPU time of a fixed calculation."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from ..base.errors import StoreError
from ..models.records import Check
from ..results import machine_history
from ..results.machine_history import Spin
from .machine import spin_us

SLOWER = 1.5  # factor on the fastest; dynamic clock rates stay within 1.4


def check(spun: str) -> Check:
    """Judge and record the output of `steelyard-engine spin`. A host that reduces clock rates, or moves a virtual machine, takes
    no time that any counter shows; only a fixed calculation does."""
    us = spin_us(spun).get("least")
    if us is None:
        return Check(name="pace", found="not measured", good=True, advice="")
    fastest = _fastest(Spin(us=us, seen=datetime.now(UTC).date().isoformat()))
    slower = us / fastest.us
    beside = f"{slower:.1f} times the fastest seen here ({fastest.us:.0f} µs on {fastest.seen})"
    return Check(
        name="pace",
        found=f"{us:.0f} µs for the reference spin, {beside}",
        good=slower <= SLOWER,
        advice="its host slowed it down: do not compare with earlier measurements, and let JVMs warm up for longer",
    )


def _fastest(now: Spin) -> Spin:
    """The fastest time so far, including this one, which is recorded if faster; without a record, this one."""
    before = machine_history.fastest_spin()
    if before is not None and before.us <= now.us:
        return before
    with suppress(StoreError):
        machine_history.remember_spin(now)
    return now
