"""Reads protected envelopes: decrypts them, verifies the signature with the known key, and returns only the signed
body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections import Counter
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from lxml import etree

from ....base.errors import ContractError
from ....hosts.security_keys import KeyOwner
from ..messages import parse
from . import names
from .securing import KEY_BYTES, OAEP, VECTOR_BYTES, canonical

_IDS = (names.ID, "Id", "ID", "{http://www.w3.org/XML/1998/namespace}id")


@dataclass(frozen=True)
class Expected:
    """The required protection of an envelope: its signer (None: not signed), and its reader (None: not encrypted)."""

    signer: KeyOwner | None = None
    reader: KeyOwner | None = None


def open_envelope(envelope: bytes, expected: Expected) -> bytes:
    """The envelope without its protection; raises ContractError if it is not protected as expected.

    Only one structure is accepted: one header with one `Security`, one body, unique ids. The result is the body that
    the signature refers to, so a signed body that was moved elsewhere is rejected. Algorithms are those of `names`.
    Signatures are verified with the signer's key; a key in the message is ignored.
    """
    root = parse(envelope)
    security = _security(root)
    if expected.reader is not None:
        root = _decrypt(root, security, expected.reader)
        security = _security(root)
    if expected.signer is not None:
        _verify(root, security, expected.signer)
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _security(root: etree._Element) -> etree._Element:
    """The security header of an envelope with the required structure."""
    if root.tag != names.ENVELOPE or [child.tag for child in root] != [names.HEADER, names.BODY]:
        raise ContractError("the envelope must have one header and one body, so it is not protected")
    named = Counter(value for element in root.iter(etree.Element) for value in _ids(element))
    twice = next((value for value, times in named.items() if times > 1), None)
    if twice is not None:
        raise ContractError(f"two elements have the id {twice[:80]!r}, so a signature is ambiguous")
    return _single_child(root[0], names.SECURITY, "the header")


def _ids(element: etree._Element) -> set[str]:
    return {element.attrib[name] for name in _IDS if name in element.attrib}


def _single_child(parent: etree._Element, tag: str, place: str) -> etree._Element:
    children = parent.findall(tag)
    if len(children) != 1:
        raise ContractError(f"{place} has {len(children)} elements {etree.QName(tag).localname}, not one")
    return children[0]


def _require(element: etree._Element, tag: str, algorithm: str, place: str) -> etree._Element:
    """The child that names an algorithm; raises ContractError if it is another algorithm."""
    method = _single_child(element, tag, place)
    if method.get("Algorithm") != algorithm:
        raise ContractError(f"{place} uses {method.get('Algorithm', '')[:80]}, not {algorithm}")
    return method


def _bytes(element: etree._Element, place: str) -> bytes:
    if len(element):
        raise ContractError(f"{place} is not base64")
    try:
        return base64.b64decode("".join((element.text or "").split()), validate=True)
    except (binascii.Error, ValueError):
        raise ContractError(f"{place} is not base64") from None


def _decrypt(root: etree._Element, security: etree._Element, reader: KeyOwner) -> etree._Element:
    body = root[1]
    if len(body) != 1 or body[0].tag != names.xenc("EncryptedData") or (body.text or "").strip():
        raise ContractError("the body is not encrypted")
    data = body[0]
    if data.get("Type") != names.CONTENT:
        raise ContractError(f"the encrypted data is {data.get('Type', '')[:80]}, not the body's content")
    wrapped = _single_child(security, names.xenc("EncryptedKey"), "the security header")
    listed = [str(each.get("URI")) for each in wrapped.iter(names.xenc("DataReference"))]
    if listed != [f"#{data.get('Id')}"]:
        raise ContractError(f"the encrypted key is for {listed}, not for the body's content")
    content = _plain(_cipher(data, names.AES_256_GCM, "the body"), _key(wrapped, reader))
    return _with_content(root, content)


def _cipher(element: etree._Element, algorithm: str, place: str) -> bytes:
    _require(element, names.xenc("EncryptionMethod"), algorithm, f"the encryption of {place}")
    carrier = _single_child(element, names.xenc("CipherData"), place)
    return _bytes(_single_child(carrier, names.xenc("CipherValue"), place), f"the cipher of {place}")


def _key(wrapped: etree._Element, reader: KeyOwner) -> bytes:
    cipher = _cipher(wrapped, names.RSA_OAEP, "the key")
    method = _single_child(wrapped, names.xenc("EncryptionMethod"), "the key")
    digest = method.find(names.dsig("DigestMethod"))
    if digest is not None and digest.get("Algorithm") != f"{names.DSIG}sha1":
        raise ContractError(f"the encryption of the key uses the digest {digest.get('Algorithm', '')[:80]}")
    try:
        key = reader.key.decrypt(cipher, OAEP)
    except ValueError:
        raise ContractError("the key is not encrypted for this reader") from None
    if len(key) != KEY_BYTES:
        raise ContractError(f"the key has {len(key)} bytes, not {KEY_BYTES}")
    return key


def _plain(cipher: bytes, key: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(cipher[:VECTOR_BYTES], cipher[VECTOR_BYTES:], None)
    except (InvalidTag, ValueError):  # ValueError: too few bytes
        raise ContractError("the body was encrypted with another key, or changed") from None


def _with_content(root: etree._Element, content: bytes) -> etree._Element:
    """The envelope with `content` as its body, parsed in place so that its prefixes are bound."""
    body = root[1]
    bound = "".join(f" xmlns{f':{prefix}' if prefix else ''}={_quote(uri)}" for prefix, uri in body.nsmap.items())
    # Parse it alone first: incomplete content could close the body, and open another.
    parse(f"<content{bound}>".encode() + content + b"</content>")
    mark = f"content-{secrets.token_hex(16)}"
    for child in list(body):
        body.remove(child)
    body.text = mark
    whole = etree.tostring(root, encoding="UTF-8")
    return parse(whole.replace(mark.encode(), content))


def _quote(value: str) -> str:
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return f'"{escaped}"'


def _verify(root: etree._Element, security: etree._Element, signer: KeyOwner) -> None:
    signature = _single_child(security, names.dsig("Signature"), "the security header")
    info = _single_child(signature, names.dsig("SignedInfo"), "the signature")
    method = _require(
        info, names.dsig("CanonicalizationMethod"), names.EXCLUSIVE_C14N, "the signature's canonical form"
    )
    _require(info, names.dsig("SignatureMethod"), names.RSA_SHA_256, "the signature")
    value = _bytes(_single_child(signature, names.dsig("SignatureValue"), "the signature"), "the signature's value")
    try:
        signed = canonical(info, _inclusive(method))
        signer.public_key.verify(value, signed, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise ContractError("the signature was not made with the known key") from None
    _require_token(security, signer)
    elements = [_element_with_digest(root, reference) for reference in info.findall(names.dsig("Reference"))]
    if root[1] not in elements:
        raise ContractError("the body is not the element that is signed")


def _element_with_digest(root: etree._Element, reference: etree._Element) -> etree._Element:
    """The element that a signature's reference names; raises ContractError if its digest is wrong."""
    uri = reference.get("URI", "")
    signed = [element for element in root.iter(etree.Element) if uri[1:] in _ids(element)] if uri[:1] == "#" else []
    if len(signed) != 1:
        raise ContractError(f"the signature refers to {uri[:80]!r}, which is not exactly one element")
    transforms = _single_child(reference, names.dsig("Transforms"), "a reference of the signature")
    if len(transforms) != 1:
        raise ContractError(f"a reference of the signature has {len(transforms)} transforms, not one")
    transform = _require(transforms, names.dsig("Transform"), names.EXCLUSIVE_C14N, "a transform of the signature")
    _require(reference, names.dsig("DigestMethod"), names.SHA_256, "a digest of the signature")
    digest = _bytes(_single_child(reference, names.dsig("DigestValue"), "a reference of the signature"), "a digest")
    if hashlib.sha256(canonical(signed[0], _inclusive(transform))).digest() != digest:
        raise ContractError(f"{etree.QName(signed[0]).localname} was changed after it was signed")
    return signed[0]


def _inclusive(method: etree._Element) -> tuple[str, ...]:
    """The prefixes that a canonicalization always keeps."""
    listed = method.find(f"{{{names.EXCLUSIVE_C14N}}}InclusiveNamespaces")
    return () if listed is None else tuple(listed.get("PrefixList", "").split())


def _require_token(security: etree._Element, signer: KeyOwner) -> None:
    """Raises ContractError if the message has a certificate that is not the signer's."""
    for token in security.findall(names.wsse("BinarySecurityToken")):
        if _bytes(token, "the certificate") != signer.certificate.public_bytes(serialization.Encoding.DER):
            raise ContractError("the certificate in the message is not the signer's")
