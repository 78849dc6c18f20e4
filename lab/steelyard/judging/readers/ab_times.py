"""ab's table of requests (`ab -g FILE`): the second of the start since 1970, and times in ms."""

from __future__ import annotations

from typing import IO

from ..counts import Answered
from ..gathering import Gathering
from .reader import ResultReader, Row, instant_of, number_of, read_rows
from .started_requests import ALL_REQUESTS

WHOLE = "ab writes starts in whole seconds and times in whole milliseconds, so short figures are rough"


class AbTimes(ResultReader):
    """`ttime` is the time of a request with its connection."""

    title = "ab (-g)"
    mark = "the columns starttime, seconds, ctime, dtime and ttime"
    closed_loop = True
    cannot_show = ("how many requests failed: the table has no column for failures and statuses",)

    def recognizes(self, head: str) -> bool:
        return head.lstrip("\ufeff").startswith("starttime\tseconds\tctime\tdtime\tttime")

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[WHOLE] = None

        def take_row(row: Row, line: int) -> None:
            ms = number_of(row["ttime"], line, "ttime")
            gathering.add(Answered(instant_of(row["seconds"], line) + ms / 1000, ms, ALL_REQUESTS), line)

        read_rows(file, gathering, take_row, "seconds", "ttime")
