"""hey's table of requests (`hey -o csv`)."""

from __future__ import annotations

from typing import IO

from ..counts import Answered
from ..gathering import Gathering
from ..limits import Holds
from .reader import ResultReader, Row, number_of, read_rows
from .started_requests import ALL_REQUESTS, UNANSWERED, StartColumns, read_started_requests

_COLUMNS = StartColumns(start="offset", seconds="response-time", status="status-code")


class HeyCsv(ResultReader):
    """Response time and start (since the load began) in seconds, and the status."""

    title = "hey (CSV)"
    mark = "the columns response-time and offset"
    closed_loop = True
    cannot_show = (UNANSWERED,)

    def recognizes(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "response-time,DNS+dialup" in first and ",offset" in first

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        read_started_requests(file, gathering, _COLUMNS)


class HeyCsvWithoutStarts(ResultReader):
    """The table of early versions of hey, which has response times alone."""

    title = "hey (CSV without offsets)"
    mark = "the column response-time, without the column offset"
    holds = Holds.TIMES
    closed_loop = True
    cannot_show = (UNANSWERED, "which answers had a wrong status: the table has no column for it")

    def recognizes(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "response-time,DNS+dialup" in first and ",offset" not in first

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.lasted_s = 0.0

        def take_row(row: Row, line: int) -> None:
            ms = number_of(row["response-time"], line, "response-time") * 1000
            gathering.add(Answered(ended_s=ms / 1000, ms=ms, operation=ALL_REQUESTS), line)

        read_rows(file, gathering, take_row, "response-time")
