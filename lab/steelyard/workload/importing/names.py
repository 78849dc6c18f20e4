"""The namespaces of descriptions, and functions on names in them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from lxml import etree

from ..xml_reading import read_xml

WSDL = "http://schemas.xmlsoap.org/wsdl/"
WSDL_2 = "http://www.w3.org/ns/wsdl"
XSD = "http://www.w3.org/2001/XMLSchema"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XML = "http://www.w3.org/XML/1998/namespace"
ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"
ENVELOPES = {"1.1": "http://schemas.xmlsoap.org/soap/envelope/", "1.2": "http://www.w3.org/2003/05/soap-envelope"}
BINDINGS = {"1.1": "http://schemas.xmlsoap.org/wsdl/soap/", "1.2": "http://schemas.xmlsoap.org/wsdl/soap12/"}
MIME = "http://schemas.xmlsoap.org/wsdl/mime/"
ADDRESSING = "http://www.w3.org/2005/08/addressing"
ADDRESSING_WSDL = ("http://www.w3.org/2006/05/addressing/wsdl", "http://www.w3.org/2007/05/addressing/metadata")
# Schemas that an importing document need not supply: the XML Schema library has them.
PROVIDED = frozenset({XSD, XSI, XML, ENCODING, ENVELOPES["1.1"], WSDL})


def qualified_name(element: etree._Element, name: str | None) -> str | None:
    """Resolve a prefixed name as written in `element` to `{namespace}local`; None if it has no such namespace."""
    return name_in_scope(element.nsmap, name) if name else None


def name_in_scope(prefixes: Mapping[str | None, str], name: str) -> str | None:
    """Resolve a prefixed name by the namespaces of the prefixes; None if it has no such namespace, or is empty."""
    if not name.strip():
        return None
    prefix, colon, local = name.strip().rpartition(":")
    space = prefixes.get(prefix if colon else None)
    if colon and space is None:
        return None
    return f"{{{space}}}{local}" if space else local


def local(name: str) -> str:
    """The local part of `{namespace}local`."""
    return name.rpartition("}")[2]


def space(name: str) -> str:
    """The namespace of `{namespace}local`; empty if it has none."""
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def standalone(element: etree._Element) -> etree._Element:
    """A copy of an element as the root of its own document, with all prefixes in scope, which its texts may use."""
    return read_xml(etree.tostring(element, encoding="UTF-8", with_tail=False))


def one_line(text: str, most: int = 200) -> str:
    """A text on one line, shortened."""
    return " ".join(text.split())[:most]


def unused_name(wanted: str, used: set[str], between: str, most: int) -> str:
    """A name of at most so many characters that is not in `used`, whatever its case; added to `used`.

    `between` stands before the number that distinguishes it from others.
    """
    endings = ("" if number == 1 else f"{between}{number}" for number in count(1))
    names = (wanted[: most - len(ending)] + ending for ending in endings)
    name = next(each for each in names if each.lower() not in used)
    used.add(name.lower())
    return name


def printable(text: str, most: int = 200) -> str:
    """A text on one line, shortened, without control characters that would affect a terminal or a comment."""
    return "".join(letter if letter.isprintable() else "?" for letter in one_line(text, most))
