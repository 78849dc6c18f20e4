"""The meaning of JMeter's samples, in CSV and XML: a request or a transaction, right or failed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...base.errors import ConfigurationError
from ..counts import Answered
from ..gathering import Gathering
from .reader import number_of

WHOLE = "JMeter writes whole milliseconds: figures of few milliseconds are rough"
BY_CODE = "samples without a success field are judged by their response code: 200 to 399 is right"
_TRANSACTION = re.compile(r"Number of samples in transaction : (\d{1,9})")


@dataclass(frozen=True)
class Sample:
    """One sample as JMeter wrote it, each field as text and empty if it is missing."""

    begun_ms: str
    elapsed_ms: str
    label: str
    success: str
    code: str
    message: str
    thread: str
    users: str
    failure_message: str

    def to_answered(self, line: int) -> Answered:
        """The request of the sample. Raises ConfigurationError for an invalid field."""
        if not (self.begun_ms.isascii() and self.begun_ms.isdecimal()):
            raise ConfigurationError(
                f"line {line}: the instant '{self.begun_ms[:40]}' is not in milliseconds",
                hint="jmeter -Jjmeter.save.saveservice.timestamp_format=ms",
            )
        ms = number_of(self.elapsed_ms, line, "elapsed")
        failure = self._failure(line)
        return Answered(
            ended_s=(number_of(self.begun_ms, line, "timeStamp") + ms) / 1000,
            ms=ms,
            operation=self.label,
            failure=failure,
            users=int(self.users) if re.fullmatch(r"[0-9]{1,6}", self.users) else None,
            code=self.code,
            message=(self.failure_message or self.message) if failure else "",
            thread=self.thread,
        )

    def requests_within(self) -> int | None:
        """The number of requests of the transaction. None for a request."""
        match = _TRANSACTION.match(self.message)
        return int(match[1]) if match else None

    def add_to(self, gathering: Gathering, line: int) -> None:
        """Count the sample. Raises ConfigurationError."""
        answered, requests = self.to_answered(line), self.requests_within()
        if not self.success:
            gathering.notes[BY_CODE] = None
        if requests is None:
            gathering.add(answered, line)
        else:
            gathering.add_transaction(answered, requests, line)

    def _failure(self, line: int) -> str:
        """The kind of failure. Empty if the answer was right."""
        success = self.success.lower()
        is_status = self.code.isascii() and self.code.isdecimal() and len(self.code) == 3
        if success == "true" or (not success and is_status and "200" <= self.code < "400"):
            return ""
        if success not in ("", "false"):
            raise ConfigurationError(f"line {line}: success is '{self.success[:40]}', not true or false")
        if not success and not self.code:
            raise ConfigurationError(f"line {line}: it has neither success nor a response code")
        if is_status:
            return "assertion" if "200" <= self.code < "400" else f"status {self.code}"
        return self.code.rpartition(": ")[2].rpartition(".")[2] or "failed"
