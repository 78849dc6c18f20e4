"""Describes SOAP messages that are not well-formed XML, as papers print them: which values do not match their types."""

from __future__ import annotations

from typing import Any

import xmlschema
from lxml import etree

from .names import ENVELOPES, XSD, XSI, local, one_line, qualified_name


def message_problem(raw: bytes) -> str:
    """A sentence that an ill-formed document is a SOAP message, with the values that do not match their types. Empty if
    it is not such a message.

    The document is read as far as possible, without entities.
    """
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError):
        return ""
    if root is None or not any(f"{{{space}}}Envelope" == root.tag for space in ENVELOPES.values()):
        return "correct the named position, or ask the document's author"
    wrong = [problem for element in root.iter(etree.Element) if (problem := wrong_value(element)) is not None]
    return "; ".join(["it is a SOAP message, not a WSDL", *wrong])


def wrong_value(element: etree._Element) -> str | None:
    """How a value does not match its built-in xsi:type; None if it matches, or has no such type."""
    kind = qualified_name(element, element.get(f"{{{XSI}}}type"))
    if kind is None or not kind.startswith(f"{{{XSD}}}"):
        return None
    known: Any = xmlschema.XMLSchema.builtin_types().get(local(kind))
    if known is None or not known.is_simple() or known.is_valid(element.text or ""):
        return None
    held = one_line(element.text or "", 60)
    return f"<{local(element.tag)}> has the type xsd:{local(kind)} and the invalid value '{held}'"
