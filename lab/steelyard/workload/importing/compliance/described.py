"""A description as the assertions look at it: documents, what they define, and operations of bindings with their messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from ..documents import Document
from ..names import BINDINGS, WSDL, XSD, local, qualified, space

SOAP_SPACES = frozenset(BINDINGS.values())


@dataclass(frozen=True)
class BodyBinding:
    """A soap:body with the message that it carries; None where that is nowhere."""

    element: etree._Element
    message: etree._Element | None

    @property
    def listed(self) -> list[str] | None:
        """The parts that it names; None where it names none, and so means all."""
        parts = self.element.get("parts")
        return None if parts is None else parts.split()

    @property
    def parts(self) -> list[etree._Element]:
        """The parts of the message that form the body."""
        own = [] if self.message is None else self.message.findall(f"{{{WSDL}}}part")
        return [part for part in own if self.listed is None or part.get("name") in self.listed]


@dataclass(frozen=True)
class BoundOperation:
    """An operation of a binding of SOAP: its `style`, and the operation of the port type that it binds; None: there is none."""

    binding: etree._Element
    element: etree._Element
    style: str
    offered: etree._Element | None
    bodies: Sequence[BodyBinding]

    def extensions(self, *names: str) -> list[etree._Element]:
        """The elements of SOAP's binding with these names inside the operation, in order."""
        return [
            element
            for element in self.element.iter(etree.Element)
            if space(element.tag) in SOAP_SPACES and local(element.tag) in names
        ]

    @property
    def is_literal(self) -> bool:
        """Whether its bodies are literal, which is what is meant where nothing is said."""
        return all(body.element.get("use", "literal") == "literal" for body in self.bodies)


class Described:
    """The documents of a description, the user's own first."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.wsdls = [document for document in documents if document.root.tag == f"{{{WSDL}}}definitions"]
        self.schema_documents = [document for document in documents if document.root.tag == f"{{{XSD}}}schema"]
        self._by_place = {document.place: document for document in documents}
        self._place_of = {document.root: document.place for document in documents}
        self._named: dict[tuple[str, str], etree._Element] = {}
        for document in self.wsdls:
            for element in document.root.iterchildren(etree.Element):
                named = f"{{{document.root.get('targetNamespace', '')}}}{element.get('name')}"
                self._named.setdefault((local(element.tag), named), element)

    def where(self, element: etree._Element) -> str:
        """Where an element stands: document and line."""
        return f"{self._place_of.get(element.getroottree().getroot(), '')}, line {element.sourceline}"

    def each(self, *names: str) -> Iterator[etree._Element]:
        """Every element of WSDL with one of these names, in all documents."""
        for document in self.wsdls:
            yield from document.root.iter(*(f"{{{WSDL}}}{name}" for name in names))

    def read_at(self, element: etree._Element, location: str | None) -> Document | None:
        """The document that an element names; None where it names none, or one that needs no reading."""
        own = self._by_place.get(self._place_of.get(element.getroottree().getroot(), ""))
        return self._by_place.get(own.resolved(location)) if own is not None and location else None

    def definition(self, kind: str, user: etree._Element, name: str | None) -> etree._Element | None:
        """What `user` names; None where it is nowhere."""
        meant = qualified(user, name)
        if meant is not None and not meant.startswith("{"):
            meant = f"{{{user.getroottree().getroot().get('targetNamespace', '')}}}{meant}"
        return self._named.get((kind, meant or ""))

    @cached_property
    def inline_schemas(self) -> list[etree._Element]:
        """The schemas within types."""
        return [schema for types in self.each("types") for schema in types.iterfind(f"{{{XSD}}}schema")]

    @cached_property
    def schemas(self) -> list[etree._Element]:
        """All schemas, those of documents of their own included."""
        return [*self.inline_schemas, *(document.root for document in self.schema_documents)]

    @cached_property
    def global_elements(self) -> frozenset[str]:
        """The elements that schemas declare at their top, as `{namespace}local`."""
        return frozenset(
            f"{{{schema.get('targetNamespace', '')}}}{element.get('name')}"
            for schema in self.schemas
            for element in schema.iterfind(f"{{{XSD}}}element")
        )

    @cached_property
    def soap_bindings(self) -> list[tuple[etree._Element, etree._Element]]:
        """Each binding that is of SOAP, with the element that says so."""
        return [
            (binding, child)
            for binding in self.each("binding")
            for child in binding.iterchildren(etree.Element)
            if space(child.tag) in SOAP_SPACES and local(child.tag) == "binding"
        ]

    @cached_property
    def operations(self) -> list[BoundOperation]:
        """Every operation of every binding of SOAP."""
        return [
            self._operation(binding, spoken, bound)
            for binding, spoken in self.soap_bindings
            for bound in binding.iterfind(f"{{{WSDL}}}operation")
        ]

    def _operation(self, binding: etree._Element, spoken: etree._Element, bound: etree._Element) -> BoundOperation:
        own = bound.find(f"{{{space(spoken.tag)}}}operation")
        style = (None if own is None else own.get("style")) or spoken.get("style") or "document"
        port_type = self.definition("portType", binding, binding.get("type"))
        same = [] if port_type is None else port_type.findall(f"{{{WSDL}}}operation")
        offered = next((operation for operation in same if operation.get("name") == bound.get("name")), None)
        bodies = []
        for end in ("input", "output"):
            asked = None if offered is None else offered.find(f"{{{WSDL}}}{end}")
            message = None if asked is None else self.definition("message", asked, asked.get("message"))
            described = bound.find(f"{{{WSDL}}}{end}")
            if described is not None:
                bodies += [BodyBinding(body, message) for body in described.iter(f"{{{space(spoken.tag)}}}body")]
        return BoundOperation(binding, bound, style, offered, bodies)

    def header_part(self, header: etree._Element) -> etree._Element | None:
        """The part that a soap:header or soap:headerfault is; None where it is nowhere."""
        message = self.definition("message", header, header.get("message"))
        parts = [] if message is None else message.findall(f"{{{WSDL}}}part")
        return next((part for part in parts if part.get("name") == header.get("part")), None)
