"""Tampered requests that every server must refuse."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace

from ....base.errors import ContractError
from .securing import Pieces, split_envelope

_BROKEN_BYTES = 8


def signature_broken(signed: bytes) -> bytes:
    """The request with changed bytes in the signature value."""
    return _with_value(signed, "ds:SignatureValue", _flip_bytes)


def body_changed(signed: bytes, other: bytes) -> bytes:
    """The request with the signed body's content replaced by another request's."""
    return replace(_pieces(signed), content=_pieces(other).content).envelope()


def body_wrapped(signed: bytes, other: bytes) -> bytes:
    """Signature wrapping: the signed body moves into the header, and another request's body takes its place."""
    pieces = _pieces(signed)
    head, closing, rest = pieces.before.partition("</env:Header>")
    return replace(_in_its_place(pieces, other), before=head + _hidden_copy(pieces) + closing + rest).envelope()


def body_followed(signed: bytes, other: bytes, seal: Callable[[bytes], bytes]) -> bytes:
    """Signature wrapping with the signed body after the other body, which is sealed first."""
    pieces = _pieces(signed)
    before, closing, after = seal(_in_its_place(pieces, other).envelope()).decode().rpartition("</")
    return (before + _hidden_copy(pieces) + closing + after).encode()


def _in_its_place(pieces: Pieces, other: bytes) -> Pieces:
    """The pieces with a body that has no signed id, and another request's content."""
    return replace(pieces, tag=re.sub(r' wsu:Id="[^"]*"', "", pieces.tag), content=_pieces(other).content)


def _hidden_copy(pieces: Pieces) -> str:
    end = re.match(r"</[^>]*>", pieces.after)
    assert end is not None  # every split body matches
    return f'<hidden xmlns="urn:steelyard:hidden">{pieces.tag}{pieces.content}{end.group()}</hidden>'


def key_broken(encrypted: bytes) -> bytes:
    """The request with changed bytes in the encrypted key."""
    return _with_value(encrypted, "xenc:CipherValue", _flip_bytes)


def cipher_broken(encrypted: bytes) -> bytes:
    """The request with changed bytes in the body's ciphertext."""
    pieces = _pieces(encrypted)
    content = _with_value(pieces.content.encode(), "xenc:CipherValue", _flip_bytes).decode()
    return replace(pieces, content=content).envelope()


def _pieces(envelope: bytes) -> Pieces:
    pieces = split_envelope(envelope)
    if pieces is None:
        raise ContractError("an exchange without a body cannot be tampered with")
    return pieces


def _with_value(envelope: bytes, element: str, change: Callable[[bytes], bytes]) -> bytes:
    """The envelope with changed base64 bytes in the first such element."""
    before, opening, rest = envelope.partition(f"<{element}>".encode())
    value, closing, after = rest.partition(f"</{element}>".encode())
    return before + opening + base64.b64encode(change(base64.b64decode(value))) + closing + after


def _flip_bytes(value: bytes) -> bytes:
    return value[:-_BROKEN_BYTES] + bytes(byte ^ 0xFF for byte in value[-_BROKEN_BYTES:])
