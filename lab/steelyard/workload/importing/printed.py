"""What can be said of a SOAP message that is no XML as it stands, as papers print them: where its values are not of their types."""

from __future__ import annotations

from typing import Any

import xmlschema
from lxml import etree

from .names import ENVELOPES, XSD, XSI, local, one_line, qualified_name


def message_problem(raw: bytes) -> str:
    """A sentence on an ill-formed SOAP message: that it is one, and which of its values are not of the types that they name.

    Empty where it is no such message. It is read as far as it goes, without entities.
    """
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError):
        return ""
    if root is None or not any(f"{{{space}}}Envelope" == root.tag for space in ENVELOPES.values()):
        return "correct it where it says, or ask whoever made it"
    wrong = [said for element in root.iter(etree.Element) if (said := wrong_value(element)) is not None]
    return "; ".join(["it is a SOAP message, not a WSDL", *wrong])


def wrong_value(element: etree._Element) -> str | None:
    """How a value is not of the built-in type that it says it has; None where it is, or says none."""
    kind = qualified_name(element, element.get(f"{{{XSI}}}type"))
    if kind is None or not kind.startswith(f"{{{XSD}}}"):
        return None
    known: Any = xmlschema.XMLSchema.builtin_types().get(local(kind))
    if known is None or not known.is_simple() or known.is_valid(element.text or ""):
        return None
    held = one_line(element.text or "", 60)
    return f"<{local(element.tag)}> says that it is an xsd:{local(kind)} and holds '{held}', which is none"
