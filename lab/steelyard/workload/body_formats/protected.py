"""SOAP 1.1 with WS-Security: the service's own exchanges with signed or encrypted bodies in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...base.errors import ContractError
from ...base.http_client import Answer
from ...catalogue.entries import Entry
from ...models.job import Rule
from ...models.service import Exchange, Service
from ..body_format import BadRequest, Echo, Spelling
from .soap import Soap

if TYPE_CHECKING:  # they need an optional library
    from ...hosts.security_keys import SecurityKeys
    from ..soap.security.opening import Expected
    from ..soap.security.securing import Protection

_CIPHER = "CipherValue>"


class Signed(Soap):
    """Messages signed by the client, with its certificate; an answer is compared after its signature is verified."""

    request_ending = answer_ending = "signed"  # no such files exist: exchanges are written as envelopes
    signs: ClassVar[bool] = True
    encrypts: ClassVar[bool] = False

    def __init__(self, service: Entry[Service]) -> None:
        super().__init__(service)
        self._plain = Soap(service)

    def body(self, text: str) -> bytes:
        return self._protect(text.encode())

    def difference(self, answer: bytes, expected: str, operation: str) -> str | None:
        try:
            envelope = self.unprotect(answer)
        except ContractError as error:
            plain = super().difference(answer, expected, operation) or ""
            return plain if plain.startswith("a SOAP fault came") else error.message
        return super().difference(envelope, expected, operation)

    def unprotect(self, answer: bytes) -> bytes:
        """The envelope of an answer, decrypted and with its signature verified; raises ContractError if it is not
        protected as required."""
        from ..soap.security import opening

        return opening.open_envelope(answer, self._expected_answer)

    def readable(self, answer: bytes) -> bytes:
        try:
            return self.unprotect(answer)
        except ContractError:
            return answer

    def spellings(self, exchange: Exchange) -> Iterator[Spelling]:
        for spelling in super().spellings(exchange):
            yield replace(spelling, body=self._protect(spelling.body))

    def request_value(self, body: bytes) -> object:
        from ..soap.security import opening

        return super().request_value(opening.open_envelope(body, self._expected_request))

    def bad_requests(self, written: Sequence[tuple[str, Exchange]], file: Path) -> list[BadRequest]:
        """The bad requests of SOAP, protected if they have a body, and envelopes with wrong protection."""
        requests = [replace(bad, body=self._protect(bad.body)) for bad in self._plain.bad_requests(written, file)]
        first = written[0][1]
        good = first.request.encode()
        wrong = {
            "unprotected": good,
            **(self._wrongly_signed(good, written) if self.signs else {}),
            **(self._wrongly_encrypted(good) if self.encrypts else {}),
        }
        return [*requests, *(BadRequest(name, body, first.operation) for name, body in wrong.items())]

    def echo(self, written: Sequence[tuple[str, Exchange]]) -> Echo | None:
        plain = self._plain.echo(written)
        return None if plain is None else _ProtectedEcho(plain.operation, plain.before, plain.after, self)

    def refusal_problem(self, answer: Answer) -> str | None:
        return super().refusal_problem(replace(answer, body=self.readable(answer.unpack()), fields=()))

    def rule(self, exchange: Exchange) -> Rule:
        rule = super().rule(exchange)
        return rule.model_copy(update={"contains": _CIPHER}) if self.encrypts and not exchange.fault else rule

    def protect(self, envelope: bytes, protection: Protection) -> bytes:
        """The envelope with this protection."""
        from ..soap.security import securing

        return securing.secure(envelope, protection)

    @cached_property
    def keys(self) -> SecurityKeys:
        """This machine's keys."""
        from ...hosts import security_keys

        return security_keys.machine_keys()

    def _protect(self, envelope: bytes) -> bytes:
        return self.protect(envelope, self._usual_protection)

    @cached_property
    def _usual_protection(self) -> Protection:
        from ..soap.security.securing import Protection

        return Protection(self.keys.client if self.signs else None, self.keys.server if self.encrypts else None)

    @cached_property
    def _expected_answer(self) -> Expected:
        from ..soap.security.opening import Expected

        return Expected(self.keys.server if self.signs else None, self.keys.client if self.encrypts else None)

    @cached_property
    def _expected_request(self) -> Expected:
        from ..soap.security.opening import Expected

        return Expected(self.keys.client if self.signs else None, self.keys.server if self.encrypts else None)

    def _wrongly_signed(self, good: bytes, written: Sequence[tuple[str, Exchange]]) -> dict[str, bytes]:
        """Requests with a foreign signature, a broken one, a changed body, a replaced body, and without a signature."""
        from ..soap.security import tampering

        other = next(each.request for _, each in reversed(written) if each.request.encode() != good).encode()
        signed = self.protect(good, replace(self._usual_protection, recipient=None))
        return {
            "signed-by-a-stranger": self.protect(good, replace(self._usual_protection, signer=self.keys.stranger)),
            "signature-broken": self._seal(tampering.signature_broken(signed)),
            "body-changed": self._seal(tampering.body_changed(signed, other)),
            "signed-body-in-header": self._seal(tampering.body_wrapped(signed, other)),
            "signed-body-behind": tampering.body_followed(signed, other, self._seal),
            "not-signed": self.protect(good, replace(self._usual_protection, signer=None)),
        }

    def _wrongly_encrypted(self, good: bytes) -> dict[str, bytes]:
        """Requests encrypted for another recipient, with a broken cipher, and not encrypted."""
        from ..soap.security import tampering

        usual = self._usual_protection
        return {
            "encrypted-for-a-stranger": self.protect(good, replace(usual, recipient=self.keys.stranger)),
            "key-broken": tampering.key_broken(self._protect(good)),
            "cipher-broken": tampering.cipher_broken(self._protect(good)),
            "not-encrypted": self.protect(good, replace(usual, recipient=None)),
        }

    def _seal(self, signed: bytes) -> bytes:
        """The tampered message, encrypted if messages of this format are."""
        from ..soap.security import securing

        return securing.encrypt_body(signed, self.keys.server) if self.encrypts else signed


class Encrypted(Signed):
    """Messages encrypted with a new key, which is encrypted for the server's certificate; answers for the client's."""

    request_ending = answer_ending = "encrypted"
    signs = False
    encrypts = True


class SignedEncrypted(Signed):
    """Messages that are signed, and then encrypted."""

    request_ending = answer_ending = "signed-encrypted"
    encrypts = True


@dataclass(frozen=True)
class _ProtectedEcho(Echo):
    """An echo request that is protected after its text is inserted."""

    meaning: Signed

    def with_text(self, text: str) -> bytes:
        return self.meaning.body(self.before + text + self.after)
