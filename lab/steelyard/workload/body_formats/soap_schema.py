"""SOAP 1.1 without known right values: an answer is right if it belongs to the operation and matches the service's
schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from ...base.errors import ContractError
from ...models.service import Exchange
from ..body_format import BadRequest, BodyFormat, Spelling
from ..soap import messages
from .soap import Soap


class SoapSchema(Soap):
    """A user's own service: answers are checked against the schema, and by value only if the contract has an expected
    answer.

    Requests are sent as given: the test is of the service, not of the product's XML parser.
    """

    answers_may_lack = True

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        if expected:
            return super().difference(answer, expected, operation)
        wanted = self.service.model.operations[operation].answer_element
        try:
            got = messages.content(answer)
            if messages.is_fault(got):
                return f"a SOAP fault came: {messages.fault_text(got)}"
            name = etree.QName(got.tag).localname
            if name != wanted:
                return f"the answer is a {name}, expected {wanted}"
            self._messages.typed_values(got)
        except ContractError as error:
            return error.message
        return None

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        return BodyFormat.spellings(self, exchange)

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        """None: it is unknown which requests the service must refuse."""
        del written, file
        return []
