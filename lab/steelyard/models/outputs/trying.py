"""What `try` and `mock` print of what they started."""

from __future__ import annotations

from ..strict import Strict
from .own_service import LeftOut


class TriedProcess(Strict):
    """A process of what `try` started: its role, what it is, the port that it listens on, and its log."""

    role: str
    server: str
    title: str
    version: str
    port: int
    log: str


class TriedPage(Strict):
    """A page for a browser, and what there is to know before."""

    address: str
    meaning: str


class TriedRequest(Strict):
    """A request of one operation: `curl` is the command that sends `body`, which lies in a file until the end; both are null
    where it goes on with a visit that other requests begin, and `body` where it has none."""

    operation: str
    meaning: str
    curl: str | None
    body: str | None


class TryOutput(Strict):
    """`try --json`: a server with a service that runs until it is ended, printed once it is ready.

    Of the `processes` the first is the one that is asked, and `factors` are its own. `wsdl` is the address at which it tells its
    own description, else the contract's file, null where there is neither; `folder` holds logs and bodies until the end.
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
    """An operation that a stand-in answers: where its usual answer comes from, in words (`origin`), and how many requests it
    answered rightly and how many it failed as it was told."""

    operation: str
    origin: str
    answered: int
    failed: int


class MockOutput(Strict):
    """`mock --json`, printed at the end: what a stand-in for a service answered at its address. `unknown` counts requests that were
    of no operation, `left_out` are operations that it answers nothing to."""

    service: str
    address: str
    operations: list[MockOperation]
    unknown: int
    left_out: list[LeftOut]
