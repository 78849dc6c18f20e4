"""Bounded storage of recorded traffic: each distinct request once, and whether its answers stayed the same."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from lxml import etree

from ...base.errors import ContractError
from ..soap.messages import parse
from .recorded_server import PassedAnswer, PassedRequest

MOST_REQUESTS = 10_000  # different ones
MOST_BYTES = 64 * 2**20  # of all stored requests and answers
MOST_BODY_BYTES = 2**20  # of a request's body, or of an answer that later must be equal


@dataclass
class Exchanged:
    """A request with its first answer.

    It was sent `times` times; `same_bytes` and `same_values` tell whether all answers had the same status and the same
    body, or the same JSON or XML values.
    """

    request: PassedRequest
    answer: PassedAnswer
    times: int = 1
    statuses: Counter[int] = field(default_factory=Counter)
    same_bytes: bool = True
    same_values: bool = True

    @property
    def is_stable(self) -> bool:
        """Whether all answers were the same; False for a request that was sent once."""
        return self.times > 1 and self.same_values

    def add(self, answer: PassedAnswer) -> None:
        """Compare a further answer with the first."""
        self.times += 1
        self.statuses[answer.status] += 1
        if answer.status == self.answer.status and answer.body == self.answer.body:
            return
        self.same_bytes = False
        if self.same_values:  # once different, always different
            self.same_values = answer.status == self.answer.status and _same_content(answer.body, self.answer.body)


class Remembered:
    """All recorded traffic: `passed` counts answered requests, `failed` those without an answer by reason, `beyond`
    those over the limit, `set_cookies` answers that set a cookie."""

    def __init__(self, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES) -> None:
        self._most_requests = most_requests
        self._bytes_left = most_bytes
        self._by_content: dict[tuple[str, str, str, bytes], Exchanged] = {}
        self.passed = 0
        self.beyond = 0
        self.set_cookies = 0
        self.failed: Counter[str] = Counter()

    @property
    def exchanges(self) -> list[Exchanged]:
        """The recorded exchanges, in the order of their first request."""
        return list(self._by_content.values())

    def add(self, request: PassedRequest, answer: PassedAnswer) -> None:
        """Store a request and its answer, or count its repetition."""
        self.passed += 1
        self.set_cookies += bool(answer.header("set-cookie"))
        key = (request.method, request.path, request.header("soapaction"), request.body)
        known = self._by_content.get(key)
        if known is not None:
            known.add(answer)
            return
        head = sum(len(name) + len(value) for name, value in request.headers)
        size = head + len(request.path) + len(request.body) + len(answer.body)
        if len(self._by_content) == self._most_requests or size > self._bytes_left:
            self.beyond += 1
            return
        self._bytes_left -= size
        self._by_content[key] = Exchanged(request, answer, statuses=Counter([answer.status]))


def _same_content(body: bytes, other: bytes) -> bool:
    """Whether two bodies have the same JSON values, or the same XML whatever its spelling."""
    if max(len(body), len(other)) > MOST_BODY_BYTES:
        return False
    try:
        if body.lstrip()[:1] == b"<":
            return _canonical(body) == _canonical(other)
        return bool(json.loads(body) == json.loads(other))
    except (ValueError, RecursionError, ContractError):
        return False


def _canonical(body: bytes) -> bytes:
    return bytes(etree.tostring(parse(body), method="c14n"))
