"""The output of `try` and `mock`."""

from __future__ import annotations

from ..strict import Strict
from .own_service import LeftOut


class TriedProcess(Strict):
    """A process that `try` started: its role, its server, its port, and its log."""

    role: str
    server: str
    title: str
    version: str
    port: int
    log: str


class TriedPage(Strict):
    """A page for a browser, and a note for its visitor."""

    address: str
    meaning: str


class TriedRequest(Strict):
    """A request of one operation: `curl` is the command that sends `body`, stored in a file until the end; both are null
    where it continues a session that other requests begin, and `body` where it has none."""

    operation: str
    meaning: str
    curl: str | None
    body: str | None


class TryOutput(Strict):
    """`try --json`: a server with a service that runs until it is ended, printed once it is ready.

    The first of the `processes` takes the requests, and `factors` are its own. `wsdl` is the address of its own description, else
    the contract's file, null without either; `folder` holds logs and bodies until the end.
    """

    service: str
    title: str
    address: str
    wsdl: str | None
    pages: list[TriedPage]
    requests: list[TriedRequest]
    processes: list[TriedProcess]
    factors: dict[str, str]
    folder: str


class MockOperation(Strict):
    """An operation that a mock answers: the source of its usual answer, in words (`origin`), and the numbers of requests that
    it answered correctly, and that it failed deliberately."""

    operation: str
    origin: str
    answered: int
    failed: int


class MockOutput(Strict):
    """`mock --json`, printed at the end: the answers of a mock of a service. `unknown` counts requests of no operation,
    `left_out` are operations without an answer."""

    service: str
    address: str
    operations: list[MockOperation]
    unknown: int
    left_out: list[LeftOut]
