"""SOAP 1.1 with MTOM: the service's own exchanges, with binary values sent as separate parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ...base.errors import ContractError
from ...catalogue.entries import Entry
from ...models.service import Exchange, Service
from ..body_format import BadRequest, Echo, Spelling
from ..soap import packages
from .soap import Soap


class Mtom(Soap):
    """MTOM packages: an answer's value is its envelope with the parts inserted; an answer without binary values may be
    a plain envelope."""

    request_ending = answer_ending = "mtom"  # no such files exist: exchanges are written as envelopes
    content_type = packages.content_type()

    def __init__(self, service: Entry[Service]) -> None:
        super().__init__(service)
        self._plain = Soap(service)

    def body(self, text: str) -> bytes:
        return packages.make_package(text, self._messages.binary)

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        try:
            envelope = packages.envelope_of(answer)
        except ContractError as error:
            return error.message
        return super().difference(envelope, expected, operation)

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        given = self.body(exchange.request)
        yield Spelling("as given", given)
        other = "=_other.boundary"
        written = given.replace(packages.BOUNDARY.encode(), other.encode())
        yield Spelling("another boundary", written, packages.content_type(other))
        yield Spelling("bytes in the envelope", packages.package(exchange.request.encode()))
        for spelling in islice(super().spellings(exchange), 1, None):
            charset = "utf-16" if spelling.content_type else "utf-8"
            yield Spelling(spelling.name, packages.package(spelling.body, charset=charset))

    def request_value(self, body: bytes) -> object:
        return super().request_value(packages.envelope_of(body))

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        requests = [replace(bad, body=packages.package(bad.body)) for bad in self._plain.bad_requests(written, file)]
        first = written[0][1]
        requests.append(BadRequest("no-package", first.request.encode(), first.operation))
        for _, exchange in written:
            body = self.body(exchange.request)
            lost = body.replace(b'"cid:', b'"cid:not-')
            if lost != body:
                return [*requests, BadRequest("part-that-is-not-there", lost, exchange.operation)]
        return requests

    def echo(self, written: Sequence[tuple[str, Exchange]]) -> Echo | None:
        plain = self._plain.echo(written)
        if plain is None:
            return None
        before, _, after = packages.package(b"\0").decode().partition("\0")
        return Echo(plain.operation, before + plain.before, plain.after + after)
