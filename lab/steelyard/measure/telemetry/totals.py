"""The totals of a load so far, from the seconds that the engine has written; its process is not queried."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...base.growing_file import GrowingFile
from ...base.histogram import decode, parse_tagged_line
from ...results.tables import FAILURE_KINDS

# upper bounds of the response time buckets in seconds, in steps of 1, 2 and 5
BOUNDS = tuple(digit * 10.0**power for power in range(-4, 2) for digit in (1, 2, 5))
_BOUNDS_US = np.array(BOUNDS) * 1e6
_FAILED = ("wrong", *FAILURE_KINDS)


@dataclass(frozen=True)
class LoadTotals:
    """The totals of a load's requests at `time_ns` (CLOCK_MONOTONIC), since its measured time began.

    `completed` counts right answers by operation, `failed` others by operation and kind; `users` were active then. `buckets`
    count response times of right answers up to each of BOUNDS and above the last; `response_s` is their sum in seconds.
    """

    time_ns: int
    completed: Mapping[str, int]
    failed: Mapping[tuple[str, str], int]
    users: int
    buckets: tuple[int, ...]
    response_s: float


class GrowingTotals:
    """Reads the seconds of a stretch of load as the engine appends them (ticks.csv, seconds.hlog)."""

    def __init__(self, folder: Path) -> None:
        self._ticks, self._times = GrowingFile(folder / "ticks.csv"), GrowingFile(folder / "seconds.hlog")
        self._header: list[str] = []
        self._completed: Counter[str] = Counter()
        self._failed: Counter[tuple[str, str]] = Counter()
        self._buckets: NDArray[np.int64] = np.zeros(len(BOUNDS) + 1, np.int64)
        self._response_s = 0.0

    def more(self) -> LoadTotals | None:
        """The totals with the seconds written since the last call; None where no new second can be read yet."""
        try:
            seconds, times = self._ticks.lines(), self._times.lines()
        except OSError:
            return None
        if seconds and not self._header:
            self._header = seconds.pop(0).split(",")
        for line in times:
            self._take_times(line)
        rows = [dict(zip(self._header, fields, strict=False)) for fields in csv.reader(seconds)]
        for row in rows:
            self._take_second(row)
        if not rows:
            return None
        last = int(rows[-1]["time_ns"])
        users = int(rows[-1]["users_active"])
        buckets = tuple(int(count) for count in self._buckets)
        return LoadTotals(last, dict(self._completed), dict(self._failed), users, buckets, self._response_s)

    def _take_second(self, row: Mapping[str, str]) -> None:
        operation = row["operation"]
        self._completed[operation] += int(row["completed"])
        self._response_s += int(row["response_ns_sum"]) / 1e9
        for kind in _FAILED:
            if count := int(row[kind]):
                self._failed[operation, kind] += count

    def _take_times(self, line: str) -> None:
        _, encoded = parse_tagged_line(line) or ("", "")
        if encoded:
            times = decode(encoded)
            np.add.at(self._buckets, np.searchsorted(_BOUNDS_US, times.highest), times.counts)
