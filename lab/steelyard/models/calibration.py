"""The differences that a machine can detect, by `steelyard calibrate` (contracts/calibration.schema.json)."""

from __future__ import annotations

from .records import Check
from .strict import Significant, Strict


class Smallest(Strict):
    """The smallest difference (0.05 is 5%) that a comparison finds with 90% power in this number of minutes.

    `forks` is the last look that fits; without `difference` not even the first one does.
    """

    minutes: Significant
    forks: int
    difference: Significant | None


class Planted(Strict):
    """A planted slow-down of known size (0.05 is 5%): the measured ratio, its interval, and whether it was called slower."""

    level: Significant
    ratio: Significant
    interval: tuple[Significant, Significant]
    called: bool


class Alarms(Strict):
    """The number of comparisons of a server with itself that came out different on this machine so far, with a 95% interval."""

    count: int
    total: int
    low: Significant
    high: Significant


class Calibration(Strict):
    """One calibration. `server_ratio` is the server against itself, with a 95% interval.

    `fork_deviation` is the standard deviation of forks (log ratio), `fork_seconds` the time of a comparison's fork. `headroom` is
    the engine's maximum rate against a server that does nothing, as a multiple of the measured rate (None: not measured, for the
    reason in `headroom_why_not`).
    """

    made: str
    machine: str
    service: str
    server: str
    operation: str
    users: int
    forks: int
    seconds: Significant
    stopped: bool
    server_ratio: Significant
    server_interval: tuple[Significant, Significant]
    fork_deviation: Significant
    fork_seconds: Significant
    smallest: list[Smallest]
    planted: list[Planted]
    alarms: Alarms | None
    headroom: Significant | None
    headroom_why_not: str = ""
    checks: list[Check]
    folder: str
