"""JMeter's results as a table (.jtl, .csv): a row a sample, times in milliseconds."""

from __future__ import annotations

from typing import IO

from ...base.errors import ConfigurationError
from ..gathering import Answered, Gathering
from .reader import ResultReader, number_of, rows_of

TRANSACTION = "Number of samples in transaction"
TRANSACTIONS = "rows of transaction controllers are left out: they repeat the samples within them"
WHOLE = "JMeter writes whole milliseconds: figures of few milliseconds are rough"


class JMeterCsv(ResultReader):
    """With a header, and instants in milliseconds, both of which are JMeter's defaults."""

    title = "JMeter (CSV)"

    def knows(self, head: str) -> bool:
        first = head.partition("\n")[0]
        return "timeStamp" in first and "elapsed" in first and not first.lstrip().startswith("<")

    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        gathering.notes[WHOLE] = None
        for line, row in rows_of(file, gathering):
            if row.get("responseMessage", "").startswith(TRANSACTION):
                gathering.notes[TRANSACTIONS] = None
                continue
            begun, took = (row.get(name, "") for name in ("timeStamp", "elapsed"))
            if not begun.isdecimal():
                raise ConfigurationError(
                    f"line {line}: the instant '{begun[:40]}' is not in milliseconds",
                    hint="jmeter -Jjmeter.save.saveservice.timestamp_format=ms",
                )
            ms = number_of(took, line, "elapsed")
            ended_s = (number_of(begun, line, "timeStamp") + ms) / 1000
            failure = failure_of(row.get("success", ""), row.get("responseCode", ""))
            answered = Answered(ended_s, ms, row.get("label", ""), failure, users_of(row.get("allThreads", "")))
            gathering.add(answered, line)


def users_of(text: str) -> int | None:
    """How many users a sample saw; None where it does not say."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else None


def failure_of(success: str, code: str) -> str:
    """The kind of a sample's failure; empty where it was right."""
    if success.lower() == "true":
        return ""
    if code.isdecimal():
        return f"status {code}" if int(code[:6]) >= 400 else "assertion"
    return code.rpartition(": ")[2].rpartition(".")[2] or "failed"
