"""hey's summary, as it prints it: totals, percentiles in seconds, answers by status, and errors."""

from __future__ import annotations

import re
from collections import Counter
from typing import IO

from ..gathering import Gathering, Totals
from ..limits import Holds
from .reader import ResultReader, number_of, read_whole
from .summaries import BY_STATUS, FAILED_TOO, find, split_by_status

_SECONDS = r"\s*(\d+(?:\.\d+)?) secs"
_PERCENTILE = re.compile(rf"^\s*(\d{{1,2}})%+ in{_SECONDS}", re.MULTILINE)
_STATUS = re.compile(r"^\s*\[(\d{3})\]\s+(\d{1,12}) responses", re.MULTILINE)
_ERROR = re.compile(r"^\s*\[(\d{1,12})\]\s+(?!\d{1,12} responses)(\S.*)$", re.MULTILINE)


class HeySummary(ResultReader):
    """A request without an answer is an error, and not in the percentiles."""

    title = "hey (summary)"
    mark = "a Summary with Total, Slowest and Fastest in secs"
    holds = Holds.TOTALS
    closed_loop = True

    def recognizes(self, head: str) -> bool:
        return re.search(rf"^Summary:\s*\n\s*Total:{_SECONDS}\s*\n\s*Slowest:", head, re.MULTILINE) is not None

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        text = read_whole(file, self.title)
        figures = {
            name: float(find(rf"^\s*{label}:{_SECONDS}", text, label)[1]) * 1000
            for name, label in (("min", "Fastest"), ("max", "Slowest"), ("mean", "Average"))
        }
        mean_ms = figures.pop("mean")
        figures |= {f"p{share}": float(seconds) * 1000 for share, seconds in _PERCENTILE.findall(text)}
        codes: Counter[str] = Counter()
        for status, count in _STATUS.findall(text):
            codes[status] += int(count)
        completed, failures = split_by_status(codes)
        gathering.notes[BY_STATUS] = None
        if failures:
            gathering.notes[FAILED_TOO] = None
        errors = _ERROR.findall(text.partition("Error distribution:")[2])
        failures["error"] = sum(int(count) for count, _ in errors)
        gathering.add_totals(
            Totals(
                completed=completed,
                failures=failures,
                codes=codes,
                mean_ms=mean_ms,
                figures=figures,
                lasted_s=number_of(find(rf"^\s*Total:{_SECONDS}", text, "Total")[1], 1, "Total"),
            )
        )
        gathering.count_messages({message.strip(): int(count) for count, message in errors})
