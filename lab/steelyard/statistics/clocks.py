"""How far another machine's clock is from ours, and how they drift apart, by NTP's four stamps (RFC 5905, sections 8, 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TimeStamps:
    """NTP's four stamps of a question and its answer: `sent` and `received` by our clock, `theirs_*` by the other."""

    sent_ns: int
    theirs_received_ns: int
    theirs_sent_ns: int
    received_ns: int

    @property
    def delay_ns(self) -> int:
        """For how long both were under way."""
        return (self.received_ns - self.sent_ns) - (self.theirs_sent_ns - self.theirs_received_ns)

    @property
    def offset_ns(self) -> float:
        """How far the other clock is ahead, were both ways as long as each other."""
        return ((self.theirs_received_ns - self.sent_ns) + (self.theirs_sent_ns - self.received_ns)) / 2


@dataclass(frozen=True)
class Offset:
    """The other clock is `ns` ahead of ours when ours showed `at_ns`, give or take `within_ns`: however unequal the two ways were,
    it is no further off."""

    at_ns: int
    ns: float
    within_ns: float


def offset_of(looks: Sequence[TimeStamps]) -> Offset:
    """The offset by the stamps that were under way for the shortest time, for what waited on the way says less; ValueError
    without any."""
    best = min(looks, key=lambda stamps: stamps.delay_ns)
    return Offset((best.sent_ns + best.received_ns) // 2, best.offset_ns, max(0, best.delay_ns) / 2)


def drift_ppm(before: Offset, after: Offset) -> tuple[float, float] | None:
    """By how many microseconds a second the other clock gains on ours, and within how many that is known; None where no time went
    by."""
    elapsed = after.at_ns - before.at_ns
    if elapsed <= 0:
        return None
    return (after.ns - before.ns) / elapsed * 1e6, (before.within_ns + after.within_ns) / elapsed * 1e6
