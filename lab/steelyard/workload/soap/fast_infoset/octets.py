"""How Fast Infoset writes numbers and marks its pieces: X.891, annex C, whose clauses are named here."""

from __future__ import annotations

import uuid
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from struct import iter_unpack
from typing import NamedTuple

HEAD = b"\xe0\x00\x00\x01"  # 12.7: the identification, and version 1
END, TWO_ENDS = 0xF0, 0xFF  # four bits end a piece; two ends share an octet
ATTRIBUTES = 0x40  # on an element: it has some
NAMESPACES, NAMESPACES_MASK = 0x38, 0x3F  # on an element: namespace attributes come first
ELEMENT_NAME, ELEMENT_NAME_MASK = 0x3C, 0x3C  # a qualified name that is written out, on the third bit
ATTRIBUTE_NAME, ATTRIBUTE_NAME_MASK = 0x78, 0x78  # and on the second
HAS_PREFIX, HAS_NAMESPACE = 0x02, 0x01
NAMESPACE, NAMESPACE_MASK = 0xCC, 0xFC
CHARACTERS, CHARACTERS_MASK = 0x80, 0xC0
COMMENT = 0xE2
DOCTYPE, ENTITY, HAS_SYSTEM = (
    0xC4,
    0xC8,
    0x02,
)  # a declaration of a document type (C.9), an entity that is not expanded (C.10)
NUMBERED = 0x80  # a string on the first bit: its number follows, not itself
EMPTY = 0xFF  # the number of the empty string
NUMBERED_CHARACTERS, KEPT_CHARACTERS = 0x20, 0x10
KEPT = 0x40  # an attribute's value or such: it gets a number
UTF_8, UTF_16, ALPHABET, ALGORITHM = range(4)
BASE64 = 1  # among the algorithms
MOST_NUMBERS = 2**20  # of a table (7.13.7)
XML, XML_NAMESPACE = "xml", "http://www.w3.org/XML/1998/namespace"  # the first entries of two tables (7.2.21 and 22)


class Form(NamedTuple):
    """A way in which a number is written: the mark of its first bits under a mask, and how many octets follow."""

    mark: int
    mask: int
    more: int


class Number(NamedTuple):
    """A kind of number: the bits that it has of its first octet, and its forms, each for what is beyond the one before."""

    bits: int
    forms: Sequence[Form]


INDEX_ON_2 = Number(0x7F, (Form(0, 0x40, 0), Form(0x40, 0x60, 1), Form(0x60, 0x70, 2)))  # C.25
INDEX_ON_3 = Number(0x3F, (Form(0, 0x20, 0), Form(0x20, 0x38, 1), Form(0x28, 0x38, 2), Form(0x30, 0x3F, 3)))  # C.27
INDEX_ON_4 = Number(0x1F, (Form(0, 0x10, 0), Form(0x10, 0x1C, 1), Form(0x14, 0x1C, 2), Form(0x18, 0x1F, 3)))  # C.28
LENGTH_ON_2 = Number(0x7F, (Form(0, 0x40, 0), Form(0x40, 0x7F, 1), Form(0x60, 0x7F, 4)))  # C.22
LENGTH_ON_5 = Number(0x0F, (Form(0, 0x08, 0), Form(0x08, 0x0F, 1), Form(0x0C, 0x0F, 4)))  # C.23
LENGTH_ON_7 = Number(0x03, (Form(0, 0x02, 0), Form(0x02, 0x03, 1), Form(0x03, 0x03, 4)))  # C.24


def number(value: int, kind: Number, before: int) -> bytes:
    """A number from zero on (an index, or a length less one), behind the bits `before` of its first octet."""
    for form in kind.forms:
        room = ((kind.bits & ~form.mask) + 1) << (8 * form.more)
        if value < room:
            high, low = divmod(value, 1 << (8 * form.more))
            return bytes([before | form.mark | high]) + low.to_bytes(form.more, "big")
        value -= room
    raise ValueError("a number is beyond what Fast Infoset can write")


# Restricted alphabets that need no table (9.1, 9.2): four bits a character, and four ones where the last octet has none.
ALPHABETS = ("0123456789-+.E ", "0123456789-:TZ ")


def _numbers(form: str) -> Callable[[bytes], str]:
    def text(octets: bytes) -> str:
        return " ".join(str(value) for (value,) in iter_unpack(form, octets))

    return text


def _floats(form: str) -> Callable[[bytes], str]:
    words = {"inf": "INF", "-inf": "-INF", "nan": "NaN"}  # as XML Schema writes them

    def text(octets: bytes) -> str:
        return " ".join(words.get(repr(value), repr(value)) for (value,) in iter_unpack(form, octets))

    return text


def _booleans(octets: bytes) -> str:
    """After four bits that say how many of the last octet's are none."""
    bits = "".join(f"{octet:08b}" for octet in octets)
    return " ".join("true" if bit == "1" else "false" for bit in bits[4 : len(bits) - int(bits[:4], 2)])


def _uuids(octets: bytes) -> str:
    return " ".join(str(uuid.UUID(bytes=octets[place : place + 16])) for place in range(0, len(octets), 16))


# The text that octets mean by a built-in algorithm (10.1 to 10.11), by its index; each raises ValueError or struct.error.
ALGORITHMS: Mapping[int, Callable[[bytes], str]] = {
    0: lambda octets: octets.hex().upper(),
    BASE64: lambda octets: b64encode(octets).decode("ascii"),
    2: _numbers(">h"),
    3: _numbers(">i"),
    4: _numbers(">q"),
    5: _booleans,
    6: _floats(">f"),
    7: _floats(">d"),
    8: _uuids,
    9: lambda octets: octets.decode("utf-8"),
}
