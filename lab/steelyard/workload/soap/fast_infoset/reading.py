"""Documents of Fast Infoset read as XML, whoever wrote them: every number and length is held to what is there."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TypeVar

from lxml import etree

from ....base.errors import ContractError
from ....base.http_client import ANSWER_BYTES
from . import octets

_DEEPEST = 256  # as XML is read
_DECLARATION_BYTES = 200  # one may stand before it (12.3)
_DECLARATION = b"<?xml "
_NOTHING_MORE = b"", bytes([octets.END])  # CXF ends each document once more than it has begun
# What a document may say before its root (C.2), by its bit: of these, what is a string that means nothing here is passed over.
_SCHEME, _STANDALONE, _VERSION = 0x04, 0x02, 0x01
_Name = tuple[str, str, str]  # prefix, namespace, local name
_Entry = TypeVar("_Entry")


def read(body: bytes) -> etree._Element:
    """The root element that a document of Fast Infoset means. Raises ContractError where it is none: one that is cut short, names
    what is in no table, holds what SOAP forbids, or would grow beyond what an answer may have."""
    try:
        return _DocumentReader(body).document()
    except (IndexError, struct.error):
        raise ContractError("the Fast Infoset document is cut short") from None
    except (ValueError, etree.XMLSyntaxError) as error:  # what no XML can hold, and text that is no UTF-8
        raise ContractError(f"the Fast Infoset document is none of XML: {error}") from None


class _DocumentReader:
    """A document, how far it is read, what of it is open, and its tables."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._place = 0
        self._characters = 0
        self._tree = etree.TreeBuilder()
        self._open: list[str] = []  # the tags of elements that have begun
        self._begun = self._over = False
        self._prefixes = [octets.XML]
        self._namespaces = [octets.XML_NAMESPACE]
        self._locals: list[str] = []
        self._others: list[str] = []
        self._elements: list[_Name] = []
        self._attributes: list[_Name] = []
        self._values: list[str] = []
        self._texts: list[str] = []

    def document(self) -> etree._Element:
        """The one element of the document."""
        self._head()
        while not self._over:
            self._piece(self._octet())
        if not self._begun:
            raise ContractError("the Fast Infoset document has no root")
        if self._body[self._place :] not in _NOTHING_MORE:
            raise ContractError("something follows the Fast Infoset document")
        return self._tree.close()

    def _piece(self, first: int) -> None:
        """What begins with this octet: an element up to its content, characters, a comment, or an end."""
        if first < octets.CHARACTERS:
            self._opened(first)
        elif first & octets.CHARACTERS_MASK == octets.CHARACTERS:
            text = self._text(first)
            if not self._open:
                raise ContractError("the Fast Infoset document has text outside its root")
            self._tree.data(text)
        elif first == octets.COMMENT:
            self._string(self._octet(), self._others)
        elif first in (octets.END, octets.TWO_ENDS):
            self._ended(1 if first == octets.END else 2)
        else:
            raise ContractError(f"the Fast Infoset document holds a piece ({first:#04x}) that SOAP has none of")

    def _opened(self, first: int) -> None:
        if self._begun and not self._open:
            raise ContractError("the Fast Infoset document has two roots")
        self._begun = True
        tag, ends = self._element(first)
        self._open.append(tag)
        if len(self._open) > _DEEPEST:
            raise ContractError(f"the Fast Infoset document is more than {_DEEPEST} elements deep")
        self._ended(ends)

    def _ended(self, ends: int) -> None:
        """So many ends of elements, or of the document."""
        for _ in range(ends):
            if self._over:
                raise ContractError("the Fast Infoset document has more ends than beginnings")
            if self._open:
                self._tree.end(self._open.pop())
            else:
                self._over = True

    def _head(self) -> None:
        if self._body.startswith(_DECLARATION):
            self._place = self._body.find(b"?>", 0, _DECLARATION_BYTES) + 2
        if self._take(len(octets.HEAD)) != octets.HEAD:
            raise ContractError(f"the answer is no Fast Infoset document: it begins {self._body[:40]!r}")
        said = self._octet()
        if said & ~(_STANDALONE | _VERSION | _SCHEME):
            raise ContractError(f"the Fast Infoset document brings tables or notations of its own ({said:#04x})")
        if said & _SCHEME:
            self._take(self._number(self._octet(), octets.LENGTH_ON_2) + 1)
        if said & _STANDALONE:
            self._octet()
        if said & _VERSION:
            self._string(self._octet(), self._others)

    def _element(self, first: int) -> tuple[str, int]:
        """The beginning of an element, its tag, and how many ends came with its attributes, beyond theirs."""
        attributed = first & octets.ATTRIBUTES
        bound: dict[str | None, str] = {}
        if first & octets.NAMESPACES_MASK == octets.NAMESPACES:
            while (each := self._octet()) != octets.END:
                if each & octets.NAMESPACE_MASK != octets.NAMESPACE:
                    raise ContractError(f"a namespace of the Fast Infoset document is written wrongly ({each:#04x})")
                prefix, space = self._prefix_and_space(each)
                if space:
                    bound[prefix or None] = space
            first = self._octet()
        tag = _tag(self._name(first, self._elements, octets.INDEX_ON_3, octets.ELEMENT_NAME))
        attributes, ends = self._attributes_of() if attributed else ({}, 0)
        self._tree.start(tag, attributes, bound)
        return tag, ends

    def _attributes_of(self) -> tuple[dict[str, str], int]:
        attributes: dict[str, str] = {}
        while (first := self._octet()) < octets.NUMBERED:
            tag = _tag(self._name(first, self._attributes, octets.INDEX_ON_2, octets.ATTRIBUTE_NAME))
            if tag in attributes:
                raise ContractError(f"an element of the Fast Infoset document has two attributes {tag}")
            attributes[tag] = self._string(self._octet(), self._values)
        if first not in (octets.END, octets.TWO_ENDS):
            raise ContractError(f"an attribute of the Fast Infoset document is written wrongly ({first:#04x})")
        return attributes, int(first == octets.TWO_ENDS)

    def _name(self, first: int, known: list[_Name], kind: octets.Number, written_out: int) -> _Name:
        if first & written_out & kind.bits != written_out:
            name = self._known(known, self._number(first, kind))
            self._counted("".join(name))
            return name
        prefix, space = self._prefix_and_space(first)
        name = (prefix, space, self._identifier(self._locals))
        _keep(name, known)
        return name

    def _prefix_and_space(self, first: int) -> tuple[str, str]:
        prefix = self._identifier(self._prefixes) if first & octets.HAS_PREFIX else ""
        return prefix, self._identifier(self._namespaces) if first & octets.HAS_NAMESPACE else ""

    def _identifier(self, known: list[str]) -> str:
        """A name, or a part of one (C.13)."""
        first = self._octet()
        if first & octets.NUMBERED:
            return self._counted(self._known(known, self._number(first, octets.INDEX_ON_2)))
        text = self._counted(self._take(self._number(first, octets.LENGTH_ON_2) + 1).decode())
        _keep(text, known)
        return text

    def _string(self, first: int, known: list[str]) -> str:
        """An attribute's value, or such (C.14)."""
        if first == octets.EMPTY:
            return ""
        if first & octets.NUMBERED:
            return self._counted(self._known(known, self._number(first, octets.INDEX_ON_2)))
        return self._encoded(first >> 4 & 3, first, 4, octets.LENGTH_ON_5, known if first & octets.KEPT else None)

    def _text(self, first: int) -> str:
        """A chunk of characters (C.7)."""
        if first & octets.NUMBERED_CHARACTERS:
            return self._counted(self._known(self._texts, self._number(first, octets.INDEX_ON_4)))
        kept = self._texts if first & octets.KEPT_CHARACTERS else None
        return self._encoded(first >> 2 & 3, first, 6, octets.LENGTH_ON_7, kept)

    def _encoded(self, how: int, first: int, bit: int, length: octets.Number, kept: list[str] | None) -> str:
        """Characters (C.19, C.20): how, and from `bit` of the first octet on the number of what they need, then their length."""
        which = 0
        if how in (octets.ALPHABET, octets.ALGORITHM):
            second = self._octet()
            which = (first << bit & 0xFF) | second >> 8 - bit
            first = second
        raw = self._take(self._number(first, length) + 1)
        text = self._counted(_characters(how, which, raw))
        if kept is not None:
            _keep(text, kept)
        return text

    def _number(self, first: int, kind: octets.Number) -> int:
        first &= kind.bits
        beyond = 0
        for form in kind.forms:
            free = kind.bits & ~form.mask
            if first & form.mask == form.mark:
                return beyond + int.from_bytes(bytes([first & free]) + self._take(form.more), "big")
            beyond += (free + 1) << (8 * form.more)
        raise ContractError(f"a number of the Fast Infoset document is written wrongly ({first:#04x})")

    def _known(self, table: Sequence[_Entry], index: int) -> _Entry:
        if index >= len(table):
            raise ContractError(f"the Fast Infoset document names entry {index + 1} of a table of {len(table)}")
        return table[index]

    def _counted(self, text: str) -> str:
        """A text that is there once more: an octet may stand for as much as was ever written."""
        self._characters += len(text)
        if self._characters > ANSWER_BYTES:
            raise ContractError(f"the Fast Infoset document means more than {ANSWER_BYTES:,} characters")
        return text

    def _octet(self) -> int:
        self._place += 1
        return self._body[self._place - 1]

    def _take(self, count: int) -> bytes:
        if count > len(self._body) - self._place:
            raise IndexError
        self._place += count
        return self._body[self._place - count : self._place]


def _characters(how: int, which: int, raw: bytes) -> str:
    """The text that octets mean; raises ValueError or struct.error."""
    if how == octets.UTF_8:
        return raw.decode()
    if how == octets.UTF_16:
        return raw.decode("utf-16-be")
    if how == octets.ALGORITHM:
        if which not in octets.ALGORITHMS:
            raise ContractError(f"the Fast Infoset document uses an algorithm ({which + 1}) that is not built in")
        return octets.ALGORITHMS[which](raw)
    if which >= len(octets.ALPHABETS):
        raise ContractError(f"the Fast Infoset document uses an alphabet ({which + 1}) that is not built in")
    places = [place for octet in raw for place in (octet >> 4, octet & 15)]
    if places[-1] == 15:
        places.pop()
    return "".join(octets.ALPHABETS[which][place] for place in places)


def _keep(entry: _Entry, table: list[_Entry]) -> None:
    if len(table) >= octets.MOST_NUMBERS:
        raise ContractError(f"a table of the Fast Infoset document has more than {octets.MOST_NUMBERS:,} entries")
    table.append(entry)


def _tag(name: _Name) -> str:
    _, space, local = name
    return f"{{{space}}}{local}" if space else local
