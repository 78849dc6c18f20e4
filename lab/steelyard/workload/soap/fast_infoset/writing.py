"""XML documents written as Fast Infoset, as clients of the Java library do: names are numbered, and short texts."""

from __future__ import annotations

import base64
from collections.abc import Collection

from lxml import etree

from . import octets

_KEPT_CHARACTERS = 32  # a text that is shorter gets a number, and is written once
_Name = tuple[str, str, str]  # prefix, namespace, local name; empty where there is none


def written(root: etree._Element, binary: Collection[str] = (), *, numbered: bool = True) -> bytes:
    """The document of a root element. The bytes of elements whose tags are `binary` are written as they are, not as base64; with
    `numbered = False` every text is written out. Raises ValueError where such an element holds no base64."""
    writing = _DocumentWriter(frozenset(binary), numbered)
    writing.element(root, {})
    writing.end()
    writing.settle()
    return octets.HEAD + b"\0" + bytes(writing.out)  # 0: none of what may come before the root


class _DocumentWriter:
    """A document so far, its tables, and whether one end is still to share an octet with the next."""

    def __init__(self, binary: frozenset[str], numbered: bool) -> None:
        self.out = bytearray()
        self._binary = binary
        self._numbered = numbered
        self._ended = False
        self._prefixes = {octets.XML: 0}
        self._namespaces = {octets.XML_NAMESPACE: 0}
        self._locals: dict[str, int] = {}
        self._elements: dict[_Name, int] = {}
        self._attributes: dict[_Name, int] = {}
        self._values: dict[str, int] = {}
        self._texts: dict[str, int] = {}

    def element(self, element: etree._Element, bound: dict[str | None, str]) -> None:
        """An element with all that is in it, where these prefixes are bound already."""
        self.settle()
        first = octets.ATTRIBUTES if element.attrib else 0
        own = {prefix: space for prefix, space in element.nsmap.items() if bound.get(prefix) != space}
        if own:
            self.out.append(first | octets.NAMESPACES)
            for prefix, space in own.items():
                self._namespace(prefix or "", space)
            self.out.append(octets.END)
            first = 0
        space, local = _split(element.tag)
        self._name((element.prefix or "", space, local), self._elements, octets.INDEX_ON_3, first | octets.ELEMENT_NAME)
        if element.attrib:
            self._attributes_of(element)
        self._text(element.text, element.tag in self._binary)
        for child in element:
            if isinstance(child.tag, str):
                self.element(child, element.nsmap)
            self._text(child.tail, False)
        self.end()

    def end(self) -> None:
        """The end of an element, of attributes or of the document."""
        if self._ended:
            self.out.append(octets.TWO_ENDS)
        self._ended = not self._ended

    def settle(self) -> None:
        """Write an end that shares its octet with none."""
        if self._ended:
            self.out.append(octets.END)
        self._ended = False

    def _namespace(self, prefix: str, space: str) -> None:
        flags = octets.HAS_PREFIX * bool(prefix) | octets.HAS_NAMESPACE * bool(space)
        self.out.append(octets.NAMESPACE | flags)
        if prefix:
            self._string(prefix, self._prefixes)
        if space:
            self._string(space, self._namespaces)

    def _name(self, name: _Name, known: dict[_Name, int], kind: octets.Number, first: int) -> None:
        """A qualified name: its number, or itself behind `first`, which marks one that is written out."""
        if name in known:
            self.out += octets.number(known[name], kind, first & ~kind.bits)
            return
        known[name] = len(known)
        prefix, space, local = name
        self.out.append(first | octets.HAS_PREFIX * bool(prefix) | octets.HAS_NAMESPACE * bool(space))
        if prefix:
            self._string(prefix, self._prefixes)
        if space:
            self._string(space, self._namespaces)
        self._string(local, self._locals)

    def _attributes_of(self, element: etree._Element) -> None:
        names = {space: prefix for prefix, space in element.nsmap.items() if prefix}
        for tag, value in element.attrib.items():
            space, local = _split(str(tag))
            prefix = octets.XML if space == octets.XML_NAMESPACE else names.get(space, "")
            name = (prefix if space else "", space, local)
            self._name(name, self._attributes, octets.INDEX_ON_2, octets.ATTRIBUTE_NAME)
            self._value(str(value))
        self.end()

    def _value(self, value: str) -> None:
        """An attribute's value (C.14)."""
        if not value:
            self.out.append(octets.EMPTY)
            return
        if value in self._values:
            self.out += octets.number(self._values[value], octets.INDEX_ON_2, octets.NUMBERED)
            return
        raw = value.encode()
        kept = self._kept(value, self._values)
        self.out += octets.number(len(raw) - 1, octets.LENGTH_ON_5, octets.KEPT if kept else 0) + raw

    def _text(self, text: str | None, binary: bool) -> None:
        """A chunk of characters (C.7)."""
        if not text:
            return
        self.settle()
        if binary:
            self._bytes(base64.b64decode(text))
        elif text in self._texts:
            self.out += octets.number(
                self._texts[text], octets.INDEX_ON_4, octets.CHARACTERS | octets.NUMBERED_CHARACTERS
            )
        else:
            raw = text.encode()
            first = octets.CHARACTERS | (octets.KEPT_CHARACTERS if self._kept(text, self._texts) else 0)
            self.out += octets.number(len(raw) - 1, octets.LENGTH_ON_7, first) + raw

    def _bytes(self, raw: bytes) -> None:
        if not raw:
            return
        self.out.append(octets.CHARACTERS | octets.ALGORITHM << 2 | octets.BASE64 >> 6)
        self.out += octets.number(len(raw) - 1, octets.LENGTH_ON_7, octets.BASE64 << 2 & 0xFF) + raw

    def _kept(self, text: str, table: dict[str, int]) -> bool:
        kept = self._numbered and len(text) < _KEPT_CHARACTERS and len(table) < octets.MOST_NUMBERS
        if kept:
            table[text] = len(table)
        return kept

    def _string(self, text: str, table: dict[str, int]) -> None:
        """A name, or a part of one (C.13)."""
        if text in table:
            self.out += octets.number(table[text], octets.INDEX_ON_2, octets.NUMBERED)
            return
        table[text] = len(table)
        raw = text.encode()
        self.out += octets.number(len(raw) - 1, octets.LENGTH_ON_2, 0) + raw


def _split(tag: str) -> tuple[str, str]:
    """Namespace and local name."""
    space, _, local = tag.removeprefix("{").rpartition("}")
    return space, local
