"""Servers that defer part of their work: how turns measure them, compared with each server alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.typed_rows import read_rows, write_rows
from ..statistics.interval import Interval, student_interval

FILE = "deferred.csv"
ALONE, SHORT, LAB = "alone", "short turns", "as a run does"
WAYS = (ALONE, SHORT, LAB)
LEAST_ROUNDS = 3
# By the server's options: what it does besides answering. All have the same work per request.
KINDS = {
    "--share 0.5 --when thread": "half of each request's work at once in a thread of its own",
    "--share 0.5 --when cycle --cycle-ms 60": "half of each request's work in cycles of 60 ms",
    "--share 0.5 --when cycle --cycle-ms 500": "half of each request's work in cycles of 500 ms",
}
UNASKED = {"--chore-ms 10": "10 ms of work every 100 ms, independent of requests"}


@dataclass(frozen=True)
class Drive:
    """The right answers per second of a deferring server and of an honest one, measured one way, in one round.

    `turn_ms` is the length of their turns, a whole slice without turns; 0 alone. `at_rest` is the share of a processor
    that the first used when idle, if measured.
    """

    round: int
    kind: str
    way: str
    other_per_s: float
    honest_per_s: float
    turn_ms: float = 0.0
    at_rest: float = 0.0

    @property
    def log_ratio(self) -> float:
        """The log ratio of the deferring server to the honest one."""
        return math.log(self.other_per_s / self.honest_per_s)


@dataclass(frozen=True)
class Off:
    """The result of one way for one kind: the ratio alone, and the deviation of this way from it, both as ratios with
    95% intervals."""

    kind: str
    way: str
    rounds: int
    alone: Interval
    off: Interval
    turns_ms: tuple[float, ...]
    at_rest: float


def read(folder: Path) -> list[Drive]:
    """The results stored beside a bank; empty if there are none. Raises StoreError."""
    path = folder / FILE
    return [drive for _, drive in read_rows(path, Drive)] if path.exists() else []


def write(drives: Sequence[Drive], folder: Path) -> None:
    """Store the results; raises StoreError."""
    write_rows(folder / FILE, Drive, drives)


def deviation_of(drives: Sequence[Drive], kind: str, way: str) -> Off | None:
    """The deviation of one way from each server alone, over rounds that have both; None below LEAST_ROUNDS."""
    logs = {(drive.round, drive.way): drive.log_ratio for drive in drives if drive.kind == kind}
    rounds = sorted(number for number, of_way in logs if of_way == way and (number, ALONE) in logs)
    if len(rounds) < LEAST_ROUNDS:
        return None
    alone = student_interval([logs[number, ALONE] for number in rounds])
    off = student_interval([logs[number, way] - logs[number, ALONE] for number in rounds])
    driven = [drive for drive in drives if (drive.kind, drive.way) == (kind, way)]
    turns = tuple(sorted({drive.turn_ms for drive in driven}))
    return Off(kind, way, len(rounds), alone.exp(), off.exp(), turns, max(drive.at_rest for drive in driven))


def all_deviations(drives: Sequence[Drive]) -> list[Off]:
    """The deviations of every kind and way except alone, if they have enough rounds."""
    by_kind = (deviation_of(drives, kind, way) for kind in (*KINDS, *UNASKED) for way in (SHORT, LAB))
    return [off for off in by_kind if off is not None]


def kind_text(kind: str) -> str:
    """A description of a kind of server."""
    return (KINDS | UNASKED)[kind]


def deviation_text(off: Interval) -> str:
    """An interval of ratios as text: `+1.1% (+0.4% to +1.8%)`."""
    return f"{off.estimate - 1:+.1%} ({off.low - 1:+.1%} to {off.high - 1:+.1%})"
