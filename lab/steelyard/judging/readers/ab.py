"""ab's output (ApacheBench), as it prints it: totals, and percentiles in whole ms."""

from __future__ import annotations

import re
from typing import IO

from ..gathering import Gathering, Totals
from ..limits import Holds
from .reader import ResultReader, read_whole
from .summaries import FAILED_TOO, find

LENGTHS = "ab counts an answer whose length differs from the first one's as failed"
STATUSES = "ab counts each answer with another status than 2xx as wrong, redirects included"
MEAN = "ab's mean is the length of the load times its connections over its requests"
_COUNT = r":\s+(\d{1,12})\b"
_NUMBER = r":\s+(\d{1,9}(?:\.\d+)?) "
_KINDS = re.compile(r"^\s+\((Connect: .*)\)", re.MULTILINE)
_KIND = re.compile(r"(\w+): (\d{1,12})")
_PERCENTILE = re.compile(r"^\s+(\d{1,2})%\s+(\d{1,9})\s*$", re.MULTILINE)
_LONGEST = re.compile(r"^\s+100%\s+(\d{1,9}) \(longest request\)", re.MULTILINE)


class AbSummary(ResultReader):
    """Response times include the connection, and all requests, failed ones too."""

    title = "ab (summary)"
    mark = "the lines Complete requests and Failed requests of ApacheBench"
    holds = Holds.TOTALS
    closed_loop = True

    def recognizes(self, head: str) -> bool:
        return head.lstrip().startswith("This is ApacheBench") or (
            "Time taken for tests:" in head and "Complete requests:" in head
        )

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        text = read_whole(file, self.title)
        complete = int(find(rf"^Complete requests{_COUNT}", text, "complete requests")[1])
        failed = min(complete, int(find(rf"^Failed requests{_COUNT}", text, "failed requests")[1]))
        statuses = re.search(rf"^Non-2xx responses{_COUNT}", text, re.MULTILINE)
        other_status = min(complete - failed, int(statuses[1]) if statuses else 0)
        kinds = _KINDS.search(text)
        failures = {name.lower(): int(count) for name, count in _KIND.findall(kinds[1])} if kinds else {}
        if sum(failures.values()) != failed:
            failures = {"failed": failed}
        longest = _LONGEST.search(text)
        gathering.notes |= dict.fromkeys((LENGTHS, STATUSES, MEAN))
        if failed or other_status:
            gathering.notes[FAILED_TOO] = None
        gathering.add_totals(
            Totals(
                completed=complete - failed - other_status,
                failures={**failures, "status other than 2xx": other_status},
                mean_ms=float(find(rf"^Time per request{_NUMBER}\[ms\] \(mean\)", text, "time per request")[1]),
                figures={f"p{share}": float(ms) for share, ms in _PERCENTILE.findall(text)}
                | ({"max": float(longest[1])} if longest else {}),
                lasted_s=float(find(rf"^Time taken for tests{_NUMBER}seconds", text, "time taken for tests")[1]),
            )
        )
