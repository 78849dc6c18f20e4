"""h2load's output, as it prints it: totals, and minimum, mean and maximum, in newer versions percentiles too."""

from __future__ import annotations

import re
from typing import IO

from ...base.errors import ConfigurationError
from ..gathering import Gathering, Totals
from ..limits import Holds
from .reader import ResultReader, read_whole
from .summaries import find, ms_of, split_by_status

STATUSES = "h2load counts statuses 2xx and 3xx as right"
_REQUESTS = r"^requests: (\d{1,12} total, .*)$"
_COUNT = re.compile(r"(\d{1,12}) (\w+)")
_TITLES = r"^\s+(min\s+max\s+.*)$"
_TIMES = r"^(?:time for )?request\s*:\s+(\S.*)$"
_NAMES = {"min": "min", "median": "p50", "p95": "p95", "p99": "p99", "max": "max"}


class H2loadSummary(ResultReader):
    """Its failed requests include those with an error, and these the timeouts."""

    title = "h2load"
    mark = "the lines finished in, requests and status codes of h2load"
    holds = Holds.TOTALS
    closed_loop = True

    def recognizes(self, head: str) -> bool:
        return re.search(r"^finished in \S+, \S+ req/s", head, re.MULTILINE) is not None and "status codes:" in head

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        text = read_whole(file, self.title)
        counts = {name: int(count) for count, name in _COUNT.findall(find(_REQUESTS, text, "number of requests")[1])}
        right, failed, errors, timeouts = (
            counts.get(name, 0) for name in ("succeeded", "failed", "errored", "timeout")
        )
        if not timeouts <= errors <= failed:
            raise ConfigurationError("its numbers of failed, errored and timeout requests contradict each other")
        codes = {
            name: int(count) for count, name in _COUNT.findall(find(r"^status codes: (.*)$", text, "status codes")[1])
        }
        _, wrong = split_by_status(codes)
        rest = failed - errors - sum(wrong.values())
        if rest < 0:  # an answer whose status came and whose body did not is an error with a status
            wrong, rest = {}, failed - errors
        gathering.notes[STATUSES] = None
        times = _times(text)
        gathering.add_totals(
            Totals(
                completed=right,
                failures={**wrong, "timeout": timeouts, "error": errors - timeouts, "failed": rest},
                codes=codes,
                mean_ms=times.get("mean"),
                figures={new: times[name] for name, new in _NAMES.items() if name in times},
                lasted_s=ms_of(find(r"^finished in (\S+),", text, "length of the load")[1]) / 1000,
            )
        )


def _times(text: str) -> dict[str, float]:
    """The times of a request in ms by the title of their column, in the order that this version prints."""
    titles = re.split(r"\s{2,}", find(_TITLES, text, "titles min and max")[1].strip())
    fields = find(_TIMES, text, "time for request")[1].split()
    if len(fields) != len(titles):
        raise ConfigurationError("the line with the time for request has another number of columns than its titles")
    return {
        title: ms_of(field) for title, field in zip(titles, fields, strict=True) if title in _NAMES or title == "mean"
    }
