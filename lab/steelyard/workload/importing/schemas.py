"""Writes the schemas of a description as files that refer only to each other, so that reading them opens nothing
else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import xmlschema
from lxml import etree

from ...base.errors import ImportRefusedError
from ..xml_reading import makeable, with_own_namespaces
from .documents import Document
from .known_schemas import KNOWN, write_known
from .names import (
    ENCODING,
    ENVELOPES,
    PROVIDED,
    WSDL,
    XML,
    XSD,
    local,
    name_in_scope,
    one_line,
    qualified_name,
    space,
    standalone,
)
from .schema_mending import remove_invalid_components, remove_repeated_components, remove_unknown_attributes
from .wsdl import MessagePart, WsdlOperation

DRIVER = "schema.xsd"
_UNNAMED = frozenset({ENCODING, ENVELOPES["1.1"]})  # known schemas that nobody expects to be fetched
_REFERRING = ("type", "ref", "base", "element", "itemType", "memberTypes", "substitutionGroup", "refer")
_BUILT_IN = frozenset({XSD, XML})


@dataclass(frozen=True)
class Schemas:
    """The loaded schema, and the member type of each SOAP array type, both as `{namespace}local`.

    `notes` lists corrections that were made. `files` maps the place of each schema document to the file that was written.
    `unmet` maps elements, as `{namespace}local`, to the reason why they cannot be used.
    """

    schema: xmlschema.XMLSchema
    arrays: dict[str, str]
    notes: list[str] = field(default_factory=list)
    files: Mapping[str, str] = field(default_factory=dict)
    unmet: Mapping[str, str] = field(default_factory=dict)


def write_schemas(documents: Sequence[Document], operations: Sequence[WsdlOperation], folder: Path) -> Schemas:
    """Write every schema of the documents, and one for the wrappers of rpc, into `folder`; schema.xsd refers to all of
    them.

    Raises ImportRefusedError if they do not form a valid schema.
    """
    files = _Files(documents, folder)
    files.add_wrappers(operations)
    files.write()
    try:
        schema = files.load()
    except (xmlschema.XMLSchemaException, AssertionError, OSError, ValueError) as error:
        # the library asserts that names resolve, which those of an unknown namespace may not
        reason = getattr(error, "message", None) or str(error)
        raise ImportRefusedError(
            f"the schema of {documents[0].place} is not valid: {one_line(reason, 300)}",
            hint="correct it in a saved copy of the description, and import that",
        ) from None
    except RecursionError:
        raise ImportRefusedError(f"the schema of {documents[0].place} is nested too deeply") from None
    return Schemas(schema, _arrays(documents), files.notes, files.file_of_place, files.unmet)


class _Files:
    """The schema documents by their future file names."""

    def __init__(self, documents: Sequence[Document], folder: Path) -> None:
        self._folder = folder
        self.notes: list[str] = []
        self.unmet: dict[str, str] = {}
        self._roots: dict[str, etree._Element] = {}
        self.file_of_place: dict[str, str] = {}
        self._places: dict[str, Document] = {}
        self._included: set[str] = set()
        for document in documents:
            if document.root.tag == f"{{{XSD}}}schema":
                self.file_of_place[document.place] = self._add_schema(document.root, document)
            for inline in document.root.iterfind(f"{{{WSDL}}}types/{{{XSD}}}schema"):
                self._add_schema(inline, document)

    def _add_schema(self, root: etree._Element, document: Document) -> str:
        # Make it a separate document with the prefixes that its texts use. Annotations cost most of the time to read it, and say
        # nothing about messages.
        own = standalone(root)
        etree.strip_elements(own, f"{{{XSD}}}annotation", with_tail=False)
        name = f"types-{len(self._roots) + 1}.xsd"
        self._roots[name] = own
        self._places[name] = document
        return name

    def add_wrappers(self, operations: Sequence[WsdlOperation]) -> None:
        """Add elements for the bodies of rpc messages, which no schema declares: the parts by their types, without a
        namespace.

        A global element of the same name describes another message. It is removed unless something else refers to it.
        """
        wrappers: dict[str, etree._Element] = {}
        parts_of: dict[str, tuple[MessagePart, ...]] = {}
        rpc = [operation for operation in operations if operation.style == "rpc"]
        needed = self._needed_elements(operations) if rpc else set()
        for operation in rpc:
            for ending, parts in (("", operation.parts), ("Response", operation.answer or ())):
                wrapper = operation.wrapper + ending
                if wrapper in parts_of or wrapper in needed:
                    if parts_of.get(wrapper) != parts:
                        self.unmet[operation.wrapper] = (
                            f"the element {local(wrapper)} around its parts is described as another one, too"
                        )
                    continue
                parts_of[wrapper] = parts
                self._remove_element(wrapper)
                schema = wrappers.setdefault(space(wrapper), _empty_schema(space(wrapper)))
                schema.append(_wrapper(local(wrapper), parts))
        for schema in wrappers.values():
            kinds = {
                space(str(element.get("type"))) for element in schema.iter(f"{{{XSD}}}element") if element.get("type")
            }
            prefixes = {uri: f"n{number}" for number, uri in enumerate(sorted(kinds)) if uri}
            nsmap = {prefix: makeable(uri) for uri, prefix in prefixes.items()}
            written = etree.Element(schema.tag, schema.attrib, nsmap={"xs": XSD, **nsmap})
            written.extend(list(schema))
            for element in written.iter(f"{{{XSD}}}element"):
                if (kind := element.get("type")) is not None:
                    element.set("type", f"{prefixes[space(kind)]}:{local(kind)}" if space(kind) else kind)
            self._roots[f"types-{len(self._roots) + 1}.xsd"] = with_own_namespaces(written)

    def _needed_elements(self, operations: Sequence[WsdlOperation]) -> set[str]:
        """The global elements that schemas or messages refer to, as `{namespace}local`."""
        parts = [part for operation in operations for part in (*operation.headers, *operation.parts)]
        parts += [part for operation in operations if operation.style != "rpc" for part in operation.answer or ()]
        referred = (_references(root, ("ref", "substitutionGroup")) for root in self._roots.values())
        return {part.element for part in parts if part.element}.union(*referred)

    def _remove_element(self, name: str) -> None:
        for root in self._roots.values():
            for element in root.findall(f"{{{XSD}}}element"):
                if f"{{{root.get('targetNamespace', '')}}}{element.get('name')}" == name:
                    root.remove(element)
                    self.notes.append(
                        f"the element {local(name)} is that of an rpc message, not the global one of its name"
                    )

    def load(self) -> xmlschema.XMLSchema:
        """The schema of all files; if it is not valid, of what is left without the components that are not."""
        driver = self._folder / DRIVER
        try:
            return self._load_valid(driver)
        except xmlschema.XMLSchemaException:
            removed = remove_invalid_components(driver, self._roots)
            self.unmet |= removed
            self.notes += [f"{why}; it is left out, with what uses it" for why in removed.values()]
            return xmlschema.XMLSchema(str(driver), allow="local", defuse="always")

    def _load_valid(self, driver: Path) -> xmlschema.XMLSchema:
        """The schema of all files; raises xmlschema.XMLSchemaException if it is not valid.

        The library judges each file by the schema of schemas, which takes it three quarters of its time. Where libxml2 takes
        all files for valid, the library judges only what it makes of them. Files that include others are left to it, since
        it compares their namespaces while it reads them.
        """
        if self._included or not all(map(_schema_of_schemas().validate, self._roots.values())):
            return xmlschema.XMLSchema(str(driver), allow="local", defuse="always")
        schema = xmlschema.XMLSchema(str(driver), allow="local", defuse="always", validation="skip", build=False)
        for part in schema.maps.iter_schemas():
            if part.maps is schema.maps:  # not the schema of schemas, which all share
                part.validation = "strict"
        schema.build()
        for error in schema.maps.all_errors:
            raise error
        return schema

    def write(self) -> None:
        """Write all files, with locations that point to the files, and imports of all namespaces that are used."""
        repeated = remove_repeated_components(self._roots.values())
        self.notes += [f"{name} is described twice in the same words: one is kept" for name in repeated]
        for name, root in self._roots.items():
            unknown = remove_unknown_attributes(root)
            if unknown:
                self.notes.append(
                    f"a schema has attributes that XML Schema does not define: {', '.join(unknown)[:200]}"
                )
            _let_arrays_hold_members(root)
            self._set_locations(name, root)
        spaces = self._spaces()
        used = {name: {space(reference) for reference in _references(root)} for name, root in self._roots.items()}
        for name, root in self._roots.items():
            self._import_what_is_used(name, root, spaces, used[name])
        wanted = [each for each in KNOWN if each in _UNNAMED or each not in spaces]
        wanted = [
            each
            for each in wanted
            if any(each in used[name] or _imports(root, each) for name, root in self._roots.items())
        ]
        spaces |= write_known(wanted, self._folder)
        self.notes += [
            f"the schema of {namespace} is the one that Steelyard has; nothing was fetched"
            for namespace in wanted
            if namespace not in _UNNAMED
        ]
        for name, root in self._roots.items():
            etree.ElementTree(root).write(
                str(self._folder / name), encoding="UTF-8", xml_declaration=True, pretty_print=True
            )
        driver = etree.Element(f"{{{XSD}}}schema", nsmap={"xs": XSD})
        driver.set("targetNamespace", "urn:steelyard:imported")
        for namespace, file in spaces.items():
            _add_import(driver, namespace, file)
        etree.ElementTree(driver).write(
            str(self._folder / DRIVER), encoding="UTF-8", xml_declaration=True, pretty_print=True
        )

    def _set_locations(self, name: str, root: etree._Element) -> None:
        document = self._places.get(name)
        for kind in ("include", "redefine"):
            for element in root.findall(f"{{{XSD}}}{kind}"):
                target = None
                if document is not None and element.get("schemaLocation"):
                    target = self.file_of_place.get(document.resolve(element.get("schemaLocation", "")))
                if target is None or target == name:
                    root.remove(element)
                    continue
                element.set("schemaLocation", target)
                self._included.add(target)

    def _spaces(self) -> dict[str, str]:
        """One file for each namespace: its only schema, or one that includes all of them."""
        of_space: dict[str, list[str]] = {}
        for name, root in self._roots.items():
            if name not in self._included:
                of_space.setdefault(root.get("targetNamespace", ""), []).append(name)
        spaces = {}
        for number, (namespace, names) in enumerate(of_space.items(), 1):
            if len(names) == 1:
                spaces[namespace] = names[0]
                continue
            together = f"namespace-{number}.xsd"
            root = _empty_schema(namespace)
            for name in names:
                etree.SubElement(root, f"{{{XSD}}}include").set("schemaLocation", name)
            etree.ElementTree(root).write(str(self._folder / together), encoding="UTF-8", xml_declaration=True)
            spaces[namespace] = together
        # If all documents of a namespace include each other, any of them can be the first.
        for name, root in self._roots.items():
            if root.get("targetNamespace") and root.get("targetNamespace") not in spaces:
                spaces[root.get("targetNamespace", "")] = name
        return spaces

    def _import_what_is_used(self, name: str, root: etree._Element, spaces: dict[str, str], used: set[str]) -> None:
        """Give the imports of a schema their locations, and import those of the namespaces that are `used` which it lacks."""
        own = root.get("targetNamespace", "")
        imported = set()
        for element in root.findall(f"{{{XSD}}}import"):
            namespace = element.get("namespace", "")
            if namespace == own:
                root.remove(element)
                self.notes.append("a schema imports its own namespace, which it need not: removed")
                continue
            element.attrib.pop("schemaLocation", None)
            if namespace in spaces:
                element.set("schemaLocation", spaces[namespace])
            elif namespace in KNOWN:
                element.set("schemaLocation", KNOWN[namespace].name)
            elif namespace not in PROVIDED:
                self.notes.append(
                    f"the namespace {one_line(namespace, 100) or 'without a name'} is imported but not defined"
                )
            imported.add(namespace)
        for namespace in sorted(used - imported - _BUILT_IN - {own}):
            location = spaces.get(namespace) or (KNOWN[namespace].name if namespace in KNOWN else None)
            if location is not None and (namespace or not own):
                _add_import(root, namespace, location)
                if name in self._places:
                    self.notes.append(
                        f"a schema uses the namespace {one_line(namespace, 100)} without importing it: the import was added"
                    )


@cache
def _schema_of_schemas() -> etree.XMLSchema:
    """XML Schema's own schema, as libxml2 reads it."""
    folder = Path(xmlschema.__file__).parent / "schemas"
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    tree = etree.parse(str(folder / "XSD_1.0" / "XMLSchema.xsd"), parser)
    for element in tree.getroot().iter(f"{{{XSD}}}import"):
        element.set("schemaLocation", str(folder / "XML" / "xml.xsd"))
    return etree.XMLSchema(tree)


def _let_arrays_hold_members(root: etree._Element) -> None:
    """Let a type that restricts SOAP's array only by wsdl:arrayType hold members: by XML Schema alone it would be
    empty."""
    for restriction in root.iter(f"{{{XSD}}}restriction"):
        if qualified_name(restriction, restriction.get("base")) != f"{{{ENCODING}}}Array":
            continue
        if any(local(str(child.tag)) in ("sequence", "choice", "all", "group") for child in restriction):
            continue
        sequence = etree.Element(f"{{{XSD}}}sequence")
        every = {"namespace": "##any", "minOccurs": "0", "maxOccurs": "unbounded", "processContents": "lax"}
        etree.SubElement(sequence, f"{{{XSD}}}any", every)
        restriction.insert(0, sequence)


def _empty_schema(namespace: str) -> etree._Element:
    root = etree.Element(f"{{{XSD}}}schema", nsmap={"xs": XSD})
    if namespace:
        root.set("targetNamespace", namespace)
    return root


def _wrapper(name: str, parts: Sequence[MessagePart]) -> etree._Element:
    """The element of an rpc message; what a part that is an element looks like there, no standard says."""
    element = etree.Element(f"{{{XSD}}}element", name=name)
    inside = etree.SubElement(element, f"{{{XSD}}}complexType")
    sequence = etree.SubElement(inside, f"{{{XSD}}}sequence")
    if all(part.kind is not None for part in parts):
        for part in parts:
            etree.SubElement(sequence, f"{{{XSD}}}element", name=part.name, type=part.kind or "", nillable="true")
    else:
        every = {"namespace": "##any", "minOccurs": "0", "maxOccurs": "unbounded", "processContents": "skip"}
        etree.SubElement(sequence, f"{{{XSD}}}any", every)
    etree.SubElement(inside, f"{{{XSD}}}anyAttribute", namespace="##other", processContents="lax")
    return element


def _add_import(root: etree._Element, namespace: str, location: str) -> None:
    element = etree.Element(f"{{{XSD}}}import")
    if namespace:
        element.set("namespace", namespace)
    element.set("schemaLocation", location)
    place = 0
    while place < len(root) and local(str(root[place].tag)) in ("include", "import", "redefine", "annotation"):
        place += 1
    root.insert(place, element)


def _references(root: etree._Element, attributes: Sequence[str] = _REFERRING) -> set[str]:
    """All qualified names that a schema refers to in these attributes. Each text is resolved once per set of prefixes: an
    element's own `nsmap` is made anew whenever it is read."""
    references: set[str] = set()
    scopes: list[dict[str | None, str]] = [{}]
    resolved: set[str] = set()
    for event, item in etree.iterwalk(root, events=("start", "start-ns", "end-ns"), tag=f"{{{XSD}}}*"):
        if event == "start":
            new = {text for text in map(item.get, attributes) if text} - resolved
            names = (name_in_scope(scopes[-1], word) for text in new for word in text.split())
            references.update(name for name in names if name is not None)
            resolved |= new
            continue
        resolved = set()
        if event == "end-ns":
            scopes.pop()
        else:
            prefix, uri = item
            scopes.append({**scopes[-1], prefix or None: uri})
    return references


def _imports(root: etree._Element, namespace: str) -> bool:
    return any(element.get("namespace") == namespace for element in root.findall(f"{{{XSD}}}import"))


def _arrays(documents: Sequence[Document]) -> dict[str, str]:
    """The member type of each type that restricts SOAP's array."""
    members = {}
    for document in documents:
        for kind in document.root.iter(f"{{{XSD}}}complexType"):
            for attribute in kind.iter(f"{{{XSD}}}attribute"):
                array_type = attribute.get(f"{{{WSDL}}}arrayType")
                schema = next(kind.iterancestors(f"{{{XSD}}}schema"), None)
                if array_type and schema is not None and kind.get("name"):
                    member = qualified_name(attribute, array_type.partition("[")[0])
                    if member is not None:
                        members[f"{{{schema.get('targetNamespace', '')}}}{kind.get('name')}"] = member
    return members
