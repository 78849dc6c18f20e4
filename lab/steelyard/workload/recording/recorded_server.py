"""The recorded server: each request is forwarded to it over a connection of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...base.http_client import HttpClient, OnHead
from ...base.paths import HOST_NAMES
from .. import allowed_hosts
from ..digest import tls_context
from ..importing.documents import origin
from ..importing.other_tools.imported_requests import OF_THE_CONNECTION
from ..load_target import LoadTarget

MOST_BYTES = 16 * 2**20  # of a request's body, and of an answer
ANSWER_SECONDS = 60.0
_OF_THE_CONNECTION = {"proxy-authenticate", "proxy-authorization", *OF_THE_CONNECTION}
_SET_ANEW = {"host", "content-length", "accept-encoding"}


@dataclass(frozen=True)
class PassedRequest:
    """A request as the proxy received it: `path` with its query."""

    method: str
    path: str
    headers: Sequence[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """The value of the first header with a name; empty if there is none."""
        return next((value for own, value in self.headers if own.lower() == name), "")


@dataclass(frozen=True)
class PassedAnswer:
    """The server's answer without the headers of its connection."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """The value of the first field of a name; empty if there is none."""
        return next((value for own, value in self.headers if own.lower() == name), "")


def passed_fields(fields: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The fields of an answer's head without those that belong to its connection."""
    return [(name, value) for name, value in fields if name.lower() not in _OF_THE_CONNECTION]


class RecordedServer:
    """A server on this machine, or allowed by its service file. Raises TargetError if it is neither."""

    def __init__(self, load_target: LoadTarget) -> None:
        target = allowed_hosts.target_of(load_target)
        self.address = load_target.address
        self.max_rate = (
            None
            if allowed_hosts.is_this_machine(allowed_hosts.addresses_of(load_target.address))
            else load_target.max_rate
        )
        self._context = tls_context(load_target)
        # Connect to the address that was checked: a name of this machine is not resolved again.
        self._addresses = [str(address) for address in target.addresses]

    def spellings(self) -> list[str]:
        """The spellings of the server's address that its answers may use."""
        parts = urlsplit(self.address)
        whole = origin(self.address)
        here = [whole.replace(f"//{parts.hostname}:", f"//{name}:") for name in HOST_NAMES]
        local = parts.hostname in HOST_NAMES
        return list(dict.fromkeys([self.address, whole, *(here if local else [])]))

    def answer(self, request: PassedRequest, on_head: OnHead | None = None) -> PassedAnswer:
        """The server's answer; raises NoAnswerError if it is not complete in time. The request is sent once.

        `on_head` may take the pieces of the body as they arrive, see HttpClient.
        """
        conversation = HttpClient(
            self.address,
            ANSWER_SECONDS,
            most_bytes=MOST_BYTES,
            once=True,
            context=self._context,
            addresses=self._addresses,
        )
        try:
            received = conversation.ask(
                request.method, request.path, request.body or None, self._headers(request), on_head
            )
        finally:
            conversation.close()
        return PassedAnswer(received.status, passed_fields(received.fields), received.body)

    def _headers(self, request: PassedRequest) -> dict[str, str]:
        """The headers to forward, without compression, so that answers can be stored."""
        listed = {name.strip().lower() for name in request.header("connection").split(",")}
        names = Counter(name.lower() for name, _ in request.headers)
        headers: dict[str, str] = {}
        for name, value in request.headers:
            if name.lower() in _OF_THE_CONNECTION | _SET_ANEW or name.lower() in listed:
                continue
            between = "; " if name.lower() == "cookie" else ", "
            several = names[name.lower()] > 1 and name.lower() in headers
            headers[name.lower()] = f"{headers[name.lower()]}{between}{value}" if several else value
        return {
            **headers,
            "Host": urlsplit(self.address).netloc,
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
