"""Reads XML as lxml does, and takes namespaces that are no URIs, as people have them: with spaces, or in any script."""

from __future__ import annotations

import re
from functools import cache
from xml.sax.saxutils import escape

from lxml import etree

_INSTEAD = re.compile(rb"urn:steelyard-namespace-([0-9a-f]+)")


def read_xml(raw: bytes, *, remove_comments: bool = False, remove_pis: bool = False) -> etree._Element:
    """The root of an XML document, without entities or external access. Raises etree.XMLSyntaxError or ValueError, but not for a
    document whose only faults are namespaces that are no URIs."""

    def parser(*, recover: bool) -> etree.XMLParser:
        return etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=remove_comments,
            remove_pis=remove_pis,
            recover=recover,
        )

    strict = parser(recover=False)
    try:
        return etree.fromstring(raw, strict)
    except (etree.XMLSyntaxError, ValueError):
        if strict.error_log and all(entry.type_name == "WAR_NS_URI" for entry in strict.error_log):
            return etree.fromstring(raw, parser(recover=True))
        raise


@cache
def makeable(uri: str) -> str:
    """A namespace of which lxml makes elements: this one, or for one that is no URI another in its place."""
    try:
        etree.Element(f"{{{uri}}}a")
    except ValueError:
        return f"urn:steelyard-namespace-{uri.encode().hex()}"
    return uri


def with_own_namespaces(element: etree._Element) -> etree._Element:
    """The element with the namespaces that others stand for; a copy if there are any."""
    raw = etree.tostring(element, encoding="UTF-8", with_tail=False)
    if _INSTEAD.search(raw) is None:
        return element
    own = _INSTEAD.sub(lambda match: escape(bytes.fromhex(match[1].decode()).decode(), {'"': "&quot;"}).encode(), raw)
    return read_xml(own)
