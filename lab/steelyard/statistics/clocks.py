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
class BothClocks:
    """One question and its answer by both clocks of either side: that of the day, and the steady one, CLOCK_MONOTONIC, by which
    processes note when something was."""

    day: TimeStamps
    steady: TimeStamps


@dataclass(frozen=True)
class Offset:
    """The other clock is `ns` ahead of ours when ours showed `at_ns`, give or take `within_ns`: however unequal the two ways were,
    it is no further off."""

    at_ns: int
    ns: float
    within_ns: float


@dataclass(frozen=True)
class ClockLine:
    """Another clock beside ours, on the straight line through two looks at it, and beyond them."""

    before: Offset
    after: Offset

    def to_our_clock(self, theirs_ns: int) -> int:
        """When our clock showed what the other shows as `theirs_ns`."""
        elapsed = theirs_ns - self.before.at_ns - round(self.before.ns)
        return self.before.at_ns + round(elapsed / (1 + self._gain))

    def to_other_clock(self, ours_ns: int) -> int:
        """What the other clock showed when ours showed `ours_ns`."""
        elapsed = ours_ns - self.before.at_ns
        return ours_ns + round(self.before.ns) + round(elapsed * self._gain)

    @property
    def _gain(self) -> float:
        """What the other clock gains on ours, in nanoseconds a nanosecond; none where no time went by between the looks."""
        drift = drift_ppm(self.before, self.after)
        return 0.0 if drift is None else drift[0] / 1e6


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
