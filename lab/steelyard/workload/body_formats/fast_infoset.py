"""SOAP 1.1 as Fast Infoset writes it: the service's own exchanges, in binary there and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from lxml import etree

from ...base.errors import ContractError
from ...base.http_client import Answer
from ...catalogue.entries import Entry
from ...models.job import Rule
from ...models.service import Exchange, Service
from ..body_format import BadRequest, Echo, Spelling
from ..soap.fast_infoset import octets
from ..soap.fast_infoset.reading import read
from ..soap.fast_infoset.writing import written
from ..soap.messages import parse
from .soap import Soap

_DOCUMENTS = "unknown-operation", "unknown-namespace"  # of SOAP's bad requests, those that are documents


class FastInfoset(Soap):
    """Documents in binary: an answer means the envelope that it is in XML."""

    request_ending = answer_ending = "finf"  # of which there are none: exchanges are written as envelopes
    content_type = "application/fastinfoset"

    def __init__(self, service: Entry[Service]) -> None:
        super().__init__(service)
        self._plain = Soap(service)

    def body(self, text: str) -> bytes:
        return written(parse(text), self._messages.binary)

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        try:
            envelope = _envelope(answer)
        except ContractError as error:
            return error.message
        return super().difference(envelope, expected, operation)

    def readable(self, answer: bytes) -> bytes:
        try:
            return _envelope(answer)
        except ContractError:
            return answer

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        given = self.body(exchange.request)
        yield Spelling("as given", given)
        seen = {given}
        others = [
            Spelling("every text written out", written(parse(exchange.request), self._messages.binary, numbered=False)),
            Spelling("bytes as base64", written(parse(exchange.request))),
            Spelling("a declaration before it", b"<?xml version='1.0' encoding='finf'?>" + given),
        ]
        for spelling in islice(super().spellings(exchange), 1, None):
            others.append(Spelling(spelling.name, written(parse(spelling.body), self._messages.binary)))
        for other in others:  # most spellings of XML are one document
            if other.body not in seen:
                seen.add(other.body)
                yield other

    def request_value(self, body: bytes) -> object:
        return super().request_value(_envelope(body))

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        """Those of SOAP that are documents, and what is none of Fast Infoset."""
        named = {bad.name: bad for bad in self._plain.bad_requests(written, file)}
        asked = [replace(bad, body=self.body(bad.body.decode())) for bad in map(named.__getitem__, _DOCUMENTS)]
        first = written[0][1]
        good = self.body(first.request)
        head, root = good[: len(octets.HEAD) + 1], good[len(octets.HEAD) + 1 :]
        bodies = {
            "cut-short": good[: len(good) // 2],
            "not-fast-infoset": b"this is not Fast Infoset",
            "empty-body": b"",
            "ten-megabytes": _large(10_000_000),
            "doctype": head + bytes([octets.DOCTYPE, octets.END]) + root,
            "name-in-no-table": head + bytes([5, octets.TWO_ENDS]),
            "longer-than-it-is": head + bytes([octets.ELEMENT_NAME]) + octets.number(2**24, octets.LENGTH_ON_2, 0),
        }
        asked += [BadRequest(name, body, first.operation) for name, body in bodies.items()]
        echo = self.echo(written)
        if echo is not None:
            asked.append(BadRequest("external-entity", _naming(echo, file.as_uri()), echo.operation))
        return asked

    def echo(self, written: Sequence[tuple[str, Exchange]]) -> Echo | None:
        plain = self._plain.echo(written)
        return None if plain is None else _WrittenEcho(plain.operation, plain.before, plain.after, self)

    def not_refused(self, answer: Answer) -> str | None:
        return super().not_refused(replace(answer, body=self.readable(answer.unpacked()), fields=()))

    def rule(self, exchange: Exchange) -> Rule:
        rule = super().rule(exchange)
        return rule.model_copy(update={"fault": "any", "contains": "Fault" if exchange.fault else rule.contains})


def _envelope(body: bytes) -> bytes:
    return bytes(etree.tostring(read(body), encoding="UTF-8", xml_declaration=True))


def _large(characters: int) -> bytes:
    root = etree.Element("a")
    root.text = "x" * characters
    return written(root)


def _naming(echo: Echo, place: str) -> bytes:
    """A request that has an entity from outside where it would say a text."""
    text = "said-nowhere-else"
    raw, uri = text.encode(), place.encode()
    chunk = octets.number(len(raw) - 1, octets.LENGTH_ON_7, octets.CHARACTERS | octets.KEPT_CHARACTERS) + raw
    outside = octets.number(len(uri) - 1, octets.LENGTH_ON_2, 0) + uri
    first = len(octets.HEAD) + 1
    body = echo.saying(text)
    declared = bytes([octets.DOCTYPE | octets.HAS_SYSTEM]) + outside + bytes([octets.END])
    referred = bytes([octets.ENTITY | octets.HAS_SYSTEM]) + octets.number(0, octets.LENGTH_ON_2, 0) + b"e" + outside
    assert chunk in body
    return body[:first] + declared + body[first:].replace(chunk, referred)


@dataclass(frozen=True)
class _WrittenEcho(Echo):
    """The same of a request that is written in binary once it holds the text."""

    meaning: FastInfoset

    def saying(self, text: str) -> bytes:
        return self.meaning.body(self.before + text + self.after)
