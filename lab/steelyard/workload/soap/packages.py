"""MTOM (W3C, 2005): a MIME package with an envelope and its binary contents as separate parts, which XOP includes refer
to."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from urllib.parse import unquote

from lxml import etree

from ...base.errors import ContractError
from .messages import parse

BOUNDARY = "steelyard-boundary"
_ENVELOPE = "envelope"
_XOP = "http://www.w3.org/2004/08/xop/include"
_INCLUDE = f"{{{_XOP}}}Include"
_OPENING = re.compile(rb"(?:\A|\r\n)--([!-~ ]{1,70}?)[ \t]*\r\n")
_PREAMBLE_BYTES = 1000  # of the longest preamble
_AS_THEY_ARE = {"binary", "8bit", "7bit"}


@dataclass(frozen=True)
class _PackagePart:
    """A part of a package: its content type, its Content-ID, and its content."""

    kind: str
    name: str
    content: bytes


def content_type(boundary: str = BOUNDARY) -> str:
    """The Content-Type of a package with a SOAP 1.1 envelope."""
    return (
        f'multipart/related; boundary="{boundary}"; type="application/xop+xml"; '
        f'start="<{_ENVELOPE}>"; start-info="text/xml"'
    )


def make_package(envelope: str, binary: Collection[str]) -> bytes:
    """The package of an envelope; the bytes of elements whose tags are in `binary` become separate parts.

    Raises ContractError if the envelope is not XML, ValueError if such an element is not base64.
    """
    root = parse(envelope)
    contents = []
    for number, element in enumerate(list(root.iter(*binary)) if binary else []):
        contents.append(base64.b64decode(element.text or ""))
        element.text = None
        etree.SubElement(element, _INCLUDE, {"href": f"cid:{_name(number)}"}, nsmap={"xop": _XOP})
    return package(etree.tostring(root, encoding="UTF-8", xml_declaration=True), contents)


def package(envelope: bytes, contents: Sequence[bytes] = (), charset: str = "utf-8") -> bytes:
    """A package of an envelope as it is, and of parts that it may include by number."""
    parts = [
        _PackagePart(f'application/xop+xml; charset={charset}; type="text/xml"', _ENVELOPE, envelope),
        *(_PackagePart("application/octet-stream", _name(number), content) for number, content in enumerate(contents)),
    ]
    return b"".join([*map(_serialize_part, parts), f"--{BOUNDARY}--\r\n".encode()])


def envelope_of(body: bytes) -> bytes:
    """The envelope of a package with its parts inserted as base64; a plain XML document is returned as it is.

    Each part may be included once, which bounds the size. Raises ContractError.
    """
    if body.lstrip()[:1] == b"<":
        return body
    first, *others = _parts(body)
    if first.kind != "application/xop+xml":
        raise ContractError(f"the package's first part is {first.kind[:60]}, not application/xop+xml")
    root = parse(first.content)
    contents = {part.name: part.content for part in others}
    for include in list(root.iter(_INCLUDE)):
        reference = include.get("href", "")
        content = contents.pop(unquote(reference.removeprefix("cid:")), None)
        holder = include.getparent()
        if content is None or holder is None:
            raise ContractError(f"the envelope includes {reference[:80]!r}, which is not an unused part of the package")
        holder.remove(include)
        holder.text = base64.b64encode(content).decode("ascii")
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _name(number: int) -> str:
    return f"{number}@steelyard"


def _serialize_part(part: _PackagePart) -> bytes:
    head = f"Content-Type: {part.kind}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <{part.name}>\r\n"
    return f"--{BOUNDARY}\r\n{head}\r\n".encode() + part.content + b"\r\n"


def _parts(body: bytes) -> list[_PackagePart]:
    """The parts of a package, at least one; raises ContractError."""
    opening = _OPENING.search(body[:_PREAMBLE_BYTES])
    if opening is None:
        raise ContractError(f"the answer is neither XML nor a MIME package: it begins {body[:80]!r}")
    _, *pieces, end = (b"\r\n" + body[opening.start() :].removeprefix(b"\r\n")).split(b"\r\n--" + opening.group(1))
    if not pieces or not end.startswith(b"--"):
        raise ContractError("the package has no closing boundary")
    return [_read(piece) for piece in pieces]


def _read(piece: bytes) -> _PackagePart:
    """Parse the text between two boundaries, from the end of the first boundary's line."""
    padding, _, part = piece.partition(b"\r\n")
    written, ended, content = (b"\r\n" + part).partition(b"\r\n\r\n")
    if padding.strip() or not ended:
        raise ContractError(f"a part of the package has no headers: it begins {piece[:80]!r}")
    head = BytesHeaderParser().parsebytes(written.lstrip())
    encoding = str(head.get("Content-Transfer-Encoding", "binary")).strip().lower()
    if encoding not in _AS_THEY_ARE:
        raise ContractError(f"a part of the package has the encoding {encoding[:40]}, which is not supported")
    name = str(head.get("Content-ID", "")).strip().removeprefix("<").removesuffix(">")
    return _PackagePart(head.get_content_type(), name, content)
