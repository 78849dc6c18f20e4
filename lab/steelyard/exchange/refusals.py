"""Bad requests: what every server must refuse, and survive; and whether one gives away a file of its machine."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ..base.conversation import Conversation
from ..base.errors import ContractError
from ..catalogue.entries import Entry
from ..models.service import Service
from ..provision.subject import BUSY_HEADER
from . import exchanges
from .contract import request_headers
from .soap import meaning as soap
from .soap.spellings import bare_envelope, respell

LEAK = "leak"  # the name of a fault that no deviation excuses


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

    def saying(self, text: str) -> bytes:
        """The request with another text, as XML."""
        return (self.before + text + self.after).encode()


def echo(service: Entry[Service]) -> Echo:
    """The first written exchange whose answer repeats a text of its request; raises ContractError where none does."""
    for name, exchange in exchanges.written(service):
        answered = {element.text for element in soap.parse(exchange.answer).iter()}
        for element in soap.parse(exchange.request).iter(etree.Element):
            if (element.text or "").isalpha() and element.text in answered:
                before, _, after = exchange.request.partition(f">{element.text}<")
                return Echo(name.partition("/")[0], f"{before}>", f"<{after}")
    raise ContractError(
        f"no exchange of {service.name} repeats a text of its request, so no leak of a file can be seen",
        hint="add one to contract/exchanges",
    )


def _without_declaration(document: bytes) -> bytes:
    return document.rpartition(b"?>")[2].lstrip()


def bad_requests(service: Entry[Service], file: Path) -> list[BadRequest]:
    """Requests that every server must refuse with a SOAP fault or a status of 400 to 499, and survive.

    One asks for the content of `file`. Beside these, which suit any service, the contract's own stand in
    contract/bad/<name>.request.xml.
    """
    good = next(iter(respell(exchanges.written(service)[0][1].request))).body
    document = _without_declaration(good)
    first, described = next(iter(service.model.operations.items()))
    space = service.model.namespace
    expansion = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 20}">' for n in range(8))
    expanding = bare_envelope(f'<w:{described.element} xmlns:w="{space}">&e8;</w:{described.element}>')
    own = sorted((service.folder / "contract" / "bad").glob("*.request.xml"))
    bodies = {
        "malformed-xml": good[: len(good) // 2],
        "not-xml": b"this is not XML",
        "empty-body": b"",
        "unknown-operation": bare_envelope(f'<w:noSuchOperation xmlns:w="{space}"/>'),
        "unknown-namespace": bare_envelope(f'<w:{described.element} xmlns:w="urn:somebody:else"/>'),
        "two-roots": good + document,
        "ten-megabytes": b"<a>" + b"x" * 10_000_000,
        "doctype": b'<!DOCTYPE any [<!ENTITY e "x">]>' + document,
        "entity-expansion": f'<!DOCTYPE any [<!ENTITY e0 "aaaaaaaaaa">{expansion}]>'.encode() + expanding,
        **{path.name.removesuffix(".request.xml"): path.read_bytes() for path in own},
    }
    echoing = echo(service)
    naming = f'<!DOCTYPE any [<!ENTITY e SYSTEM "{file.as_uri()}">]>'.encode() + _without_declaration(
        echoing.saying("&e;")
    )
    return [
        *(BadRequest(name, body, first) for name, body in bodies.items()),
        BadRequest("external-entity", naming, echoing.operation),
        BadRequest("busy-beyond-a-second", good, first, {BUSY_HEADER: "1000000.5"}),
        BadRequest("busy-no-number", good, first, {BUSY_HEADER: "NaN"}),
    ]


def refuse(service: Entry[Service], url: str, own: Mapping[str, str]) -> dict[str, str]:
    """What `url` did wrong with each bad request, by its name; empty where all were refused properly.

    `own` are the subject's headers, which go with every request. An answer that holds the content of a file is under `LEAK`,
    as is an answer that could not have shown it.
    """
    wrong: dict[str, str] = {}
    with _secret_file() as (file, secret):
        for bad in bad_requests(service, file):
            headers = request_headers(service.model, bad.operation, own) | bad.headers
            try:
                status, body = _asked(url, bad.body, headers)
            except ContractError as error:
                wrong[bad.name] = error.message
                continue
            if secret in body:
                wrong[LEAK] = f"the answer to {bad.name} holds the content of a file of the server's machine"
            if not (400 <= status < 500 or (status == 500 and _holds_fault(body))):
                wrong[bad.name] = f"HTTP status {status} without a SOAP fault"
    if not _echoes(service, url, own):
        wrong.setdefault(LEAK, "it cannot be seen: a text that was sent did not come back")
    return wrong


def _asked(url: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    """Status and body of the answer to one request on a connection of its own; raises ContractError where none comes."""
    conversation = Conversation(url)
    try:
        answer = conversation.post(body, headers)
    finally:
        conversation.close()
    return answer.status, answer.body


@contextmanager
def _secret_file() -> Iterator[tuple[Path, bytes]]:
    """A file that anybody may read, and what stands in it and nowhere else."""
    secret = secrets.token_hex(16).encode()
    with tempfile.NamedTemporaryFile(prefix="steelyard-secret-") as file:
        file.write(secret)
        file.flush()
        path = Path(file.name)
        path.chmod(0o644)
        yield path, secret


def _echoes(service: Entry[Service], url: str, own: Mapping[str, str]) -> bool:
    """Whether the operation that was asked for a file's content gives back a text that was sent."""
    text = f"said{secrets.token_hex(8)}"
    echoing = echo(service)
    try:
        _, body = _asked(url, echoing.saying(text), request_headers(service.model, echoing.operation, own))
    except ContractError:
        return False
    return text.encode() in body


def _holds_fault(body: bytes) -> bool:
    try:
        return soap.is_fault(soap.content(body))
    except ContractError:
        return b":Fault" in body or b"<Fault" in body
