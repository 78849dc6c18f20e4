"""Converts a recorded exchange to a sample without secrets; leaves out requests that a sample cannot represent."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import unquote

from ...base.errors import ContractError
from ..importing.convert_requests import hidden_why
from ..importing.names import ENVELOPES
from ..importing.other_tools.har import OF_A_BROWSER
from ..importing.other_tools.imported_requests import HeldRequest, ImportedRequests, LeftOutError
from ..importing.secrets import clean_request
from ..mocking.answers import element_inside
from ..soap.messages import parse
from .proxy import asks_for_a_description
from .remembering import MOST_BODY_BYTES, Exchanged
from .secret_values import repeats, secret_values

# Headers of the client and its connection, not of the request; `load` sends its own.
_DROPPED = frozenset(
    ["user-agent", "origin", "referer", "host", "content-length", "connection", "transfer-encoding", "expect"]
)


@dataclass(frozen=True)
class CleanExchange:
    """An exchange with places instead of the request's secrets. No written text may contain one of `secrets`.

    `is_secret`: the body or address held a secret, which the answer may repeat. `soap` identifies SOAP messages by the
    element in the body and the action; empty for others.
    """

    exchanged: Exchanged
    request: HeldRequest
    soap: tuple[str, str]
    secrets: frozenset[str]
    is_secret: bool

    @property
    def key(self) -> tuple[object, ...]:
        """The key that exchanges of one operation share."""
        path, _, query = self.request.url.partition("?")
        parameters = query if self.request.body else tuple(pair.partition("=")[0] for pair in query.split("&"))
        return self.request.method, path, parameters, self.soap


def clean_exchange(exchanged: Exchanged, address: str, held: ImportedRequests, known: Collection[str]) -> CleanExchange:
    """An exchange without secrets, including those `known` from others; raises LeftOutError if its request cannot be a
    sample."""
    request = exchanged.request
    if asks_for_a_description(request.path):
        raise LeftOutError("it requests a description: `steelyard import` makes a folder from that, with its schema")
    body = _text(exchanged)
    try:
        unquote(request.path, errors="strict")
    except UnicodeDecodeError:
        raise LeftOutError("its address is not UTF-8 text") from None
    headers = tuple(
        (name, value)
        for name, value in request.headers
        if not OF_A_BROWSER.match(name) and name.lower() not in _DROPPED
    )
    made = clean_request(HeldRequest("", request.method, address + request.path, headers=headers, body=body))
    for header in made.hidden:
        held.leave_out(f"header {header}", hidden_why(header))
    secrets = secret_values(exchanged).union(known)
    heads = [value for _, value in made.request.headers]
    if repeats("\n".join([made.request.url, made.request.body, *heads]), secrets):
        raise LeftOutError("its address or body repeats a secret from a header")
    is_secret = (made.request.url, made.request.body) != (address + request.path, body)
    return CleanExchange(exchanged, made.request, _soap_of(exchanged), frozenset(secrets), is_secret)


def _text(exchanged: Exchanged) -> str:
    """A request's body as text; raises LeftOutError if a sample cannot hold it."""
    request = exchanged.request
    if len(request.body) > MOST_BODY_BYTES:
        raise LeftOutError(f"its body is larger than {MOST_BODY_BYTES >> 20} MiB; it was forwarded but not recorded")
    if request.header("content-type").lower().startswith("multipart/"):
        raise LeftOutError("its body is multipart, which a sample cannot hold")
    if request.header("content-encoding"):
        raise LeftOutError("its body was compressed")
    try:
        body = request.body.decode()
    except UnicodeDecodeError:
        raise LeftOutError("its body is not UTF-8 text, and a sample must be") from None
    if body.lstrip().startswith("<"):
        try:
            parse(request.body)
        except ContractError:
            raise LeftOutError("its body is not well-formed XML, or has a document type") from None
    return body


def _soap_of(exchanged: Exchanged) -> tuple[str, str]:
    body = exchanged.request.body
    if not any(space.encode() in body for space in ENVELOPES.values()):
        return "", ""
    return element_inside(body) or "", exchanged.request.header("soapaction").strip('" ')
