"""Java RMI calls: JSON holds the arguments and the result, and the driver converts them to values of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path

from ...base.http_client import Answer
from ...models.job import Rule
from ...models.service import Exchange
from ..body_format import BadRequest, Spelling
from .json_values import JsonValues, value_difference

# Requests that no client compiled against the contract would send; the driver can (engine/rmi, Ask).
_INSTEAD = ("class-not-allowed", "class-not-due", "unknown-method", "unknown-object")


class RmiValues(JsonValues):
    """A request is an object with a value for each parameter; an answer is the returned value, or null.

    An exception is reported as status 500. There is one spelling, since Java serializes the objects.
    """

    request_ending = answer_ending = "rmi"
    fault_status = HTTPStatus.INTERNAL_SERVER_ERROR
    has_headers = False

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        del operation
        return value_difference(answer, expected, self.service.model.singles)

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        yield Spelling("as given", self.body(exchange.request))

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        from ..rmi_client import INSTEAD  # imported late: it needs the hosts, as no other format does

        del file  # no value can name a file
        exchange = next((each for _, each in written if each.request != "{}"), None)
        if exchange is None:
            return []
        body = self.body(exchange.request)
        return [BadRequest(name, body, exchange.operation, {INSTEAD: name}) for name in _INSTEAD]

    def refusal_problem(self, answer: Answer) -> str | None:
        return (
            None
            if answer.status == HTTPStatus.INTERNAL_SERVER_ERROR
            else "an answer came, but an exception is expected"
        )

    def rule(self, exchange: Exchange) -> Rule:
        """The marker is in a text of the answer."""
        return Rule(fault="absent", contains=exchange.marker)
