"""JMeter's results as CSV (.jtl, .csv): one row for each sample, times in milliseconds, in order of their ends."""

from __future__ import annotations

from typing import IO

from ...base.errors import ConfigurationError
from ..gathering import Gathering
from .jmeter import WHOLE, Sample
from .reader import ResultReader, Row, read_rows


class JMeterCsv(ResultReader):
    """With a header, and times in milliseconds, both JMeter's defaults."""

    title = "JMeter (CSV)"
    mark = "the columns timeStamp and elapsed"

    def recognizes(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "timeStamp" in first and "elapsed" in first and not first.lstrip().startswith("<")

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[WHOLE] = None

        def take_row(row: Row, line: int) -> None:
            if "success" not in row and "responseCode" not in row:
                raise ConfigurationError(
                    "line 1: the columns 'success' and 'responseCode' are both missing",
                    hint="jmeter -Jjmeter.save.saveservice.successful=true",
                )
            sample_of(row).add_to(gathering, line)

        read_rows(file, gathering, take_row, "timeStamp", "elapsed")


def sample_of(row: Row) -> Sample:
    """The sample of a row. Fields without a column are empty."""
    names = ("timeStamp", "elapsed", "label", "success", "responseCode", "responseMessage")
    return Sample(*(row.get(name, "") for name in (*names, "threadName", "allThreads", "failureMessage")))
