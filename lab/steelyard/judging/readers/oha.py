"""oha's output in JSON (`oha --output-format json`): totals and percentiles, in seconds."""

from __future__ import annotations

from typing import IO

from ..gathering import Gathering, Totals
from ..limits import Holds
from .documents import read_document
from .reader import ResultReader
from .summaries import BY_STATUS, FAILED_TOO, split_by_status

UNFINISHED = "requests under way at the end of the load are left out, as oha ends them itself"
_DEADLINE = "aborted due to deadline"
_NAMES = {"fastest": "min", "slowest": "max"}


class OhaSummary(ResultReader):
    """A request without an answer is an error, and not in the percentiles."""

    title = "oha (JSON)"
    mark = "a JSON object with a summary of successRate and requestsPerSec"
    holds = Holds.TOTALS

    def recognizes(self, head: str) -> bool:
        return head.lstrip("\ufeff \r\n\t").startswith("{") and '"successRate"' in head and '"requestsPerSec"' in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        document = read_document(file, self.title)
        summary = document.part("summary")
        codes = document.part("statusCodeDistribution").counts()
        completed, failures = split_by_status(codes)
        gathering.notes[BY_STATUS] = None
        if failures:
            gathering.notes[FAILED_TOO] = None
        errors = document.part("errorDistribution").counts()
        if errors.pop(_DEADLINE, 0):
            gathering.notes[UNFINISHED] = None
        failures["error"] = sum(errors.values())
        percentiles = document.part("latencyPercentiles")
        figures = percentiles.numbers({name: name for name in percentiles.fields}) | summary.numbers(_NAMES)
        mean = summary.numbers({"average": "mean"}).get("mean")
        gathering.add_totals(
            Totals(
                completed=completed,
                failures=failures,
                codes=codes,
                mean_ms=None if mean is None else mean * 1000,
                figures={name: seconds * 1000 for name, seconds in figures.items()},
                lasted_s=summary.number("total"),
            )
        )
        gathering.count_messages(errors)
