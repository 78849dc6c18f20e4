"""The output of wrk and wrk2, as they print it: totals, mean and maximum, and percentiles with `--latency`."""

from __future__ import annotations

import re
from typing import IO

from ..gathering import Gathering, Totals
from ..limits import Holds
from .reader import ResultReader, read_whole
from .summaries import FAILED_TOO, find, ms_of

STATUSES = "wrk counts statuses from 400 on as wrong"
TIMEOUTS = "wrk may count an answer after its timeout among its requests too"
CORRECTED = "wrk2's times begin when a request was due, so they include waiting for a connection"
_ERRORS = re.compile(r"^\s*Socket errors: (connect .*)$", re.MULTILINE)
_ERROR = re.compile(r"(\w+) (\d{1,12})")
_STATUSES = re.compile(r"^\s*Non-2xx or 3xx responses: (\d{1,12})", re.MULTILINE)
_PERCENTILE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,9})?)%\s+(\S+)\s*")
_RECORDED = "Recorded Latency"


class WrkSummary(ResultReader):
    """wrk's own rate counts wrong answers too, so throughput is right answers over its time."""

    title = "wrk"
    mark = "the line Thread Stats with Avg and Stdev"
    holds = Holds.TOTALS
    closed_loop = True

    def recognizes(self, head: str) -> bool:
        return re.search(r"^\s*Thread Stats\s+Avg\s+Stdev", head, re.MULTILINE) is not None and _RECORDED not in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        text = read_whole(file, self.title)
        titles = find(r"^\s*Thread Stats\s+Avg\s+Stdev\s+(\S+)", text, "thread statistics")
        times = find(r"^\s*Latency\s+(\d\S*)\s+(\S+)\s+(\S+)", text, "latency")
        done = find(r"^\s*(\d{1,12}) requests in (\S+),", text, "number of requests")
        wrong = _STATUSES.search(text)
        errors = _ERRORS.search(text)
        failures = {name: int(count) for name, count in _ERROR.findall(errors[1])} if errors else {}
        statuses = min(int(done[1]), int(wrong[1]) if wrong else 0)
        gathering.notes[STATUSES] = None
        if statuses:
            gathering.notes[FAILED_TOO] = None
        if failures.get("timeout"):
            gathering.notes[TIMEOUTS] = None
        gathering.add_totals(
            Totals(
                completed=int(done[1]) - statuses,
                failures={**failures, "status 400 or more": statuses},
                mean_ms=ms_of(times[1]),
                figures=_percentiles(text) | ({"max": ms_of(times[3])} if titles[1] == "Max" else {}),
                lasted_s=ms_of(done[2]) / 1000,
            )
        )


class Wrk2Summary(WrkSummary):
    """wrk2 sends at a rate and times each request from when it was due."""

    title = "wrk2"
    mark = "the line Thread Stats and a recorded latency of HdrHistogram"
    closed_loop = False

    def recognizes(self, head: str) -> bool:
        return re.search(r"^\s*Thread Stats\s+Avg\s+Stdev", head, re.MULTILINE) is not None and _RECORDED in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        super().read(file, gathering)
        gathering.notes[CORRECTED] = None


def _percentiles(text: str) -> dict[str, float]:
    """The first table of percentiles."""
    figures: dict[str, float] = {}
    for line in text.partition("Latency Distribution")[2].split("\n")[1:]:
        match = _PERCENTILE.fullmatch(line)
        if match is None:
            break
        if float(match[1]) < 100:
            figures[f"p{float(match[1]):g}"] = ms_of(match[2])
    return figures
