"""SOAP 1.1: answers compared by values typed by the service's schema, requests in the many spellings of XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from lxml import etree

from ...base.conversation import Answer
from ...base.errors import ContractError
from ...catalogue.entries import Entry
from ...models.job import Rule
from ...models.service import Exchange, Service
from ..meaning import BadRequest, Echo, Meaning, Spelling
from ..soap import messages
from ..soap.spellings import UTF8, bare_envelope, respell


class Soap(Meaning):
    """Envelopes: an answer keeps the schema and holds the expected values; a fault is as right as any other where one is due."""

    request_ending = answer_ending = "xml"
    content_type = UTF8
    fault_status = HTTPStatus.INTERNAL_SERVER_ERROR

    def __init__(self, service: Entry[Service]) -> None:
        super().__init__(service)
        model = service.model
        documents = frozenset(f"{{{model.namespace}}}{name}" for name in model.documents)
        self._messages = messages.TypedMessages(service.folder / (model.schema_file or ""), documents)

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        del operation  # the expected answer's element names its type
        return self._messages.difference(answer, expected)

    @property
    def remembered(self) -> Mapping[str, str]:
        return self._messages.remembered

    def remember(self) -> None:
        self._messages.remember()

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        return respell(exchange.request)

    def request_value(self, body: bytes) -> object:
        return self._messages.of(messages.content(body))

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        good = written[0][1].request.encode()
        document = _without_declaration(good)
        first, described = next(iter(self.service.model.operations.items()))
        space = self.service.model.namespace
        expansion = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 20}">' for n in range(8))
        expanding = bare_envelope(f'<w:{described.element} xmlns:w="{space}">&e8;</w:{described.element}>')
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
        }
        asked = [BadRequest(name, body, first) for name, body in bodies.items()]
        echo = self.echo(written)
        if echo is not None:
            external = f'<!DOCTYPE any [<!ENTITY e SYSTEM "{file.as_uri()}">]>'.encode()
            naming = external + _without_declaration(echo.saying("&e;"))
            asked.append(BadRequest("external-entity", naming, echo.operation))
        return asked

    def echo(self, written: Sequence[tuple[str, Exchange]]) -> Echo | None:
        """The first written exchange whose answer repeats a text of its request; None where no answer is written down, as of a
        user's own service. Raises ContractError where those that are repeat none."""
        known = [exchange for _, exchange in written if exchange.answer]
        if not known:
            return None
        for exchange in known:
            answered = {element.text for element in messages.parse(exchange.answer).iter()}
            for element in messages.parse(exchange.request).iter(etree.Element):
                if (element.text or "").isalpha() and element.text in answered:
                    before, _, after = exchange.request.partition(f">{element.text}<")
                    return Echo(exchange.operation, f"{before}>", f"<{after}")
        raise ContractError(
            f"no exchange of {self.service.name} repeats a text of its request, so no leak of a file can be seen",
            hint="add one to contract/exchanges",
        )

    def not_refused(self, answer: Answer) -> str | None:
        refused = super().not_refused(answer) is None
        if refused or (answer.status == HTTPStatus.INTERNAL_SERVER_ERROR and _holds_fault(answer.unpacked())):
            return None
        return f"HTTP status {answer.status} without a SOAP fault"

    def rule(self, exchange: Exchange) -> Rule:
        if exchange.fault:
            return Rule(status=[self.status(exchange)], fault="present")
        element = self.service.model.operations[exchange.operation].answer_element
        return Rule(status=[self.status(exchange)], contains=exchange.marker or element)


def _without_declaration(document: bytes) -> bytes:
    return document.rpartition(b"?>")[2].lstrip()


def _holds_fault(body: bytes) -> bool:
    try:
        return messages.is_fault(messages.content(body))
    except ContractError:
        return b":Fault" in body or b"<Fault" in body
