"""What an exchange means: how answers are compared, and which spellings, bad requests and faults there are. One file a meaning."""

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
    """A request body as bytes, with the name of what is peculiar to it; `content_type` where it is not the service's."""

    name: str
    body: bytes
    content_type: str | None = None


@dataclass(frozen=True)
class BadRequest:
    """A request that must be refused: its name, its body, and the operation whose headers it has, beside `headers`."""

    name: str
    body: bytes
    operation: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Echo:
    """A request whose answer holds a text of its own: what stands before that text, and after it."""

    operation: str
    before: str
    after: str

    def with_text(self, text: str) -> bytes:
        """The request with another text, written as its format needs."""
        return (self.before + text + self.after).encode()


class BodyFormat(ABC):
    """What the exchanges of one service mean.

    `request_ending` and `answer_ending` are how its files in contract/ end, `content_type` is what a request is sent as unless
    the service says otherwise, and `fault_status` is a fault's usual HTTP status. `answers_may_lack` where a written exchange needs
    no expected answer: the empty text stands for it. `has_headers`: whether a request can hold more than its body.
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
        """How an answer differs from the one expected of an operation, as a sentence; None if they mean the same."""

    def check_fields(self, answer: Answer, exchange: Exchange) -> str | None:
        """What the fields of an answer say against its being the one expected, as a sentence; None if they say nothing."""
        del answer, exchange
        return None

    @property
    def remembered_values(self) -> Mapping[str, str]:
        """What the holes of earlier answers held, by their names; nothing where answers of this meaning have none."""
        return {}

    def remember(self) -> None:
        """Keep what the holes of the last right answer held, for the exchanges that follow."""
        return

    def body(self, text: str) -> bytes:
        """The bytes of a body that an exchange holds as text; raises ContractError if it is none."""
        return text.encode()

    @classmethod
    def text(cls, body: bytes) -> str:
        """A body as an exchange holds it, as text; raises UnicodeDecodeError if it is none."""
        return body.decode()

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        """The request as it stands, then in each other spelling that means the same."""
        yield Spelling("as given", self.body(exchange.request))

    def request_value(self, body: bytes) -> object:
        """What a request says, as a value that is equal (`==`) for all spellings that mean the same; raises ContractError if it
        cannot be read."""
        return body

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        """What any service of this meaning must refuse, made of its written exchanges; one may ask for the content of `file`."""
        del written, file
        return []

    def echo(self, written: Sequence[tuple[str, Exchange]]) -> Echo | None:
        """The exchange that would show the content of a file; None if no request of this meaning can name one."""
        del written
        return None

    def readable(self, answer: bytes) -> bytes:
        """What the server said in an answer's body, whatever was done to it on the way."""
        return answer

    def refusal_problem(self, answer: Answer) -> str | None:
        """Why an answer to a bad request is no refusal; None if it is."""
        refused = HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
        return None if refused else f"HTTP status {answer.status}, where one of 400 to 499 is due"

    def status(self, exchange: Exchange) -> int:
        """The HTTP status of the right answer."""
        return exchange.status or (self.fault_status if exchange.fault else HTTPStatus.OK)

    def rule(self, exchange: Exchange) -> Rule:
        """How the engine judges each answer cheaply: status, and a text that only the right answer holds."""
        return Rule(status=[self.status(exchange)], fault="any", contains=exchange.marker)


def first_difference(got: object, wanted: object, place: str = "") -> str:
    """Where two trees of dicts and lists that are not equal first differ, as a sentence; `place` is the path that leads there."""
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
