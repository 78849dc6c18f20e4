"""Tables with a row for each answered request: its start and response time in seconds, and its status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from ..counts import Answered
from ..gathering import Gathering
from .reader import Row, number_of, read_rows
from .summaries import BY_STATUS, failure_of_status

ALL_REQUESTS = "all requests"
UNANSWERED = "how many requests had no answer: the table leaves them out"


@dataclass(frozen=True)
class StartColumns:
    """The names of the columns with start, response time and status."""

    start: str
    seconds: str
    status: str


def read_started_requests(file: IO[bytes], gathering: Gathering, columns: StartColumns) -> None:
    """Count all requests of a table. Raises ConfigurationError with the line."""
    gathering.notes[BY_STATUS] = None

    def take_row(row: Row, line: int) -> None:
        seconds = number_of(row[columns.seconds], line, columns.seconds)
        gathering.add(
            Answered(
                ended_s=number_of(row[columns.start], line, columns.start) + seconds,
                ms=seconds * 1000,
                operation=ALL_REQUESTS,
                failure=failure_of_status(row[columns.status]),
                code=row[columns.status],
            ),
            line,
        )

    read_rows(file, gathering, take_row, columns.start, columns.seconds, columns.status)
