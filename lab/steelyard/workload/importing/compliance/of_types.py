"""Assertions on types and messages: what schemas may say, and which parts a message may have."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lxml import etree

from ....base.errors import ImportRefusedError
from ..names import ENCODING, WSDL, XSD, local, one_line, qualified, space
from ..schemas import write_schemas
from .assertion import Assertion, Looks, unless
from .described import SOAP_SPACES, Described

_REFERRING = ("type", "ref", "base", "itemType", "memberTypes", "substitutionGroup", "refer")
_DEFINED = {
    "binding": ("type",),
    "port": ("binding",),
    "input": ("message",),
    "output": ("message",),
    "fault": ("message",),
}


def _names_what_is_imported(described: Described) -> Looks:
    """References to parts of WSDLs stay in the document's namespace, or in those that it imports."""
    for document in described.wsdls:
        known = {document.root.get("targetNamespace", "")}
        known |= {element.get("namespace", "") for element in document.root.iterfind(f"{{{WSDL}}}import")}
        for element in document.root.iter(etree.Element):
            own = space(str(element.tag))
            attributes = _DEFINED.get(local(str(element.tag)), ()) if own == WSDL else ()
            if own in SOAP_SPACES and local(str(element.tag)) in ("header", "headerfault"):
                attributes = ("message",)
            for attribute in attributes:
                if (name := element.get(attribute)) is not None:
                    meant = qualified(element, name)
                    # A name without a prefix and a default namespace is of the document's own.
                    good = meant is not None and (not meant.startswith("{") or space(meant) in known)
                    yield element, unless(good, f"{attribute} '{name}' is of a namespace that is not imported")


def _names_what_schemas_import(described: Described) -> Looks:
    """References to parts of schemas stay in the schema's namespace, or in those that it imports."""
    spaces: dict[etree._Element, set[str]] = {}
    for schema in described.schemas:
        imported = {element.get("namespace", "") for element in schema.iterfind(f"{{{XSD}}}import")}
        spaces[schema] = {schema.get("targetNamespace", ""), XSD, *imported}
        for element in schema.iter(etree.Element):
            for attribute in _REFERRING if space(str(element.tag)) == XSD else ():
                for word in (element.get(attribute) or "").split():
                    yield element, _unknown(element, word, spaces[schema])
    known = {XSD}.union(*(spaces[schema] for schema in described.inline_schemas))
    for part in described.each("part"):
        for attribute in ("element", "type"):
            if (word := part.get(attribute)) is not None:
                yield part, _unknown(part, word, known)


def _unknown(element: etree._Element, word: str, spaces: set[str]) -> str | None:
    meant = qualified(element, word)
    return unless(meant is not None and space(meant) in spaces, f"'{word}' is of a namespace that is not imported")


def _schemas_have_a_namespace(described: Described) -> Looks:
    for schema in described.inline_schemas:
        content = {local(str(child.tag)) for child in schema.iterchildren(etree.Element)}
        named = bool((schema.get("targetNamespace") or "").strip())
        yield schema, unless(named or content <= {"import", "annotation"}, "the schema has no target namespace")


def _no_soap_arrays(described: Described) -> Looks:
    for schema in described.schemas:
        for element in schema.iter(f"{{{XSD}}}restriction", f"{{{XSD}}}extension"):
            base = qualified(element, element.get("base"))
            yield element, unless(base != f"{{{ENCODING}}}Array", "it is derived from SOAP's array")


def _no_array_types(described: Described) -> Looks:
    for schema in described.schemas:
        for element in schema.iter(f"{{{XSD}}}attribute"):
            yield element, unless(element.get(f"{{{WSDL}}}arrayType") is None, "it has a wsdl:arrayType")


def _no_arrays_of(described: Described) -> Looks:
    for schema in described.schemas:
        for element in schema.iter(f"{{{XSD}}}element"):
            name = element.get("name") or ""
            yield element, unless(not name.startswith("ArrayOf"), f"the element is called {name}")


def _schemas_hold(described: Described) -> Looks:
    if not described.schemas:
        return
    with tempfile.TemporaryDirectory(prefix="steelyard-schemas-") as folder:
        try:
            write_schemas(described.documents, [], Path(folder))
        except ImportRefusedError as error:
            yield described.schemas[0], one_line(error.message.partition(": ")[2] or error.message, 250)
            return
    for schema in described.schemas:
        yield schema, None


def _parts_name_elements_that_there_are(described: Described) -> Looks:
    for part in described.each("part"):
        if (name := part.get("element")) is not None:
            meant = qualified(part, name) or ""
            declared = (meant if meant.startswith("{") else f"{{}}{meant}") in described.global_elements
            yield part, unless(declared, f"no schema declares the element '{name}' at its top")


def _parts_are_either(described: Described) -> Looks:
    for part in described.each("part"):
        both = part.get("element") is not None and part.get("type") is not None
        yield part, unless(not both, f"part {part.get('name')} has both an element and a type")


def _documents_list_a_part(described: Described) -> Looks:
    for operation in described.operations:
        for body in operation.bodies:
            if operation.style == "document" and operation.is_literal and body.listed is not None:
                yield body.element, unless(len(body.listed) <= 1, f"it lists the parts {' '.join(body.listed)}")


def _documents_have_a_part(described: Described) -> Looks:
    for operation in described.operations:
        for body in operation.bodies:
            silent = body.listed is None and body.message is not None
            if operation.style == "document" and operation.is_literal and silent:
                count = len(body.parts)
                yield body.element, unless(count <= 1, f"its message has {count} parts, and it lists none")


def _bodies_are_of(described: Described, style: str, attribute: str) -> Looks:
    for operation in described.operations:
        for body in operation.bodies:
            if operation.style == style and operation.is_literal:
                other = [part.get("name", "") for part in body.parts if part.get(attribute) is None]
                yield body.element, unless(not other, f"of its message no {attribute} has the part {' '.join(other)}")


def _rpc_bodies_are_of_types(described: Described) -> Looks:
    return _bodies_are_of(described, "rpc", "type")


def _document_bodies_are_of_elements(described: Described) -> Looks:
    return _bodies_are_of(described, "document", "element")


def _heads_and_faults_are_of_elements(described: Described) -> Looks:
    for operation in described.operations:
        for header in operation.extensions("header", "headerfault"):
            part = described.header_part(header)
            yield (
                header,
                unless(
                    part is not None and part.get("element") is not None,
                    f"its part '{header.get('part')}' is no element",
                ),
            )
        for fault in operation.extensions("fault"):
            parent = fault.getparent()
            name = fault.get("name") or (None if parent is None else parent.get("name"))
            for offered in [] if operation.offered is None else operation.offered.iterfind(f"{{{WSDL}}}fault"):
                message = described.definition("message", offered, offered.get("message"))
                if offered.get("name") == name and message is not None:
                    kinds = [part.get("element") is not None for part in message.iterfind(f"{{{WSDL}}}part")]
                    yield fault, unless(all(kinds), f"a part of the fault {name} is no element")


def _every_part_is_bound(described: Described) -> Looks:
    for operation in described.operations:
        heads = {described.header_part(header) for header in operation.extensions("header")}
        for body in operation.bodies:
            for part in [] if body.message is None else body.message.iterfind(f"{{{WSDL}}}part"):
                good = part in body.parts or part in heads
                yield body.element, unless(good, f"the part {part.get('name')} of its message is bound nowhere")


ASSERTIONS = (
    Assertion("R2101", "references to WSDL stay in namespaces that are defined or imported", _names_what_is_imported),
    Assertion(
        "R2102", "references to schemas stay in namespaces that they define or import", _names_what_schemas_import
    ),
    Assertion("R2105", "schemas in wsdl:types have a target namespace", _schemas_have_a_namespace),
    Assertion("R2110", "nothing is derived from SOAP's array type", _no_soap_arrays),
    Assertion("R2111", "no declaration has a wsdl:arrayType", _no_array_types),
    Assertion("R2112", "no element is called ArrayOf...", _no_arrays_of, level="should"),
    Assertion("R2801", "types are valid XML Schema 1.0", _schemas_hold),
    Assertion("R2201", "a document/literal soap:body lists one part at most", _documents_list_a_part),
    Assertion(
        "R2210",
        "the message of a document/literal soap:body that lists none has one part at most",
        _documents_have_a_part,
    ),
    Assertion("R2203", "an rpc/literal soap:body is of parts with a type", _rpc_bodies_are_of_types),
    Assertion("R2204", "a document/literal soap:body is of parts with an element", _document_bodies_are_of_elements),
    Assertion(
        "R2205", "headers, header faults and faults are of parts with an element", _heads_and_faults_are_of_elements
    ),
    Assertion("R2206", "a part's element is declared at the top of a schema", _parts_name_elements_that_there_are),
    Assertion("R2209", "every part of a bound message is bound", _every_part_is_bound, level="should"),
    Assertion("R2306", "a part has an element or a type, not both", _parts_are_either),
)
