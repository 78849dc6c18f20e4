"""SOAP 1.1 and 1.2: answers are compared by typed values of the service's schema; requests have many spellings of
XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import ClassVar

from lxml import etree

from ...base.errors import ContractError
from ...base.http_client import Answer
from ...catalogue.entries import Entry
from ...models.job import Rule
from ...models.service import Exchange, Service
from ..body_format import BadRequest, BodyFormat, Echo, Spelling
from ..soap import messages
from ..soap.spellings import all_spellings, bare_envelope

_NO_TEXTS = {"NaN", "INF", "true", "false"}  # values of letters that are not free text


class Soap(BodyFormat):
    """SOAP envelopes: a right answer matches the schema and has the expected values; if a fault is expected, any fault
    is right."""

    request_ending = answer_ending = "xml"
    version: ClassVar = messages.SOAP_11
    content_type = version.content_type("utf-8")
    fault_status = HTTPStatus.INTERNAL_SERVER_ERROR

    def __init__(self, service: Entry[Service]) -> None:
        super().__init__(service)
        model = service.model
        documents = frozenset(
            name if name.startswith("{") else f"{{{model.namespace}}}{name}" for name in model.documents
        )
        self._messages = messages.TypedMessages(service.folder / (model.schema_file or ""), documents, self.version)

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        del operation  # the element of the expected answer determines its type
        return self._messages.difference(answer, expected)

    @property
    def remembered_values(self) -> Mapping[str, str]:
        return self._messages.remembered

    def remember(self) -> None:
        self._messages.remember()

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        return all_spellings(exchange.request, self.version)

    def request_value(self, body: bytes) -> object:
        return self._messages.typed_values(messages.content(body, self.version))

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        good = written[0][1].request.encode()
        document = _without_declaration(good)
        first, described = next(iter(self.service.model.operations.items()))
        space = self.service.model.namespace
        expansion = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 20}">' for n in range(8))
        expanding = self._bare_envelope(f'<w:{described.element} xmlns:w="{space}">&e8;</w:{described.element}>')
        bodies = {
            "malformed-xml": good[: len(good) // 2],
            "not-xml": b"this is not XML",
            "empty-body": b"",
            "unknown-operation": self._bare_envelope(f'<w:noSuchOperation xmlns:w="{space}"/>'),
            "unknown-namespace": self._bare_envelope(f'<w:{described.element} xmlns:w="urn:somebody:else"/>'),
            "two-roots": good + document,
            "ten-megabytes": b"<a>" + b"x" * 10_000_000,
            "doctype": b'<!DOCTYPE any [<!ENTITY e "x">]>' + document,
            "entity-expansion": f'<!DOCTYPE any [<!ENTITY e0 "aaaaaaaaaa">{expansion}]>'.encode() + expanding,
        }
        requests = [BadRequest(name, body, first) for name, body in bodies.items()]
        echo = self.echo(written)
        if echo is not None:
            external = f'<!DOCTYPE any [<!ENTITY e SYSTEM "{file.as_uri()}">]>'.encode()
            naming = external + _without_declaration(echo.with_text("&e;"))
            requests.append(BadRequest("external-entity", naming, echo.operation))
        return requests

    def echo(self, written: Sequence[tuple[str, Exchange]]) -> Echo | None:
        """The first written exchange whose answer repeats a text of its request; None if no answer is written, as for a
        user's own service.

        Raises ContractError if no written answer repeats a text.
        """
        known = [exchange for _, exchange in written if exchange.answer]
        if not known:
            return None
        for exchange in known:
            answered = {element.text for element in messages.parse(exchange.answer).iter()}
            for element in messages.parse(exchange.request).iter(etree.Element):
                text = element.text or ""
                if text.isascii() and text.isalpha() and text not in _NO_TEXTS and text in answered:
                    before, _, after = exchange.request.partition(f">{text}<")
                    return Echo(exchange.operation, f"{before}>", f"<{after}")
        raise ContractError(
            f"no exchange of {self.service.name} repeats a text of its request, so a leak of a file cannot be detected",
            hint="add one to contract/exchanges",
        )

    def refusal_problem(self, answer: Answer) -> str | None:
        refused = super().refusal_problem(answer) is None
        if refused or (answer.status == HTTPStatus.INTERNAL_SERVER_ERROR and self._holds_fault(answer.unpack())):
            return None
        return f"HTTP status {answer.status} without a SOAP fault"

    def rule(self, exchange: Exchange) -> Rule:
        if exchange.fault:
            return Rule(status=[self.status(exchange)], fault="present")
        element = self.service.model.operations[exchange.operation].answer_element
        return Rule(status=[self.status(exchange)], contains=exchange.marker or element)

    def _bare_envelope(self, content: str) -> bytes:
        return bare_envelope(content, self.version)

    def _holds_fault(self, body: bytes) -> bool:
        try:
            return messages.is_fault(messages.content(body, self.version))
        except ContractError:
            return b":Fault" in body or b"<Fault" in body


class Soap12(Soap):
    """SOAP 1.2 (W3C, 2007), with its own envelope.

    The action is part of the media type, and sender faults have status 400.
    """

    request_ending = answer_ending = "soap12.xml"
    version = messages.SOAP_12
    content_type = version.content_type("utf-8")
    fault_status = HTTPStatus.BAD_REQUEST


def _without_declaration(document: bytes) -> bytes:
    return document.rpartition(b"?>")[2].lstrip()
