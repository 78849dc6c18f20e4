"""Bytes: an answer is right if it equals the expected one byte by byte. In exchanges, bodies are base64."""

from __future__ import annotations

import base64
import binascii
import hashlib
from itertools import zip_longest

from ...base.errors import ContractError
from ...models.job import Rule
from ...models.service import Exchange
from ..body_format import BodyFormat


class RawBytes(BodyFormat):
    """Bodies sent and compared as they are; there is one spelling."""

    request_ending = answer_ending = "bin"
    content_type = "application/octet-stream"

    def body(self, text: str) -> bytes:
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise ContractError(
                f"a body of bytes is not base64: {error}", hint="correct the service's generator"
            ) from None

    @classmethod
    def text(cls, body: bytes) -> str:
        return base64.b64encode(body).decode()

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        del operation
        wanted = self.body(expected)
        if answer == wanted:
            return None
        place = next(at for at, (got, due) in enumerate(zip_longest(answer, wanted)) if got != due)
        return f"the answer has {len(answer):,} bytes, expected {len(wanted):,}; they differ from byte {place:,} on"

    def rule(self, exchange: Exchange) -> Rule:
        """The whole answer is known, so the engine can compare it completely."""
        digest = hashlib.sha256(self.body(exchange.answer)).hexdigest()
        return Rule(status=[self.status(exchange)], fault="any", contains=exchange.marker, sha256=digest)
