"""oha's table of requests (`oha --output-format csv`)."""

from __future__ import annotations

from typing import IO

from ..gathering import Gathering
from .reader import ResultReader
from .started_requests import UNANSWERED, StartColumns, read_started_requests

_COLUMNS = StartColumns(start="request-start", seconds="request-duration", status="status")


class OhaCsv(ResultReader):
    """Start (since the load began) and response time in seconds, and the status."""

    title = "oha (CSV)"
    mark = "the columns request-start and request-duration"
    cannot_show = (UNANSWERED,)

    def recognizes(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "request-start," in first and "request-duration" in first

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        read_started_requests(file, gathering, _COLUMNS)
