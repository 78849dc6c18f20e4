"""Writes bodies as text: JSON, URL-encoded forms, multipart forms and plain text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..multipart import BodyPart, with_boundary, write_parts
from ..values import UnmetError
from .content_types import is_json
from .parameters import WireForm

_ENDINGS = {"json": "json", "form": "form", "multipart": "multipart", "text": "txt"}
_OF_FILES = "application/octet-stream"


@dataclass(frozen=True)
class FieldForm:
    """How a property of a form is sent.

    `style`, `explode` and `reserved` are those of a parameter in a query; without a style, `content_type` decides, or
    without that its value. `is_file`: a multipart form sends it as a file.
    """

    style: str = ""
    explode: bool = True
    reserved: bool = False
    content_type: str = ""
    is_file: bool = False


@dataclass(frozen=True)
class WrittenBody:
    """A body as it is sent, with its content type and the `ending` of its sample file."""

    text: str
    content_type: str
    ending: str


def write_body(kind: str, content_type: str, value: Any, fields: Mapping[str, FieldForm]) -> WrittenBody:
    """A value as the body of a request; `kind` is json, form, multipart or text, `fields` describe properties of forms.

    Raises UnmetError if the value cannot be written so.
    """
    if kind == "json":
        # Two braces begin a place for data; in JSON they occur next to each other only within texts.
        return WrittenBody(
            _without_places(json.dumps(value, indent=2, ensure_ascii=False)) + "\n", content_type, "json"
        )
    if kind == "text":
        return WrittenBody(_plain_text(value, "its body"), content_type, "txt")
    if not isinstance(value, dict):
        raise UnmetError("its body is a form, but its schema describes no object")
    if kind == "form":
        pairs = [_pairs(name, item, fields.get(name, FieldForm())) for name, item in value.items()]
        return WrittenBody("&".join(filter(None, pairs)), content_type, _ENDINGS[kind])
    parts = [part for name, item in value.items() for part in _parts(name, item, fields.get(name, FieldForm()))]
    text, boundary = write_parts(parts)
    return WrittenBody(text, with_boundary(content_type, boundary), _ENDINGS[kind])


def unwritable_fields(kind: str, value: Mapping[str, Any], fields: Mapping[str, FieldForm]) -> list[str]:
    """The properties of a form whose values cannot be written."""
    broken = []
    for name, item in value.items():
        try:
            write_body(kind, "", {name: item}, fields)
        except UnmetError:
            broken.append(name)
    return broken


def _without_places(written: str) -> str:
    """JSON text without two braces next to each other."""
    return written.replace("{{", "\\u007b{")


def _plain_text(value: Any, part: str) -> str:
    if isinstance(value, dict | list):
        raise UnmetError(f"{part} holds nested values, which plain text cannot represent")
    text = _text(value)
    if "{{" in text:
        raise UnmetError(f"{part} holds two braces, which begin a place for data")
    return text


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _items(value: Any, field: FieldForm) -> list[Any]:
    """The values that are sent under one name: those of a list, unless it is sent as one JSON text."""
    return value if isinstance(value, list) and not is_json(field.content_type) else [value]


def _pairs(name: str, value: Any, field: FieldForm) -> str:
    if field.style:
        return WireForm(name, "query", field.style, field.explode, reserved=field.reserved).serialize(value)
    quoted = (quote(_text(item), safe="") for item in _items(value, field))
    return "&".join(f"{quote(name, safe='')}={text}" for text in quoted)


def _parts(name: str, value: Any, field: FieldForm) -> Iterator[BodyPart]:
    name = _plain_text(name, "the name of a field")
    for item in _items(value, field):
        kind = field.content_type.partition(",")[0].strip()
        if field.is_file:
            kind = kind if kind and "*" not in kind else _OF_FILES
        elif isinstance(item, dict | list):
            kind = kind if is_json(kind) and "*" not in kind else "application/json"
        as_json = isinstance(item, dict | list) or is_json(kind)
        text = (
            _without_places(json.dumps(item, ensure_ascii=False))
            if as_json
            else _plain_text(item, f"the field {name[:60]}")
        )
        yield BodyPart(name, text, name if field.is_file else None, kind)
