"""The offset and drift of another machine's clock from ours, by NTP's four timestamps (RFC 5905, sections 8, 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TimeStamps:
    """NTP's four timestamps of a query: `sent` and `received` by our clock, `theirs_*` by the other."""

    sent_ns: int
    theirs_received_ns: int
    theirs_sent_ns: int
    received_ns: int

    @property
    def delay_ns(self) -> int:
        """The total transmission time of query and answer."""
        return (self.received_ns - self.sent_ns) - (self.theirs_sent_ns - self.theirs_received_ns)

    @property
    def offset_ns(self) -> float:
        """The offset of the other clock, if both directions take equally long."""
        return ((self.theirs_received_ns - self.sent_ns) + (self.theirs_sent_ns - self.received_ns)) / 2


@dataclass(frozen=True)
class BothClocks:
    """One query by two clocks of either side: the time of day, and CLOCK_MONOTONIC (`steady`), which stamps the logs of
    processes."""

    day: TimeStamps
    steady: TimeStamps


@dataclass(frozen=True)
class Offset:
    """The other clock was `ns` ahead of ours when ours showed `at_ns`, with a maximum error of `within_ns` for any difference
    between the directions."""

    at_ns: int
    ns: float
    within_ns: float


@dataclass(frozen=True)
class ClockLine:
    """The line from another clock to ours through two readings, also used beyond them."""

    before: Offset
    after: Offset

    def to_our_clock(self, theirs_ns: int) -> int:
        """Our clock's time when the other showed `theirs_ns`."""
        elapsed = theirs_ns - self.before.at_ns - round(self.before.ns)
        return self.before.at_ns + round(elapsed / (1 + self._gain))

    def to_other_clock(self, ours_ns: int) -> int:
        """The other clock's time when ours showed `ours_ns`."""
        elapsed = ours_ns - self.before.at_ns
        return ours_ns + round(self.before.ns) + round(elapsed * self._gain)

    @property
    def _gain(self) -> float:
        """The drift of the other clock in ns per ns; 0 where both readings have the same time."""
        drift = drift_ppm(self.before, self.after)
        return 0.0 if drift is None else drift[0] / 1e6


def offset_of(looks: Sequence[TimeStamps]) -> Offset:
    """The offset from the query with the shortest delay, since longer ones are less accurate; ValueError without queries."""
    best = min(looks, key=lambda stamps: stamps.delay_ns)
    return Offset((best.sent_ns + best.received_ns) // 2, best.offset_ns, max(0, best.delay_ns) / 2)


def drift_ppm(before: Offset, after: Offset) -> tuple[float, float] | None:
    """The drift of the other clock in µs per second, with its maximum error; None where both readings have the same time."""
    elapsed = after.at_ns - before.at_ns
    if elapsed <= 0:
        return None
    return (after.ns - before.ns) / elapsed * 1e6, (before.within_ns + after.within_ns) / elapsed * 1e6
