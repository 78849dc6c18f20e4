"""SOAP 1.1 whose right values nobody wrote down: an answer is right that is the operation's and keeps the service's schema."""

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
    """A user's own service: the schema judges its answers, and their values only where an expected answer stands in the contract.

    Requests are sent as they stand: how well a product reads other spellings of XML is not what is asked of the service.
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
        """None: what the service itself must refuse is not known of it."""
        del written, file
        return []
