"""How far another machine's clock is from ours, and how they drift apart, by NTP's four stamps (RFC 5905, sections 8, 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Exchange:
    """A question and its answer in ns: `sent` and `received` by our clock, `theirs_received` and `theirs_sent` by the other."""

    sent: int
    theirs_received: int
    theirs_sent: int
    received: int

    @property
    def delay(self) -> int:
        """For how long it was under way, there and back, in ns."""
        return (self.received - self.sent) - (self.theirs_sent - self.theirs_received)

    @property
    def offset(self) -> float:
        """How far the other clock is ahead, in ns, were both ways as long as each other."""
        return ((self.theirs_received - self.sent) + (self.theirs_sent - self.received)) / 2


@dataclass(frozen=True)
class Offset:
    """The other clock is `ns` ahead of ours when ours showed `at_ns`, give or take `within_ns`: however unequal the two ways were,
    it is no further off."""

    at_ns: int
    ns: float
    within_ns: float


def offset_of(exchanges: Sequence[Exchange]) -> Offset:
    """The offset by the exchange that was under way for the shortest time: what waited on the way says less. ValueError without
    one."""
    best = min(exchanges, key=lambda exchange: exchange.delay)
    return Offset((best.sent + best.received) // 2, best.offset, max(0, best.delay) / 2)


def drift_ppm(before: Offset, after: Offset) -> tuple[float, float] | None:
    """By how many microseconds a second the other clock gains on ours, and within how many that is known; None where no time went
    by."""
    elapsed = after.at_ns - before.at_ns
    if elapsed <= 0:
        return None
    return (after.ns - before.ns) / elapsed * 1e6, (before.within_ns + after.within_ns) / elapsed * 1e6
