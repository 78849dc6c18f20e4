"""autocannon's output in JSON (`autocannon --json`): totals and percentiles, in ms."""

from __future__ import annotations

import re
from typing import IO

from ..gathering import Gathering, Totals
from ..limits import Holds
from .documents import ResultDocument, read_document
from .reader import ResultReader
from .summaries import BY_STATUS, FAILED_TOO, split_by_status

_CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_PERCENTILE = re.compile(r"p(\d{1,3})(?:_(\d{1,6}))?")


class AutocannonSummary(ResultReader):
    """Its errors include the timeouts. A mismatch is an answer with another body than expected."""

    title = "autocannon (JSON)"
    mark = "a JSON object with connections and non2xx"
    holds = Holds.TOTALS

    def recognizes(self, head: str) -> bool:
        return head.lstrip("\ufeff \r\n\t").startswith("{") and '"non2xx"' in head and '"connections"' in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        document = read_document(file, self.title)
        codes = _codes(document)
        completed, failures = split_by_status(codes)
        mismatches = min(completed, document.count_or_zero("mismatches"))
        timeouts, errors = document.count_or_zero("timeouts"), document.count_or_zero("errors")
        gathering.notes[BY_STATUS] = None
        if failures or mismatches:
            gathering.notes[FAILED_TOO] = None
        latency = document.part("latency")
        names = {
            name: f"p{match[1]}" + (f".{match[2]}" if match[2] else "")
            for name in latency.fields
            if (match := _PERCENTILE.fullmatch(name))
        }
        gathering.add_totals(
            Totals(
                completed=completed - mismatches,
                failures={
                    **failures,
                    "another body": mismatches,
                    "timeout": timeouts,
                    "error": max(0, errors - timeouts),
                },
                codes=codes,
                mean_ms=latency.number("mean" if "mean" in latency.fields else "average"),
                figures=latency.numbers({**names, "min": "min", "max": "max"}),
                lasted_s=document.number("duration"),
            )
        )


def _codes(document: ResultDocument) -> dict[str, int]:
    """The number of answers by status, or by its class in versions that do not write the statuses."""
    if "statusCodeStats" in document.fields:
        stats = document.part("statusCodeStats")
        return {status: stats.part(status).count("count") for status in stats.fields}
    return {name: document.count_or_zero(name) for name in _CLASSES}
