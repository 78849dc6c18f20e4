"""Whether foreign processes took so much of the subjects' processors that the measurement does not count."""

from __future__ import annotations

FOREIGN_LIMIT = 0.02
# The kernel counts idle and stolen time in ticks of 10 ms, so 2% of a shorter time is not visible.
LEAST_SECONDS = 1.0


def foreign_share(foreign_ns: int, available_ns: int, wall_ns: int) -> float | None:
    """The share (0 to 1) of the subjects' processors that foreign processes used between two readings.

    `available_ns` is the processors' time minus the host's steal. None where the readings are less than `LEAST_SECONDS` apart.
    """
    if wall_ns < LEAST_SECONDS * 1e9 or available_ns <= 0:
        return None
    return max(0.0, foreign_ns / available_ns)
