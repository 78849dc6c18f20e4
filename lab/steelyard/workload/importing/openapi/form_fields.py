"""Reads how the properties of a form are sent, from its `encoding` and from their schemas."""

from __future__ import annotations

from ..left_out import NotTakenError
from ..names import one_line
from .forms import FieldForm
from .parameters import STYLES
from .references import Node, OpenApiDocuments

_MOST_NESTED = 20  # levels of allOf in which properties are looked for


def fields_of(content: Node, kind: str, documents: OpenApiDocuments) -> dict[str, FieldForm]:
    """The fields of a body of a `kind` (form or multipart) by name, as its media type `content` describes them; raises
    NotTakenError."""
    encodings = content.children_by_name("encoding")
    properties = _properties(content.at("schema"), documents, 0) if content.has("schema") else {}
    fields = {}
    for name in dict.fromkeys([*properties, *encodings]):
        is_file = kind == "multipart" and name in properties and _is_file(properties[name], documents)
        encoding = documents.resolve(encodings[name]) if name in encodings else None
        fields[name] = FieldForm(is_file=is_file) if encoding is None else _form_of(encoding, is_file)
    return fields


def _form_of(encoding: Node, is_file: bool) -> FieldForm:
    style, kind = encoding.text("style", "form"), encoding.text("contentType")
    if style not in STYLES["query"]:
        raise NotTakenError(
            f"{encoding.where} has the style '{one_line(style, 40)}', which is not supported for a form"
        )
    if not kind.isascii() or (kind and not kind.isprintable()):
        raise NotTakenError(f"{encoding.where} has a content type that is not valid")
    is_styled = any(encoding.has(key) for key in ("style", "explode", "allowReserved"))
    return FieldForm(
        style=style if is_styled else "",
        explode=encoding.flag("explode", style == "form"),
        reserved=encoding.flag("allowReserved"),
        content_type=kind,
        is_file=is_file,
    )


def _properties(schema: Node, documents: OpenApiDocuments, nested: int) -> dict[str, Node]:
    """The properties of a schema and of what it combines with allOf."""
    schema = documents.resolve(schema)
    if nested > _MOST_NESTED or not isinstance(schema.value, dict):
        return {}
    inherited: dict[str, Node] = {}
    for part in schema.nodes("allOf"):
        inherited |= _properties(part, documents, nested + 1)
    return inherited | schema.children_by_name("properties")


def _is_file(schema: Node, documents: OpenApiDocuments) -> bool:
    """Whether a property, or each item of a list, holds the content of a file."""
    schema = documents.resolve(schema)
    if schema.has("items"):
        schema = documents.resolve(schema.at("items"))
    is_binary = schema.has("contentMediaType") and not schema.has("contentEncoding")
    return is_binary or (schema.has("format") and schema.value["format"] == "binary")
