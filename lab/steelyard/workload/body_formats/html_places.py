"""HTML: a page is right if the texts at the operation's named places are right; the rest of the page is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

from lxml import etree, html

from ...base.errors import ContractError
from ...models.service import Exchange
from ..body_format import BadRequest, BodyFormat, Spelling, first_difference


class HtmlPlaces(BodyFormat):
    """Requests are forms, answers are pages; `places` of the operation are XPaths that lead to elements, texts or attributes."""

    request_ending, answer_ending = "form", "html"
    content_type = "application/x-www-form-urlencoded"

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        try:
            got, wanted = self._texts(answer, operation), self._texts(expected.encode(), operation)
        except ContractError as error:
            return error.message
        for name, texts in wanted.items():
            if not texts:
                return f"the contract's own page holds nothing at '{name}', so nothing can be compared there"
        return None if got == wanted else first_difference(got, wanted)

    def _texts(self, page: bytes, operation: str) -> dict[str, list[str]]:
        """The texts at each place by name, with white space as a browser shows it; raises ContractError."""
        try:
            root = html.document_fromstring(page, parser=html.HTMLParser(encoding="utf-8", no_network=True))
        except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
            raise ContractError(f"the answer is not an HTML page: {error}; it begins {page[:120]!r}") from None
        return {
            name: _values_at(root, name, path) for name, path in self.service.model.operations[operation].places.items()
        }

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        yield from super().spellings(exchange)
        if not exchange.request:
            return  # a request without a body has one spelling
        fields = parse_qsl(exchange.request, keep_blank_values=True)
        if len({name for name, _ in fields}) == len(fields):  # with repeated names, the order has a meaning
            yield Spelling("other order of fields", urlencode(fields[::-1]).encode())
        yield Spelling("%20 for a blank", urlencode(fields, quote_via=quote).encode())
        yield Spelling("every letter escaped", _encode_fields(fields, "%{:02X}"))
        yield Spelling("small hexadecimals", _encode_fields(fields, "%{:02x}"))

    def request_value(self, body: bytes) -> object:
        fields = parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True)
        names = [name for name, _ in fields]
        return {name: [value for key, value in fields if key == name] for name in names}

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        """Forms are rarely malformed, so bad requests come only from contract/bad/."""
        del file  # a form cannot name a file
        exchange = next((exchange for _, exchange in written if exchange.request), None)
        if exchange is None:
            return []
        return [BadRequest("ten-megabytes", b"x" * 10_000_000, exchange.operation)]


def _values_at(root: etree._Element, name: str, path: str) -> list[str]:
    try:
        result = root.xpath(path)
    except etree.XPathError as error:
        raise ContractError(f"place '{name}' has no XPath: {path} ({error})", hint="correct service.toml") from None
    values = result if isinstance(result, list) else [result]
    return [" ".join(_text(value).split()) for value in values]


def _text(value: object) -> str:
    return str(value.xpath("string()") if isinstance(value, etree._Element) else value)


def _encode_fields(fields: Sequence[tuple[str, str]], form: str) -> bytes:
    def escape(text: str) -> str:
        return "".join(form.format(byte) for byte in text.encode())

    return "&".join(f"{escape(name)}={escape(value)}" for name, value in fields).encode()
