"""Assertions on documents: their validity, their encoding, and what they import from where."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import xmlschema
from lxml import etree

from ..documents import MOST_DOCUMENTS, Document
from ..names import BINDINGS, WSDL, XSD, local, one_line, space
from .assertion import Assertion, Looks, unless
from .described import SOAP_SPACES, Described

_ENCODINGS = (
    "utf-8",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "us-ascii",
)  # ASCII is UTF-8, and what a parser says without a declaration
_REQUIRED = f"{{{WSDL}}}required"


@cache
def _schema() -> Any:
    """The schemas of WSDL 1.1 and of its binding of SOAP 1.1, of 2003-02-11, which the XML Schema library has."""
    folder = Path(xmlschema.__file__).parent / "schemas" / "WSDL"
    return xmlschema.XMLSchema(
        str(folder / "wsdl-soap.xsd"), locations={WSDL: str(folder / "wsdl.xsd")}, allow="local", defuse="always"
    )


def _as_soap_11(root: etree._Element) -> tuple[etree._Element, dict[etree._Element, etree._Element]]:
    """A copy in which SOAP 1.2's binding is written as SOAP 1.1's, which has the same schema but for `soapActionRequired`; schemas
    within it are left out. By the elements of the copy those that they stand for."""
    originals: dict[etree._Element, etree._Element] = {}

    def copied(element: etree._Element, parent: etree._Element | None) -> etree._Element:
        tag = str(element.tag)
        if space(tag) == BINDINGS["1.2"]:
            tag = f"{{{BINDINGS['1.1']}}}{local(tag)}"
        given = {
            name: value
            for name, value in element.attrib.items()
            if (space(str(element.tag)), name) != (BINDINGS["1.2"], "soapActionRequired")
        }
        made = (
            etree.Element(tag, given, nsmap=element.nsmap)
            if parent is None
            else etree.SubElement(parent, tag, given, nsmap=element.nsmap)
        )
        made.text = element.text
        originals[made] = element
        for child in element.iterchildren(etree.Element):
            if not str(child.tag).startswith(f"{{{XSD}}}"):
                copied(child, made).tail = child.tail
        return made

    return copied(root, None), originals


def _validity(described: Described, *, of_soap: bool) -> Looks:
    for document in described.wsdls:
        if of_soap and not any(space(str(element.tag)) in SOAP_SPACES for element in document.root.iter(etree.Element)):
            continue
        yield document.root, None
        for element, problem in _invalid(document):
            if (space(str(element.tag)) in SOAP_SPACES) == of_soap:
                yield element, problem


@lru_cache(maxsize=MOST_DOCUMENTS)
def _invalid(document: Document) -> list[tuple[etree._Element, str]]:
    """What is not valid in a WSDL, as two assertions ask of the same documents one after the other."""
    copy, originals = _as_soap_11(document.root)
    return [
        (originals.get(error.elem, document.root), one_line(error.reason or error.message, 200))
        for error in _schema().iter_errors(copy)
    ]


def _is_valid_wsdl(described: Described) -> Looks:
    return _validity(described, of_soap=False)


def _is_valid_soap(described: Described) -> Looks:
    return _validity(described, of_soap=True)


def _imports_wsdls(described: Described) -> Looks:
    for element in described.each("import"):
        read = described.read_at(element, element.get("location"))
        yield (
            element,
            unless(
                read is None or read in described.wsdls, f"{element.get('location')} is no WSDL: <{_root_of(read)}>"
            ),
        )


def _imports_schemas_by_schema(described: Described) -> Looks:
    for element in described.each("import"):
        if described.read_at(element, element.get("location")) in described.schema_documents:
            yield element, f"wsdl:import brings in the schema {element.get('location')}"
    for schema in described.schemas:
        for element in schema.iterfind(f"{{{XSD}}}import"):
            yield element, None


def _imports_schemas_in_types(described: Described) -> Looks:
    for document in described.wsdls:
        for element in document.root.iter(f"{{{XSD}}}import"):
            parent = element.getparent()
            yield (
                element,
                unless(
                    parent in described.inline_schemas, "xsd:import stands elsewhere than in a schema of wsdl:types"
                ),
            )


def _imports_what_is_a_schema(described: Described) -> Looks:
    for schema in described.schemas:
        for element in schema.iterfind(f"{{{XSD}}}import"):
            if element.get("schemaLocation"):
                read = described.read_at(element, element.get("schemaLocation"))
                yield (
                    element,
                    unless(
                        read is None or read in described.schema_documents,
                        f"{element.get('schemaLocation')} is no schema: <{_root_of(read)}>",
                    ),
                )


def _root_of(document: Document | None) -> str:
    return "" if document is None else one_line(local(str(document.root.tag)), 60)


def _imports_say_where(described: Described) -> Looks:
    for element in described.each("import"):
        yield element, unless(bool((element.get("location") or "").strip()), "wsdl:import has no location")


def _imports_name_whole_namespaces(described: Described) -> Looks:
    for element in described.each("import"):
        named = element.get("namespace")
        yield element, unless(bool(urlsplit(named or "").scheme), f"the namespace '{named or ''}' is a relative URI")


def _imports_what_they_name(described: Described) -> Looks:
    for element in described.each("import"):
        read = described.read_at(element, element.get("location"))
        if read is not None and read in described.wsdls:
            own = read.root.get("targetNamespace")
            yield (
                element,
                unless(
                    own == element.get("namespace"),
                    f"it names {element.get('namespace')}, and {read.place} is of {own}",
                ),
            )


def _comes_first(described: Described, name: str, before: Sequence[str]) -> Looks:
    for document in described.wsdls:
        others = False
        for child in document.root.iterchildren(etree.Element):
            if child.tag == f"{{{WSDL}}}{name}":
                yield child, unless(not others, f"wsdl:{name} stands behind what it should precede")
            elif space(child.tag) == WSDL and local(child.tag) not in before:
                others = True


def _imports_come_first(described: Described) -> Looks:
    return _comes_first(described, "import", ["documentation"])


def _types_come_first(described: Described) -> Looks:
    return _comes_first(described, "types", ["documentation", "import"])


def _is_xml_10(documents: Sequence[Document]) -> Looks:
    for document in documents:
        version = document.root.getroottree().docinfo.xml_version
        yield document.root, unless(version in (None, "1.0"), f"it is XML {version}")


def _is_unicode(documents: Sequence[Document]) -> Looks:
    for document in documents:
        encoding = document.root.getroottree().docinfo.encoding
        yield document.root, unless((encoding or "utf-8").lower() in _ENCODINGS, f"its encoding is {encoding}")


def _requires_no_extension(described: Described) -> Looks:
    for document in described.wsdls:
        for element in document.root.iter(etree.Element):
            parent = element.getparent()
            inside = parent is not None and space(str(parent.tag)) == WSDL
            if inside and space(str(element.tag)) not in (WSDL, XSD, *SOAP_SPACES):
                needed = element.get(_REQUIRED) in ("true", "1")
                yield element, unless(not needed, f"<{local(str(element.tag))}> must be understood (wsdl:required)")


ASSERTIONS = (
    Assertion("R2028", "WSDL elements are valid by the schema of WSDL 1.1 (2003-02-11)", _is_valid_wsdl),
    Assertion("R2029", "elements of the SOAP binding are valid by its schema", _is_valid_soap),
    Assertion("R2001", "wsdl:import brings in WSDLs only", _imports_wsdls),
    Assertion("R2002", "schemas are imported by XML Schema's import", _imports_schemas_by_schema),
    Assertion("R2003", "XML Schema's import stands only in schemas within wsdl:types", _imports_schemas_in_types),
    Assertion("R2004", "XML Schema's import leads to schemas only", _imports_what_is_a_schema),
    Assertion("R2005", "wsdl:import names the target namespace of what it imports", _imports_what_they_name),
    Assertion("R2007", "wsdl:import has a location that is not empty", _imports_say_where),
    Assertion("R2803", "the namespace of wsdl:import is no relative URI", _imports_name_whole_namespaces),
    Assertion("R2010", "imported schemas are in UTF-8 or UTF-16", lambda wsdl: _is_unicode(wsdl.schema_documents)),
    Assertion("R2011", "imported schemas are XML 1.0", lambda wsdl: _is_xml_10(wsdl.schema_documents)),
    Assertion("R4003", "descriptions are in UTF-8 or UTF-16", lambda wsdl: _is_unicode(wsdl.wsdls)),
    Assertion("R4004", "descriptions are XML 1.0", lambda wsdl: _is_xml_10(wsdl.wsdls)),
    Assertion("R2022", "wsdl:import precedes all but documentation", _imports_come_first),
    Assertion("R2023", "wsdl:types precedes all but documentation and imports", _types_come_first),
    Assertion("R2026", "no extension has to be understood", _requires_no_extension, level="should"),
)
