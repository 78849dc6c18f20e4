"""h2load's log (`h2load --log-file=FILE`): start in µs since 1970, status (-1: failed) and response time in µs."""

from __future__ import annotations

import re
from typing import IO

from ..counts import Answered
from ..gathering import Gathering
from .reader import ResultReader, Row, number_of, read_rows
from .started_requests import ALL_REQUESTS
from .summaries import BY_STATUS, failure_of_status

_COLUMNS = ("start", "status", "time")
_FAILED = "-1"


class H2loadLog(ResultReader):
    """Three columns, separated by tabs, without a header."""

    title = "h2load (log)"
    mark = "rows of start in µs, status and time in µs, separated by tabs"
    closed_loop = True

    def recognizes(self, head: str) -> bool:
        return re.match(r"\d{15,17}\t(?:-1|\d{3})\t\d{1,12}(?:\r?\n|$)", head) is not None

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[BY_STATUS] = None

        def take_row(row: Row, line: int) -> None:
            begun_s, ms = number_of(row["start"], line, "start") / 1e6, number_of(row["time"], line, "time") / 1e3
            failed = row["status"] == _FAILED
            gathering.add(
                Answered(
                    ended_s=begun_s + ms / 1000,
                    ms=ms,
                    operation=ALL_REQUESTS,
                    failure="error" if failed else failure_of_status(row["status"]),
                    code="" if failed else row["status"],
                ),
                line,
            )

        read_rows(file, gathering, take_row, columns=_COLUMNS)
