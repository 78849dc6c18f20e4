"""The clock offset between the subjects' host and this machine, read before and after a trial.

It is never part of a latency.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ..base.errors import KeeperError
from ..models.records import ClockOffset, HostClock
from ..statistics.clocks import BothClocks, ClockLine, Offset, drift_ppm, offset_of
from .executor import Executor
from .placement import Placement

_LOOKS = 16


@dataclass(frozen=True)
class Look:
    """The offset of a host's clocks from ours: the time of day, and CLOCK_MONOTONIC (`steady`)."""

    day: Offset
    steady: Offset


class FarClock:
    """The steady clock of the subjects' host, which stamps the logs of processes there; first read at the trial's start."""

    def __init__(self, site: Placement, first: Look) -> None:
        self._site = site
        self._first = first

    def line(self) -> ClockLine:
        """The line from the host's clock to ours, from the trial's start until now, with a second reading; raises KeeperError
        without an answer."""
        now = read_clock(self._site.reach)
        if now is None:
            raise KeeperError(f"the clock of host '{self._site.name}' cannot be read")
        return ClockLine(self._first.steady, now.steady)


def steady_ahead_ns(reach: Executor) -> int:
    """The offset in ns of a host's steady clock from ours now; raises KeeperError where it cannot be read."""
    look = read_clock(reach)
    if look is None:
        raise KeeperError("the clock of its host cannot be read")
    return round(look.steady.ns)


def read_clock(reach: Executor) -> Look | None:
    """The offset of a host's clocks now; None where the host is this machine, or does not answer."""
    looks: list[BothClocks] = []
    with suppress(KeeperError):
        while len(looks) < _LOOKS and (stamps := reach.time()) is not None:
            looks.append(stamps)
    if not looks:
        return None
    return Look(offset_of([look.day for look in looks]), offset_of([look.steady for look in looks]))


@contextmanager
def compare_clocks(site: Placement, noted: list[HostClock]) -> Iterator[FarClock | None]:
    """Read the host's clocks before and after, and record both offsets of the time of day; None where the host has no clock of
    its own."""
    before = read_clock(site.reach)
    try:
        yield None if before is None else FarClock(site, before)
    finally:
        if before is not None:
            after = read_clock(site.reach)
            noted.append(_host_clock(site, before.day, None if after is None else after.day))


def _host_clock(site: Placement, before: Offset, after: Offset | None) -> HostClock:
    drift = None if after is None else drift_ppm(before, after)
    return HostClock(
        host=site.name,
        before=_clock_offset(before),
        after=None if after is None else _clock_offset(after),
        drift_ppm=None if drift is None else drift[0],
        drift_within_ppm=None if drift is None else drift[1],
    )


def _clock_offset(offset: Offset) -> ClockOffset:
    return ClockOffset(ahead_ms=offset.ns / 1e6, within_ms=offset.within_ns / 1e6)
