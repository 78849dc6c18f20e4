"""The clock of the subjects' host beside this machine's: asked before and after a trial, and never part of a latency."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..base.errors import KeeperError
from ..models.records import ClockOffset, HostClock
from ..provision.site import Site
from ..statistics.clocks import Offset, TimeStamps, drift_ppm, offset_of

_LOOKS = 16


def looked_at(site: Site) -> Offset | None:
    """How far the host's clock is ahead now; None where it is this machine's, or nobody there answers."""
    looks: list[TimeStamps] = []
    with suppress(KeeperError):
        while len(looks) < _LOOKS and (stamps := site.reach.time()) is not None:
            looks.append(stamps)
    return offset_of(looks) if looks else None


@contextmanager
def beside_ours(site: Site, noted: list[HostClock]) -> Iterator[None]:
    """Look at the host's clock before and after, and note what both looks say, where it has one of its own."""
    before = looked_at(site)
    try:
        yield
    finally:
        if before is not None:
            noted.append(_noted(site, before, looked_at(site)))


def _noted(site: Site, before: Offset, after: Offset | None) -> HostClock:
    drift = None if after is None else drift_ppm(before, after)
    return HostClock(
        host=site.name,
        before=_told(before),
        after=None if after is None else _told(after),
        drift_ppm=None if drift is None else drift[0],
        drift_within_ppm=None if drift is None else drift[1],
    )


def _told(offset: Offset) -> ClockOffset:
    return ClockOffset(ahead_ms=offset.ns / 1e6, within_ms=offset.within_ns / 1e6)
