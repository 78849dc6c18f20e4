"""Whether processes of others took so much of the subjects' processors that what was measured meanwhile does not count."""

from __future__ import annotations

FOREIGN_LIMIT = 0.02
# The kernel counts idle and stolen time in ticks of 10 ms: 2% of less than this is too little to see.
LEAST_SECONDS = 1.0


def foreign_share(foreign_ns: int, available_ns: int, wall_ns: int) -> float | None:
    """The share of the subjects' processors' time that others used between two looks, 0 to 1.

    `available_ns` is what the host left of these processors in the wall time. None where the looks are less than `LEAST_SECONDS`
    apart.
    """
    if wall_ns < LEAST_SECONDS * 1e9 or available_ns <= 0:
        return None
    return max(0.0, foreign_ns / available_ns)
