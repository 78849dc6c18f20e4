"""SOAP answers, of either version, read safely and compared by meaning: typed values by the service's schema, never bytes."""

from __future__ import annotations

import base64
import math
import struct
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

import xmlschema
from lxml import etree

from ...base.errors import ContractError
from .. import wildcards
from ..body_format import first_difference


@dataclass(frozen=True)
class Version:
    """A version of SOAP: its name, the namespace of its envelopes, and what they come as over HTTP."""

    name: str
    envelope: str
    media_type: str
    parameters: str = ""

    def content_type(self, charset: str) -> str:
        """The header field of a message in a charset."""
        return f"{self.media_type}; charset={charset}{self.parameters}"


SOAP_11 = Version("1.1", "http://schemas.xmlsoap.org/soap/envelope/", "text/xml")
# What a header field of its own says in SOAP 1.1 is a parameter here.
SOAP_12 = Version("1.2", "http://www.w3.org/2003/05/soap-envelope", "application/soap+xml", '; action=""')
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_KNOWN_CHARACTERS = 2_000_000

Meant = tuple[str, Any]
# The values of expected answers without holes, by schema, documents and text: each fork asks the same exchanges of each subject.
_known: dict[tuple[Path, frozenset[str], str], Meant] = {}


def parse(body: bytes | str) -> etree._Element:
    """The root element of an XML document; no document type, no entity, nothing from outside. Raises ContractError."""
    raw = body.encode() if isinstance(body, str) else body
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ContractError(f"the answer is not XML: {error}; it begins {raw[:120]!r}") from None
    if root.getroottree().docinfo.doctype:
        raise ContractError("the answer holds a document type declaration, which SOAP forbids")
    return root


def content(body: bytes | str, version: Version = SOAP_11) -> etree._Element:
    """The one element inside the SOAP body; raises ContractError where there is no envelope of that version with one."""
    root = parse(body)
    if root.tag != f"{{{version.envelope}}}Envelope":
        raise ContractError(f"the answer is not a SOAP {version.name} envelope but <{root.tag}>")
    inside = root.find(f"{{{version.envelope}}}Body")
    elements = [] if inside is None else [child for child in inside if isinstance(child.tag, str)]
    if len(elements) != 1:
        raise ContractError(f"the SOAP body holds {len(elements)} elements, not one")
    return elements[0]


def is_fault(element: etree._Element) -> bool:
    """Whether a body's content is a SOAP fault."""
    return element.tag in [f"{{{version.envelope}}}Fault" for version in (SOAP_11, SOAP_12)]


def fault_text(element: etree._Element) -> str:
    """The reason that a fault gives, cut to 200 characters; says so where it gives none."""
    reason = element.findtext("faultstring") or element.findtext(
        f"{{{SOAP_12.envelope}}}Reason/{{{SOAP_12.envelope}}}Text"
    )
    return (reason or "without a faultstring").strip()[:200]


class TypedMessages:
    """SOAP messages under one schema: `typed_values` turns a body's content into plain typed values that compare with `==`.

    A hole in an expected answer takes any value of the type that the schema has there, or the one that is remembered of it.
    `documents` are the tags of elements whose text is an XML document of the same schema.
    """

    def __init__(self, schema: Path, documents: frozenset[str] = frozenset(), version: Version = SOAP_11) -> None:
        self._path = schema
        self._version = version
        self._schema = _load(schema)
        self._documents = documents
        self.remembered: dict[str, str] = {}
        self._held: dict[str, str] = {}

    @cached_property
    def binary(self) -> frozenset[str]:
        """The tags of the schema's elements whose text is base64."""
        elements = self._schema.iter_components(xmlschema.XsdElement)
        return frozenset(
            str(element.name)
            for element in elements
            if isinstance(element, xmlschema.XsdElement) and _primitive(element.type) == "base64Binary"
        )

    def remember(self) -> None:
        """Keep what the holes of the last right answer held, for the exchanges that follow."""
        self.remembered |= self._held

    def typed_values(self, element: etree._Element) -> Meant:
        """The name of a body's content and its typed values; raises ContractError where it does not keep the schema."""
        if element.tag not in self._schema.maps.elements:
            raise ContractError(f"the schema knows no element {element.tag}")
        try:
            decoded = self._schema.decode(
                _copy_element(element),
                process_namespaces=False,
                keep_empty=True,
                decimal_type=Decimal,
                value_hook=_comparable,
            )
            return str(element.tag), _plain(decoded)
        except xmlschema.XMLSchemaValidationError as error:
            raise ContractError(
                f"{etree.QName(element.tag).localname} breaks the schema: {error.reason} at {error.path}"
            ) from None

    def _expected_values(self, wanted: etree._Element, expected: str) -> Meant:
        """The typed values of what is expected, kept for the next answers; the oldest go where they are too much to keep."""
        key = self._path, self._documents, expected
        if key not in _known:
            _known[key] = self.typed_values(wanted)
            while len(_known) > 1 and sum(len(text) for _, _, text in _known) > _KNOWN_CHARACTERS:
                _known.pop(next(iter(_known)))
        return _known[key]

    def difference(self, answer: bytes | str, expected: str) -> str | None:
        """How an answer differs from the one expected, as a sentence; None where they mean the same."""
        try:
            got = content(answer, self._version)
            wanted = content(expected, self._version)
            if is_fault(got) or is_fault(wanted):
                return _difference_of_faults(got, wanted)
            held = dict(self.remembered)
            filled = _fill(wanted, got, held)
            self._compare_inside(got, wanted, held)
            # Reading values by the schema takes far longer than seeing that nothing differs.
            meant = None if _is_same(got, wanted) else self.typed_values(got)
            expected_value = self.typed_values(wanted) if filled else self._expected_values(wanted, expected)
            if meant is None:
                meant = expected_value
        except ContractError as error:
            return error.message
        if meant[0] != expected_value[0]:
            return f"the answer is a {meant[0]}, expected {expected_value[0]}"
        if meant != expected_value:
            return first_difference(meant[1], expected_value[1])
        self._held = held
        return None

    def _compare_inside(self, got: etree._Element, wanted: etree._Element, held: dict[str, str]) -> None:
        """Compare the documents in the texts of two contents and take them out, so that only the rest remains to compare.

        Raises ContractError with how two differ.
        """
        carried = [list(tree.iter(*self._documents)) if self._documents else [] for tree in (got, wanted)]
        for carrier, expected in zip(*carried, strict=False):
            document, due = parse(carrier.text or ""), parse(expected.text or "")
            _fill(due, document, held)
            meant, expected_value = self.typed_values(document), self.typed_values(due)
            if meant[0] != expected_value[0]:
                raise ContractError(f"the text is a document {meant[0]}, expected {expected_value[0]}")
            if meant != expected_value:
                raise ContractError(first_difference(meant[1], expected_value[1]))
            carrier.text = expected.text = ""


def _difference_of_faults(got: etree._Element, wanted: etree._Element) -> str | None:
    """How contents differ of which one is a fault; every fault means the same."""
    if is_fault(got) and is_fault(wanted):
        return None
    return f"a SOAP fault came: {fault_text(got)}" if is_fault(got) else "an answer came where a SOAP fault is due"


def _is_same(element: etree._Element, other: etree._Element) -> bool:
    """Whether two elements are the same but for prefixes and white space around elements.

    A type that is named in an attribute hangs on prefixes: then they are not.
    """
    return all(
        mine is not None
        and theirs is not None
        and mine.tag == theirs.tag
        and len(mine) == len(theirs)
        and _significant_text(mine) == _significant_text(theirs)
        and (mine.tail or "").strip() == (theirs.tail or "").strip()
        and mine.attrib == theirs.attrib
        and not any(name.startswith(f"{{{_XSI}}}") for name in mine.attrib)
        for mine, theirs in zip_longest(element.iter(), other.iter())
    )


def _significant_text(element: etree._Element) -> str:
    """An element's text; before an element within it, white space says nothing."""
    text = str(element.text or "")
    return text.strip() if len(element) else text


def _fill(wanted: etree._Element, got: etree._Element, values: dict[str, str]) -> bool:
    """Put into each hole what `values` has under its name, else what the answer has in its place, which `values` then has too.

    Says whether there was one.
    """
    hole = wildcards.name_of(wanted.text)
    filled = hole is not None
    if hole is not None:
        wanted.text = values.setdefault(hole, got.text or "")
    for name, text in wanted.attrib.items():
        hole = wildcards.name_of(str(text))
        if hole is not None:
            wanted.set(name, values.setdefault(hole, str(got.get(name, ""))))
            filled = True
    for child, other in zip(wanted, got, strict=False):
        if child.tag == other.tag:
            filled = _fill(child, other, values) or filled
    return filled


@cache
def _load(path: Path) -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(path), allow="local", defuse="always")


def _copy_element(element: etree._Element) -> etree._Element:
    """The element as a document of its own, so that the schema sees the namespaces it inherits."""
    return etree.fromstring(etree.tostring(element, with_tail=False))


def _comparable(value: Any, kind: Any) -> Any:
    """A decoded value made comparable: floats of 32 bits as such, binary as bytes, decimals without trailing zeros."""
    name = _primitive(kind)
    if name == "float" and isinstance(value, int | float | Decimal | str):
        return single(float(value))
    if name == "base64Binary":
        return base64.b64decode(str(value))
    if isinstance(value, Decimal):
        return value.normalize()
    return value


def _primitive(kind: Any) -> str:
    """The name of the simple type that a type comes from in the end, as XML Schema has it; empty where there is none."""
    primitive = getattr(kind, "primitive_type", None) or getattr(kind, "root_type", None)
    return str(primitive.local_name) if primitive is not None else ""


def single(value: float) -> float | str:
    """The 32-bit number nearest to `value`; NaN as a word, so that it equals itself."""
    if math.isnan(value):
        return "NaN"
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _plain(value: Any) -> Any:
    """Without what carries no meaning: namespace declarations, xsi attributes, and the schema's own wrappers."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if not _carries_no_meaning(key)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _carries_no_meaning(key: str) -> bool:
    return key.startswith("@") and ("xmlns" in key or _XSI in key or key.startswith("@xsi:"))
