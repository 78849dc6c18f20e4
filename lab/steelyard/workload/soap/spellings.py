"""Equivalent spellings of a SOAP request: a server that only matches strings answers some of them wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape as escape_markup
from xml.sax.saxutils import quoteattr

from lxml import etree

from ..body_format import Spelling
from .messages import SOAP_11, Version, parse

_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"


Text = Callable[[str], str]


def escape(value: str) -> str:
    """Escape text for XML; a carriage return becomes a reference, since a parser would read it as a line feed."""
    return escape_markup(value, {"\r": "&#13;"})


def all_spellings(request: str, version: Version = SOAP_11) -> Iterator[Spelling]:
    """`request` (a SOAP envelope) as it is, then in each other spelling."""
    root = parse(request)
    yield Spelling("as given", request.encode())
    yield Spelling("other prefixes", _serialize(root, prefix=lambda index: f"long-prefix.{index}_"))
    yield Spelling("default namespace", _with_default_namespaces(root))
    yield Spelling("single quotes", _serialize(root, quote="'"))
    yield Spelling("CDATA", _serialize(root, text=_cdata))
    yield Spelling("character references", _serialize(root, text=_references))
    yield Spelling("comments", _serialize(root, before_child="<!-- a comment with <tags> & more -->"))
    yield Spelling("pretty printed", _pretty(root))
    yield Spelling("no XML declaration", _serialize(root, declaration=""))
    wide = _serialize(root, declaration='<?xml version="1.0" encoding="UTF-16"?>').decode().encode("utf-16")
    yield Spelling("UTF-16", wide, version.content_type("utf-16"))
    if any(_hanging(element) for element in root.iter(etree.Element)):
        yield Spelling("prefixes on the envelope", _serialize(root, prefix=lambda index: f"e{index}", rebound=False))


def _serialize(
    root: etree._Element,
    *,
    prefix: Callable[[int], str] = lambda index: f"n{index}",
    quote: str = '"',
    text: Text = escape,
    before_child: str = "",
    declaration: str = '<?xml version="1.0" encoding="UTF-8"?>',
    rebound: bool = True,
) -> bytes:
    """Serialize the document with every namespace bound at the root; with `rebound`, namespaces of attribute values are
    bound again in place.

    Some stacks do not pass on prefixes that only the envelope binds. That is a separate spelling, so that descriptors
    can name it and servers are still tested with all others.
    """
    spaces = sorted({_space(tag) for element in root.iter() for tag in _tags(element) if _space(tag)})
    prefixes = {space: prefix(index) for index, space in enumerate(spaces)}
    bound = "".join(f" xmlns:{name}={_quote(space, quote)}" for space, name in prefixes.items())
    written = _element(root, prefixes, bound, quote, text, before_child, rebound)
    return (_change_quotes(declaration, quote) + written).encode()


def _element(
    element: etree._Element,
    prefixes: dict[str, str],
    bound: str,
    quote: str,
    text: Text,
    before_child: str,
    rebound: bool,
) -> str:
    name = _name(element.tag, prefixes)
    attributes = "".join(
        f" {_name(key, prefixes)}={_quote(_value(element, key, prefixes), quote)}" for key in element.attrib
    )
    if rebound and not bound:
        attributes += "".join(f" xmlns:{prefixes[space]}={_quote(space, quote)}" for space in _hanging(element))
    inside = text(element.text) if element.text else ""
    for child in element:
        inside += before_child + _element(child, prefixes, "", quote, text, before_child, rebound)
        inside += text(child.tail) if child.tail else ""
    return f"<{name}{bound}{attributes}>{inside}</{name}>"


def _with_default_namespaces(root: etree._Element) -> bytes:
    """Serialize every element in the default namespace, redeclared wherever it changes."""

    def element(node: etree._Element, inherited: str) -> str:
        space, local = _space(node.tag), etree.QName(node.tag).localname
        declared = f" xmlns={quoteattr(space)}" if space != inherited else ""
        prefixes = {used: f"a{index}" for index, used in enumerate(_hanging(node))}
        declared += "".join(f" xmlns:{name}={quoteattr(used)}" for used, name in prefixes.items())
        attributes = "".join(f" {_name(key, prefixes)}={quoteattr(_value(node, key, prefixes))}" for key in node.attrib)
        inside = escape(node.text or "") + "".join(element(child, space) + escape(child.tail or "") for child in node)
        return f"<{local}{declared}{attributes}>{inside}</{local}>"

    return ('<?xml version="1.0" encoding="UTF-8"?>' + element(root, "")).encode()


def _tags(element: etree._Element) -> list[str]:
    """The names of an element, of its attributes, and of the type that xsi:type gives it, each with its namespace."""
    type_ = element.get(_TYPE)
    return [element.tag, *element.attrib, *([_resolve_name(element, type_)] if type_ is not None else [])]


def _hanging(element: etree._Element) -> list[str]:
    """The namespaces of an element's attributes, and of the type that xsi:type gives it."""
    return sorted({_space(tag) for tag in _tags(element)[1:] if _space(tag)})


def _value(element: etree._Element, key: str, prefixes: dict[str, str]) -> str:
    """An attribute's value; the name in xsi:type gets the new prefix."""
    value = str(element.attrib[key])
    return _name(_resolve_name(element, value), prefixes) if key == _TYPE else value


def _resolve_name(element: etree._Element, name: str) -> str:
    """A name in an attribute, with the namespace of its prefix there."""
    prefix, colon, local = name.strip().rpartition(":")
    space = element.nsmap.get(prefix if colon else None)
    return f"{{{space}}}{local}" if space else local


def _pretty(root: etree._Element) -> bytes:
    """Indent the document only between elements, never inside a text."""
    copied = etree.fromstring(etree.tostring(root, encoding="UTF-8"))
    etree.indent(copied, space="   ")
    return bytes(etree.tostring(copied, xml_declaration=True, encoding="UTF-8"))


def _cdata(value: str) -> str:
    if not value.strip() or "\r" in value:
        return escape(value)
    middle = max(1, len(value) // 2)  # half as CDATA, half as text, which a reader must join
    return f"<![CDATA[{value[:middle].replace(']]>', ']]]]><![CDATA[>')}]]>{escape(value[middle:])}"


def _references(value: str) -> str:
    return "".join(
        f"&#x{ord(letter):X};" if index % 2 else f"&#{ord(letter)};" for index, letter in enumerate(value)
    ) if value.strip() else escape(value)  # fmt: skip


def _space(tag: str) -> str:
    match = re.match(r"\{([^}]*)\}", tag)
    return match.group(1) if match else ""


def _name(tag: str, prefixes: dict[str, str]) -> str:
    space, local = _space(tag), etree.QName(tag).localname
    return f"{prefixes[space]}:{local}" if space else local


def _quote(value: str, quote: str) -> str:
    marks = {quote: "&quot;" if quote == '"' else "&apos;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
    escaped = escape_markup(value, marks)
    return f"{quote}{escaped}{quote}"


def _change_quotes(declaration: str, quote: str) -> str:
    return declaration.replace('"', quote)


def bare_envelope(content: str, version: Version = SOAP_11) -> bytes:
    """An envelope around `content`, without an XML declaration, for intentionally bad requests."""
    return f'<s:Envelope xmlns:s="{version.envelope}"><s:Body>{content}</s:Body></s:Envelope>'.encode()
