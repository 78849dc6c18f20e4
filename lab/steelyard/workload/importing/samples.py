"""Makes sample requests: an element with all optional parts once. What cannot be made is reported and not sent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import xmlschema
from lxml import etree

from ..xml_reading import makeable, with_own_namespaces
from .names import ENCODING, XML, XSD, XSI, local, space, standalone
from .schemas import Schemas
from .values import UnmetError, is_identifier, name_of, text_for

MOST_ELEMENTS = 5_000
MOST_DEPTH = 60
MOST_OCCURRENCES = 1_000
_MOST_STARTED = 50_000  # elements of all attempts at one sample
_TYPE = f"{{{XSI}}}type"
_NIL = f"{{{XSI}}}nil"


# The text of each simple type by the type's id, with the type and whether it is an identifier
_Texts = dict[int, tuple[Any, str, bool]]


class SampleMaker:
    """Makes sample elements of one schema.

    An optional element occurs once, unless it is recursive; of a choice the first possible branch is taken. Every
    sample is validated against the schema.
    """

    def __init__(self, schemas: Schemas) -> None:
        self._schema = schemas.schema
        self._arrays = schemas.arrays
        self._texts: _Texts = {}
        spaces = sorted(
            {space(name) for name in (*self._schema.maps.types, *self._schema.maps.elements)} - {"", XSD, XML, XSI}
        )
        self.prefixes = {uri: f"n{number}" for number, uri in enumerate(spaces, 1)} | {XSD: "xsd", XSI: "xsi"}

    def sample(self, name: str, *, encoded: bool = False) -> etree._Element:
        """A valid element `{namespace}local`;

        `encoded` uses SOAP encoding, with the type at every value. Raises UnmetError.
        """
        declared = self._schema.maps.elements.get(name)
        if declared is None:
            raise UnmetError(f"element {local(name)} is not declared")
        making = _Making(self._schema, self._arrays if encoded else {}, self.prefixes, encoded, self._texts)
        try:
            root = making.element(declared, ())
        except RecursionError:
            raise UnmetError(f"element {local(name)} is nested too deeply") from None
        # Elements of their declared type need no second check: the library may build a type twice, and treats the
        # copies as different.
        declared_types = [(element, element.attrib.pop(_TYPE)) for element in making.as_declared]
        try:
            declared.validate(standalone(with_own_namespaces(root)))
        except xmlschema.XMLSchemaValidationError as error:
            raise UnmetError(f"element {local(name)}: {' '.join(str(error.reason).split())[:200]}") from None
        for element, kind in declared_types:
            element.set(_TYPE, kind)
        etree.cleanup_namespaces(root, keep_ns_prefixes=sorted(making.used))
        return with_own_namespaces(root)


class _Making:
    """The construction of one sample; counts its elements and collects the prefixes in its texts."""

    def __init__(
        self,
        schema: xmlschema.XMLSchema,
        arrays: Mapping[str, str],
        prefixes: Mapping[str, str],
        encoded: bool,
        texts: _Texts,
    ) -> None:
        self._schema = schema
        self._arrays = arrays
        self._prefixes = prefixes
        self._encoded = encoded
        self._made = 0
        self._started = 0
        self._texts = texts
        self._identifiers = 0
        self.used: set[str] = set()
        self.as_declared: list[etree._Element] = []

    def element(self, declared: Any, within: tuple[Any, ...]) -> etree._Element:
        """An element as declared, or the first of its substitutes and derived types that can be made; `within` are the enclosing
        types, outermost first. Raises UnmetError."""
        reasons: list[UnmetError] = []
        for candidate in self._concrete(declared):
            if candidate.name == f"{{{XSD}}}schema":  # as a .NET DataSet carries it; an empty schema is valid
                return etree.Element(candidate.name, nsmap={"xs": XSD})
            made_before = self._made
            try:
                return self._of_first_type(candidate, within)
            except UnmetError as error:
                self._made = made_before
                reasons.append(error)
        raise reasons[0]

    def _of_first_type(self, declared: Any, within: tuple[Any, ...]) -> etree._Element:
        """An element of its type, or of the first derived one that can be made; raises UnmetError."""
        reasons: list[UnmetError] = []
        for kind in self._concrete_types(declared):
            made_before = self._made
            try:
                return self._of_type(declared, kind, within)
            except UnmetError as error:
                self._made = made_before
                reasons.append(error)
        raise reasons[0]

    def _of_type(self, declared: Any, kind: Any, within: tuple[Any, ...]) -> etree._Element:
        """An element of a type; raises UnmetError."""
        self._made += 1
        self._started += 1
        if self._made > MOST_ELEMENTS or self._started > _MOST_STARTED or len(within) > MOST_DEPTH:
            raise UnmetError(
                f"element {local(declared.name)} would make a sample of more than {MOST_ELEMENTS} elements"
            )
        made = self._typed_element(declared, kind, within)
        if _is_recursion(kind, within):
            if not declared.nillable:
                raise UnmetError(f"type {name_of(kind)} contains itself endlessly")
            made.set(_NIL, "true")
            return made
        try:
            self._fill(made, declared, kind, (*within, kind))
        except UnmetError:
            if not declared.nillable:
                raise
            made = self._typed_element(declared, kind, within)
            self._attributes(made, kind)
            made.set(_NIL, "true")
        return made

    def _text(self, kind: Any) -> str:
        """A text for a simple type; each identifier (xs:ID) of the sample is another."""
        known = self._texts.get(id(kind))
        if known is None:
            known = self._texts[id(kind)] = (kind, text_for(kind), is_identifier(kind))
        _, text, identifies = known
        if not identifies:
            return text
        self._identifiers += 1
        other = text if self._identifiers == 1 else f"{text}.{self._identifiers}"
        return other if kind.is_valid(other) else text

    def _typed_element(self, declared: Any, kind: Any, within: tuple[Any, ...]) -> etree._Element:
        """An empty element, with xsi:type if necessary. The outermost one declares all prefixes."""
        made = self._bare_element(declared.name) if within else self._outermost_element(declared.name)
        if kind is not declared.type:
            self._declare_type(made, kind.name)
        elif self._encoded and kind.name and within:
            self._declare_type(made, kind.name)
            self.as_declared.append(made)
        return made

    def _bare_element(self, name: str) -> etree._Element:
        tag, uri = _makeable_name(name)
        prefix = self._prefixes.get(space(name)) if uri else None
        return etree.Element(tag, nsmap={prefix: uri} if prefix else None)

    def _outermost_element(self, name: str) -> etree._Element:
        nsmap = {prefix: makeable(uri) for uri, prefix in self._prefixes.items()}
        return etree.Element(_makeable_name(name)[0], nsmap=nsmap)

    def _fill(self, made: etree._Element, declared: Any, kind: Any, within: tuple[Any, ...]) -> None:
        fixed = declared.fixed if declared.fixed is not None else declared.default
        if kind.is_simple() or kind.has_simple_content():
            simple = kind if kind.is_simple() else kind.content
            made.text = fixed if fixed is not None else self._text(simple)
        self._attributes(made, kind)
        if kind.is_simple() or kind.has_simple_content():
            return
        member = self._arrays.get(kind.name or "")
        if member is not None:
            self._array(made, member, within)
        elif kind.content is not None:
            for child in self._group(kind.content, within):
                made.append(child)

    def _attributes(self, made: etree._Element, kind: Any) -> None:
        if kind.name in self._arrays:
            return  # attributes of SOAP arrays refer to other parts of the message
        for name, attribute in getattr(kind, "attributes", {}).items():
            if name is None or attribute.use == "prohibited" or space(name) in (ENCODING, XSI):
                continue
            if space(name) == XML and attribute.use != "required":
                continue
            fixed = attribute.fixed if attribute.fixed is not None else attribute.default
            try:
                made.set(_makeable_name(name)[0], fixed if fixed is not None else self._text(attribute.type))
            except UnmetError:
                if attribute.use == "required":
                    raise

    def _array(self, made: etree._Element, member: str, within: tuple[Any, ...]) -> None:
        """Add one member to a SOAP array, and the array's type and length."""
        kind: Any = self._schema.maps.types.get(member)
        if kind is None:
            raise UnmetError(f"the array's type {local(member)} is not declared")
        made.set(f"{{{ENCODING}}}arrayType", f"{self._prefix(space(member))}:{local(member)}[1]")
        item = self._bare_element("item")
        self._declare_type(item, member)
        if kind.is_simple():
            item.text = self._text(kind)
        elif _is_recursion(kind, within):
            made.set(f"{{{ENCODING}}}arrayType", f"{self._prefix(space(member))}:{local(member)}[0]")
            return
        else:
            self._made += 1
            self._attributes(item, kind)
            for child in self._group(kind.content, (*within, kind)) if kind.content is not None else []:
                item.append(child)
        made.append(item)

    def _group(self, group: Any, within: tuple[Any, ...]) -> list[etree._Element]:
        """The elements of a group of particles, at its minimum count (at least once if allowed); raises UnmetError."""
        if group.min_occurs > MOST_OCCURRENCES:
            raise UnmetError(f"a group of type {name_of(within[-1])} must be there {group.min_occurs} times")
        elements: list[etree._Element] = []
        for _ in range(max(1, group.min_occurs) if group.max_occurs != 0 else 0):
            try:
                elements += (
                    self._choice(group, within) if group.model == "choice" else self._group_elements(group, within)
                )
            except UnmetError:
                if group.min_occurs > 0:
                    raise
        return elements

    def _group_elements(self, group: Any, within: tuple[Any, ...]) -> list[etree._Element]:
        return [element for particle in group for element in self._particle(particle, within)]

    def _choice(self, group: Any, within: tuple[Any, ...]) -> list[etree._Element]:
        """The first branch that yields elements; else one that may be empty."""
        reasons: list[UnmetError] = []
        empty = len(group) == 0
        for particle in group:
            try:
                elements = self._particle(particle, within, must=True)
            except UnmetError as error:
                reasons.append(error)
                empty = empty or particle.min_occurs == 0
                continue
            if elements:
                return elements
            empty = True
        if reasons and not empty:
            raise reasons[0]
        return []

    def _particle(self, particle: Any, within: tuple[Any, ...], *, must: bool = False) -> list[etree._Element]:
        """The elements of a particle, at its minimum count or once if optional; none if it is optional and cannot be made.

        `must`: it is a branch of a choice, so a failure is raised.
        """
        if particle.max_occurs == 0:
            return []
        if particle.min_occurs > MOST_OCCURRENCES:
            raise UnmetError(f"type {name_of(within[-1])} requires {particle.min_occurs} of one element")
        made_before = self._made
        try:
            if hasattr(particle, "model"):
                return self._group(particle, within)
            if getattr(particle, "type", None) is None:
                return self._wildcard_elements(particle, within)
            return [self.element(particle, within) for _ in range(max(1, particle.min_occurs))]
        except UnmetError:
            if must or particle.min_occurs > 0:
                raise
            self._made = made_before
            return []

    def _wildcard_elements(self, wildcard: Any, within: tuple[Any, ...]) -> list[etree._Element]:
        """No element if the wildcard allows that; else a global element that it admits, a simple one if there is one."""
        if wildcard.min_occurs == 0:
            return []
        admitted = [
            declared
            for declared in self._schema.maps.elements.values()
            if space(declared.name) != XSD
            and wildcard.is_matching(declared.name)
            and not declared.abstract
            and not _is_recursion(declared.type, within)
        ]
        for declared in sorted(admitted, key=lambda declared: not declared.type.is_simple()):
            try:
                return [self.element(declared, within) for _ in range(wildcard.min_occurs)]
            except UnmetError:
                continue
        if wildcard.process_contents == "strict":
            raise UnmetError("a wildcard (xs:any) requires a declared element, and none fits")
        spaces = ["urn:example", "", *(uri for uri in wildcard.namespace if not uri.startswith("##"))]
        names = (f"{{{uri}}}any" if uri else "any" for uri in spaces)
        name = next((name for name in names if wildcard.is_matching(name)), "{urn:example}any")
        return [etree.Element(_makeable_name(name)[0]) for _ in range(wildcard.min_occurs)]

    def _concrete(self, declared: Any) -> list[Any]:
        """The declaration that a reference means; for an abstract one its substitutes, those of simple types first."""
        meant = declared if declared.ref is None else self._schema.maps.elements.get(declared.name, declared)
        if not meant.abstract:
            return [meant]
        # The members of a member's group are substitutes, too.
        substitutes = [substitute for substitute in meant.iter_substitutes() if not substitute.abstract]
        if not substitutes:
            raise UnmetError(f"element {local(meant.name)} is abstract and has no substitute")
        return sorted(substitutes, key=lambda substitute: (not substitute.type.is_simple(), str(substitute.name)))

    def _concrete_types(self, declared: Any) -> list[Any]:
        """The element's type; for an abstract one, the types derived from it."""
        kind = declared.type
        if kind.is_simple() or not getattr(kind, "abstract", False):
            return [kind]
        derived = [
            candidate
            for candidate in self._schema.maps.types.values()
            if not getattr(candidate, "abstract", True)
            and candidate is not kind
            and getattr(candidate, "is_derived", None) is not None
            and candidate.is_derived(kind)
        ]
        if not derived:
            raise UnmetError(f"type {name_of(kind)} is abstract, and no type is derived from it")
        return sorted(derived, key=lambda candidate: str(getattr(candidate, "name", "")))

    def _declare_type(self, made: etree._Element, name: str) -> None:
        made.set(_TYPE, f"{self._prefix(space(name))}:{local(name)}" if space(name) else local(name))

    def _prefix(self, namespace: str) -> str:
        prefix = self._prefixes[namespace]
        self.used.add(prefix)
        return prefix


@lru_cache(10_000)
def _makeable_name(name: str) -> tuple[str, str]:
    """A name `{namespace}local` of which lxml makes elements and attributes, and its namespace."""
    uri = makeable(space(name)) if space(name) else ""
    return (f"{{{uri}}}{local(name)}" if uri else name), uri


def _is_recursion(kind: Any, within: tuple[Any, ...]) -> bool:
    return not kind.is_simple() and any(kind is outer for outer in within)
