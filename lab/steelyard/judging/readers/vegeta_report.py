"""Vegeta's report in JSON (`vegeta report --type json`): totals and percentiles of the latencies of all requests."""

from __future__ import annotations

from typing import IO

from ..gathering import Gathering, Totals
from ..limits import Holds
from .documents import read_document
from .reader import ResultReader
from .summaries import BY_STATUS, FAILED_TOO, split_by_status
from .vegeta import SENDS

_NAMES = {"min": "min", "50th": "p50", "90th": "p90", "95th": "p95", "99th": "p99", "max": "max"}


class VegetaReport(ResultReader):
    """Durations are in ns. The load lasted from the first start to the last end."""

    title = "vegeta (report)"
    mark = "a JSON object with latencies, bytes_in and status_codes"
    holds = Holds.TOTALS
    closed_loop = False
    cannot_show = (SENDS,)

    def recognizes(self, head: str) -> bool:
        return head.lstrip("\ufeff \r\n\t").startswith("{") and '"latencies"' in head and '"bytes_in"' in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        report = read_document(file, self.title)
        latencies = report.part("latencies")
        codes = report.part("status_codes").counts()
        completed, failures = split_by_status({code: count for code, count in codes.items() if code != "0"})
        failures["error"] = codes.get("0", 0)
        gathering.notes[BY_STATUS] = None
        if any(failures.values()):
            gathering.notes[FAILED_TOO] = None
        gathering.add_totals(
            Totals(
                completed=completed,
                failures=failures,
                codes={code: count for code, count in codes.items() if code != "0"},
                mean_ms=latencies.number("mean") / 1e6,
                figures={name: ns / 1e6 for name, ns in latencies.numbers(_NAMES).items()},
                lasted_s=(report.number("duration") + report.number("wait")) / 1e9,
            )
        )
