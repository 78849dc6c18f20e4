"""Protects requests by WS-Security: signs or encrypts the body of a spelled envelope, and changes nothing else."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from dataclasses import dataclass, replace

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from lxml import etree

from ....base.errors import ContractError
from ....hosts.security_keys import KeyOwner
from ..messages import SOAP_11, parse
from . import names

VECTOR_BYTES, KEY_BYTES = 12, 32  # XML Encryption 1.1, section 5.2.4
_BODY_ID, _TOKEN_ID, _KEY_ID, _DATA_ID = "body", "certificate", "key", "data"
_BODY_BEGIN = re.compile(r"<((?:[\w.-]+:)?Body)\b[^>]*>")
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_NAME = re.compile(r"<[\w.:-]+")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Protection:
    """The protection of a body: its signer (None: not signed), then its recipient for encryption (None: not
    encrypted)."""

    signer: KeyOwner | None = None
    recipient: KeyOwner | None = None


@dataclass(frozen=True)
class Pieces:
    """A spelled envelope in pieces: the text before the body's tag, that tag, the body's content, and the rest; and its
    charset."""

    before: str
    tag: str
    content: str
    after: str
    charset: str

    def envelope(self) -> bytes:
        """The envelope."""
        return (self.before + self.tag + self.content + self.after).encode(self.charset)

    def with_token(self, token: str) -> Pieces:
        """The pieces with a token first in the security header, which is added if missing."""
        begun = self.before.find(_SECURITY_BEGIN)
        if begun >= 0:
            place = begun + len(_SECURITY_BEGIN)
            return replace(self, before=self.before[:place] + token + self.before[place:])
        header = f'<env:Header xmlns:env="{SOAP_11.envelope}">{_SECURITY_BEGIN}{token}</wsse:Security></env:Header>'
        return replace(self, before=self.before + header)


_SECURITY_BEGIN = f'<wsse:Security xmlns:wsse="{names.WSSE}" env:mustUnderstand="1">'


def secure(envelope: bytes, protection: Protection) -> bytes:
    """Protect the body of an envelope without a header, keeping its spelling and charset.

    An envelope without a complete body, or that is not XML, is returned unchanged.
    """
    pieces = split_envelope(envelope)
    if pieces is None:
        return envelope
    pieces = pieces.with_token("")
    if protection.signer is not None:
        try:
            pieces = _sign(pieces, protection.signer)
        except ContractError:
            return envelope
    return (
        encrypt_body(pieces.envelope(), protection.recipient) if protection.recipient is not None else pieces.envelope()
    )


def encrypt_body(envelope: bytes, recipient: KeyOwner) -> bytes:
    """Encrypt the content of an envelope's body for a recipient, who decrypts it before any other step."""
    pieces = split_envelope(envelope)
    if pieces is None:
        return envelope
    key, content = sealed_content(pieces.content, recipient)  # the reader processes tokens in order
    return replace(pieces, content=content).with_token(key).envelope()


def split_envelope(envelope: bytes) -> Pieces | None:
    """The pieces of an envelope; None if it has no complete body."""
    charset = "utf-16" if envelope[:2] in _UTF_16 else "utf-8"
    try:
        text = envelope.decode(charset)
    except UnicodeDecodeError:
        return None
    # Use the last one, which is the envelope's own: a header may hold another.
    begin = next(reversed(list(_BODY_BEGIN.finditer(text))), None)
    if begin is None or begin.group().endswith("/>"):
        return None
    end = text.rfind(f"</{begin.group(1)}", begin.end())
    if end < 0:
        return None
    return Pieces(text[: begin.start()], begin.group(), text[begin.end() : end], text[end:], charset)


def _sign(pieces: Pieces, signer: KeyOwner) -> Pieces:
    """Add an id to the body, and its signature; raises ContractError if it is not XML."""
    name = _NAME.match(pieces.tag)
    assert name is not None  # every tag matches
    attribute = f' xmlns:wsu="{names.WSU}" wsu:Id="{_BODY_ID}"'
    named = replace(pieces, tag=name.group() + attribute + pieces.tag[name.end() :])
    body = parse(_DOCTYPE.sub(b"", named.envelope(), 1)).find(names.BODY)
    if body is None:
        raise ContractError("the envelope has no body")
    return named.with_token(_signature(digest_of(body), signer))


def canonical(element: etree._Element, inclusive: tuple[str, ...] = ()) -> bytes:
    """An element in Exclusive XML Canonicalization 1.0 without comments; `inclusive` prefixes are always kept."""
    alone = etree.fromstring(
        etree.tostring(element, encoding="UTF-8", with_tail=False)
    )  # with the namespaces that it inherits
    return bytes(
        etree.tostring(alone, method="c14n", exclusive=True, with_comments=False, inclusive_ns_prefixes=inclusive)
    )


def digest_of(element: etree._Element) -> str:
    """The SHA-256 of an element's canonical form, in base64."""
    return base64.b64encode(hashlib.sha256(canonical(element)).digest()).decode()


def signed_info(digest: str) -> str:
    """The signed data in canonical form: the digest of the body, and the algorithms."""
    return (
        f'<ds:SignedInfo xmlns:ds="{names.DSIG}">'
        f'<ds:CanonicalizationMethod Algorithm="{names.EXCLUSIVE_C14N}"></ds:CanonicalizationMethod>'
        f'<ds:SignatureMethod Algorithm="{names.RSA_SHA_256}"></ds:SignatureMethod>'
        f'<ds:Reference URI="#{_BODY_ID}"><ds:Transforms><ds:Transform Algorithm="{names.EXCLUSIVE_C14N}"></ds:Transform>'
        f'</ds:Transforms><ds:DigestMethod Algorithm="{names.SHA_256}"></ds:DigestMethod>'
        f"<ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>"
    )


def _signature(digest: str, signer: KeyOwner) -> str:
    info = signed_info(digest)
    value = signer.key.sign(info.encode(), padding.PKCS1v15(), hashes.SHA256())
    certificate = signer.certificate.public_bytes(serialization.Encoding.DER)
    return (
        f'<wsse:BinarySecurityToken xmlns:wsu="{names.WSU}" wsu:Id="{_TOKEN_ID}" EncodingType="{names.BASE64}" '
        f'ValueType="{names.X509}">{_base64(certificate)}</wsse:BinarySecurityToken>'
        f'<ds:Signature xmlns:ds="{names.DSIG}">{info}<ds:SignatureValue>{_base64(value)}</ds:SignatureValue>'
        f'<ds:KeyInfo><wsse:SecurityTokenReference><wsse:Reference URI="#{_TOKEN_ID}" ValueType="{names.X509}"/>'
        "</wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>"
    )


def sealed_content(content: str, recipient: KeyOwner) -> tuple[str, str]:
    """The encrypted key for the header, and the encrypted data for the body."""
    key, vector = os.urandom(KEY_BYTES), os.urandom(VECTOR_BYTES)
    cipher = vector + AESGCM(key).encrypt(vector, content.encode(), None)
    issuer, serial = recipient.certificate.issuer.rfc4514_string(), recipient.certificate.serial_number
    in_header = (
        f'<xenc:EncryptedKey xmlns:xenc="{names.XENC}" Id="{_KEY_ID}"><xenc:EncryptionMethod Algorithm="{names.RSA_OAEP}"/>'
        f'<ds:KeyInfo xmlns:ds="{names.DSIG}"><wsse:SecurityTokenReference><ds:X509Data><ds:X509IssuerSerial>'
        f"<ds:X509IssuerName>{issuer}</ds:X509IssuerName><ds:X509SerialNumber>{serial}</ds:X509SerialNumber>"
        "</ds:X509IssuerSerial></ds:X509Data></wsse:SecurityTokenReference></ds:KeyInfo>"
        f"<xenc:CipherData><xenc:CipherValue>{_base64(recipient.public_key.encrypt(key, OAEP))}</xenc:CipherValue>"
        f'</xenc:CipherData><xenc:ReferenceList><xenc:DataReference URI="#{_DATA_ID}"/></xenc:ReferenceList>'
        "</xenc:EncryptedKey>"
    )
    in_body = (
        f'<xenc:EncryptedData xmlns:xenc="{names.XENC}" Id="{_DATA_ID}" Type="{names.CONTENT}">'
        f'<xenc:EncryptionMethod Algorithm="{names.AES_256_GCM}"/><ds:KeyInfo xmlns:ds="{names.DSIG}">'
        f'<wsse:SecurityTokenReference xmlns:wsse="{names.WSSE}" xmlns:wsse11="{names.WSSE11}" '
        f'wsse11:TokenType="{names.ENCRYPTED_KEY}"><wsse:Reference URI="#{_KEY_ID}"/></wsse:SecurityTokenReference>'
        f"</ds:KeyInfo><xenc:CipherData><xenc:CipherValue>{_base64(cipher)}</xenc:CipherValue></xenc:CipherData>"
        "</xenc:EncryptedData>"
    )
    return in_header, in_body


OAEP = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)  # the parameters of rsa-oaep-mgf1p


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
