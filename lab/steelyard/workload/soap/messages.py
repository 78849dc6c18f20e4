"""Parses SOAP answers safely, and compares them by the schema's typed values, not by bytes."""

from __future__ import annotations

import base64
import math
import struct
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from ...base.errors import ContractError
from .. import wildcards
from ..body_format import first_difference
from ..xml_reading import read_xml

if TYPE_CHECKING:
    import xmlschema


@dataclass(frozen=True)
class Version:
    """A version of SOAP: its name, the namespace of its envelope, and its media type."""

    name: str
    envelope: str
    media_type: str
    parameters: str = ""

    def content_type(self, charset: str) -> str:
        """The Content-Type of a message in a charset."""
        return f"{self.media_type}; charset={charset}{self.parameters}"


SOAP_11 = Version("1.1", "http://schemas.xmlsoap.org/soap/envelope/", "text/xml")
# The action is a parameter here; SOAP 1.1 has a separate header for it.
SOAP_12 = Version("1.2", "http://www.w3.org/2003/05/soap-envelope", "application/soap+xml", '; action=""')
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_KNOWN_CHARACTERS = 2_000_000

Meant = tuple[str, Any]
# Cache of the values of expected answers without wildcards, by schema, documents and text: each fork checks the same
# exchanges with each subject.
_known: dict[tuple[Path, frozenset[str], str], Meant] = {}


def parse(body: bytes | str) -> etree._Element:
    """The root element of an XML document without document types, entities or external access. Raises ContractError."""
    raw = body.encode() if isinstance(body, str) else body
    try:
        root = read_xml(raw, remove_comments=True)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ContractError(f"the answer is not XML: {error}; it begins {raw[:120]!r}") from None
    if root.getroottree().docinfo.doctype:
        raise ContractError("the answer contains a document type declaration, which SOAP forbids")
    return root


def content(body: bytes | str, version: Version = SOAP_11) -> etree._Element:
    """The single element in the SOAP body; raises ContractError if it is not an envelope of that version with one
    element."""
    root = parse(body)
    if root.tag != f"{{{version.envelope}}}Envelope":
        raise ContractError(f"the answer is not a SOAP {version.name} envelope but <{root.tag}>")
    inside = root.find(f"{{{version.envelope}}}Body")
    elements = [] if inside is None else [child for child in inside if isinstance(child.tag, str)]
    if len(elements) != 1:
        raise ContractError(f"the SOAP body contains {len(elements)} elements, not one")
    return elements[0]


def is_fault(element: etree._Element) -> bool:
    """Whether a body's content is a SOAP fault."""
    return element.tag in [f"{{{version.envelope}}}Fault" for version in (SOAP_11, SOAP_12)]


def fault_text(element: etree._Element) -> str:
    """A fault's reason, at most 200 characters; a placeholder if it has none."""
    reason = element.findtext("faultstring") or element.findtext(
        f"{{{SOAP_12.envelope}}}Reason/{{{SOAP_12.envelope}}}Text"
    )
    return (reason or "without a faultstring").strip()[:200]


class TypedMessages:
    """SOAP messages of one schema: `typed_values` turns a body's content into plain typed values that compare with
    `==`.

    A wildcard in an expected answer matches any value of its type in the schema, or the value remembered for it.
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
        from xmlschema import XsdElement

        elements = self._schema.iter_components(XsdElement)
        return frozenset(
            str(element.name)
            for element in elements
            if isinstance(element, XsdElement) and _primitive(element.type) == "base64Binary"
        )

    def remember(self) -> None:
        """Remember the wildcard values of the last right answer for later exchanges."""
        self.remembered |= self._held

    def typed_values(self, element: etree._Element) -> Meant:
        """The name of a body's content and its typed values; raises ContractError if it does not match the schema."""
        from xmlschema import XMLSchemaValidationError

        if element.tag not in self._schema.maps.elements:
            raise ContractError(f"the schema has no element {element.tag}")
        try:
            decoded = self._schema.decode(
                _copy_element(element),
                process_namespaces=False,
                keep_empty=True,
                decimal_type=Decimal,
                value_hook=_comparable,
            )
            return str(element.tag), _plain(decoded)
        except XMLSchemaValidationError as error:
            raise ContractError(
                f"{etree.QName(element.tag).localname} breaks the schema: {error.reason} at {error.path}"
            ) from None

    def _expected_values(self, wanted: etree._Element, expected: str) -> Meant:
        """The typed values of an expected answer, from a cache that drops the oldest."""
        key = self._path, self._documents, expected
        if key not in _known:
            _known[key] = self.typed_values(wanted)
            while len(_known) > 1 and sum(len(text) for _, _, text in _known) > _KNOWN_CHARACTERS:
                _known.pop(next(iter(_known)))
        return _known[key]

    def difference(self, answer: bytes | str, expected: str) -> str | None:
        """How an answer differs from the expected one, as a sentence; None if they have the same values."""
        try:
            got = content(answer, self._version)
            wanted = content(expected, self._version)
            if is_fault(got) or is_fault(wanted):
                return _difference_of_faults(got, wanted)
            held = dict(self.remembered)
            filled = _fill(wanted, got, held)
            self._compare_inside(got, wanted, held)
            # Compare directly first: decoding by the schema is much slower.
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
        """Compare the XML documents in the texts of two contents, and remove them, so that only the rest remains to compare.

        Raises ContractError with the first difference.
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
    """How two contents differ, at least one of which is a fault; all faults are equal."""
    if is_fault(got) and is_fault(wanted):
        return None
    return f"a SOAP fault came: {fault_text(got)}" if is_fault(got) else "an answer came, but a SOAP fault is expected"


def _is_same(element: etree._Element, other: etree._Element) -> bool:
    """Whether two elements are equal except for prefixes and white space around elements.

    False for elements with a type in an attribute, since its value depends on prefixes.
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
    """An element's text; white space before a child element is ignored."""
    text = str(element.text or "")
    return text.strip() if len(element) else text


def _fill(wanted: etree._Element, got: etree._Element, values: dict[str, str]) -> bool:
    """Fill each wildcard from `values`, else from the same place of the answer, and add that to `values`.

    Returns whether there was a wildcard.
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
    import xmlschema  # loaded late: other services than SOAP need none of it

    return xmlschema.XMLSchema(str(path), allow="local", defuse="always")


def _copy_element(element: etree._Element) -> etree._Element:
    """A copy of the element as a separate document with the namespaces that it inherits."""
    return etree.fromstring(etree.tostring(element, encoding="UTF-8", with_tail=False))


def _comparable(value: Any, kind: Any) -> Any:
    """A decoded value in comparable form: 32-bit floats rounded as such, binary as bytes, decimals without trailing
    zeros."""
    name = _primitive(kind)
    if name == "float" and isinstance(value, int | float | Decimal | str):
        return single(float(value))
    if name == "base64Binary":
        return base64.b64decode(str(value))
    if isinstance(value, Decimal):
        return value.normalize()
    return value


def _primitive(kind: Any) -> str:
    """The name of a type's primitive type in XML Schema; empty if it has none."""
    primitive = getattr(kind, "primitive_type", None) or getattr(kind, "root_type", None)
    return str(primitive.local_name) if primitive is not None else ""


def single(value: float) -> float | str:
    """The nearest 32-bit float; NaN as a text, so that it equals itself."""
    if math.isnan(value):
        return "NaN"
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _plain(value: Any) -> Any:
    """The value without namespace declarations, xsi attributes, and the library's wrappers."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if not _carries_no_meaning(key)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _carries_no_meaning(key: str) -> bool:
    return key.startswith("@") and ("xmlns" in key or _XSI in key or key.startswith("@xsi:"))
