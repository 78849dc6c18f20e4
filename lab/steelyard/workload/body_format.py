"""Body formats: how answers are compared, and which spellings, bad requests and faults a format has.

One file per format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import ClassVar

from ..base.http_client import Answer
from ..catalogue.entries import Entry
from ..models.job import Rule
from ..models.service import Exchange, Service


@dataclass(frozen=True)
class Spelling:
    """A request body as bytes, the name of its spelling, and its `content_type` if it is not the service's."""

    name: str
    body: bytes
    content_type: str | None = None


@dataclass(frozen=True)
class BadRequest:
    """A request that must be refused: its name, its body, the operation whose headers it has, and further `headers`."""

    name: str
    body: bytes
    operation: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Echo:
    """A request whose answer repeats a text of the request: the request before and after that text."""

    operation: str
    before: str
    after: str

    def with_text(self, text: str) -> bytes:
        """The request with another text, escaped for its format."""
        return (self.before + text + self.after).encode()


class BodyFormat(ABC):
    """The format of a service's bodies, which gives its exchanges their meaning.

    `request_ending` and `answer_ending` are the endings of its files in contract/. `content_type` is the default of
    requests, and `fault_status` the usual HTTP status of a fault. `answers_may_lack`: a written exchange may lack its
    expected answer, which is then an empty text. `has_headers`: requests can have headers of their own.
    """

    request_ending: ClassVar[str]
    answer_ending: ClassVar[str]
    content_type: ClassVar[str]
    fault_status: ClassVar[int] = HTTPStatus.BAD_REQUEST
    answers_may_lack: ClassVar[bool] = False
    has_headers: ClassVar[bool] = True

    def __init__(self, service: Entry[Service]) -> None:
        self.service = service

    @abstractmethod
    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        """How an answer differs from the expected one of an operation, as a sentence;

        None if they have the same values.
        """

    def check_fields(self, answer: Answer, exchange: Exchange) -> str | None:
        """How the headers of an answer contradict the expected answer, as a sentence; None if they do not."""
        del answer, exchange
        return None

    @property
    def remembered_values(self) -> Mapping[str, str]:
        """The wildcard values of earlier answers by name; empty for formats without wildcards."""
        return {}

    def remember(self) -> None:
        """Remember the wildcard values of the last right answer for later exchanges."""
        return

    def body(self, text: str) -> bytes:
        """The bytes of a body that an exchange holds as text; raises ContractError if the text is invalid."""
        return text.encode()

    @classmethod
    def text(cls, body: bytes) -> str:
        """A body as text for an exchange; raises UnicodeDecodeError if it cannot be text."""
        return body.decode()

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        """The request as given, then in each other spelling with the same meaning."""
        yield Spelling("as given", self.body(exchange.request))

    def request_value(self, body: bytes) -> object:
        """A request's value, which is equal (`==`) for all spellings with the same meaning; raises ContractError if it
        cannot be parsed."""
        return body

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        """The requests that any service of this format must refuse, made from its written exchanges; one may request
        the content of `file`."""
        del written, file
        return []

    def echo(self, written: Sequence[tuple[str, Exchange]]) -> Echo | None:
        """An exchange that could reveal the content of a file; None if no request of this format can name a file."""
        del written
        return None

    def readable(self, answer: bytes) -> bytes:
        """The body of an answer in readable form, for example decrypted."""
        return answer

    def refusal_problem(self, answer: Answer) -> str | None:
        """Why an answer to a bad request is not a refusal; None if it is one."""
        refused = HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
        return None if refused else f"HTTP status {answer.status}, but 400 to 499 is expected"

    def status(self, exchange: Exchange) -> int:
        """The HTTP status of the right answer."""
        return exchange.status or (self.fault_status if exchange.fault else HTTPStatus.OK)

    def rule(self, exchange: Exchange) -> Rule:
        """The rule by which the engine checks each answer quickly: status, and a text that only the right answer
        holds."""
        return Rule(status=[self.status(exchange)], fault="any", contains=exchange.marker)


def first_difference(got: object, wanted: object, place: str = "") -> str:
    """The first difference of two unequal trees of dicts and lists, as a sentence; `place` is the path to them."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        for key in (*wanted, *got):
            if key not in got or key not in wanted:
                return f"{place}/{_local(key)} is {'missing' if key in wanted else 'not expected'}"
            if got[key] != wanted[key]:
                return first_difference(got[key], wanted[key], f"{place}/{_local(key)}")
    if isinstance(got, list) and isinstance(wanted, list):
        if len(got) != len(wanted):
            return f"{place or 'the answer'} holds {len(got)} items, expected {len(wanted)}"
        for index, (item, expected) in enumerate(zip(got, wanted, strict=True)):
            if item != expected:
                return first_difference(item, expected, f"{place}[{index}]")
    return f"{place or 'the answer'} is {got!r:.80}, expected {wanted!r:.80}"


def _local(key: str) -> str:
    return key.rpartition("}")[2]
