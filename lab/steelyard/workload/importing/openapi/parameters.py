"""Serializes OpenAPI parameters into paths, queries, headers and cookies by style (section 4.8.12.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..left_out import NotTakenError
from ..values import UnmetError

STYLES = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
_BETWEEN = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}  # the last in Swagger
_RESERVED = ":/?@!$'()*,;"  # allowed unescaped in a query; `#[]&=+` have another meaning


@dataclass(frozen=True)
class WireForm:
    """How the value of one parameter is serialized: its place `where` (path, query, header, cookie) and its `name`.

    `as_json`: as JSON text, whatever the style. `reserved` characters in a query stay unescaped.
    """

    name: str
    where: str
    style: str
    explode: bool
    as_json: bool = False
    reserved: bool = False

    def serialize(self, value: Any) -> str:
        """A value serialized in the parameter's style; raises UnmetError if the style cannot represent it."""
        if self.where == "header":
            return _sendable(self._simple(value, lambda text: text), self.name)
        if self.where == "path":
            written = self._in_path(value)
            if not written.strip("."):
                raise UnmetError(f"parameter {self.name} has the value '{written}', which would change the path")
            return written
        return self._in_query(value)

    def _quote(self, text: str) -> str:
        return quote(text, safe=_RESERVED if self.reserved else "")

    def _simple(self, value: Any, quoted: Any, between: str = ",") -> str:
        """A value as one text, with `between` its items."""
        if self.as_json:
            return str(quoted(json.dumps(value, ensure_ascii=self.where == "header")))
        if isinstance(value, list):
            return between.join(quoted(_text(item, self.name)) for item in value)
        if isinstance(value, dict):
            inner = "=" if self.explode else between
            return between.join(f"{quoted(key)}{inner}{quoted(_text(item, self.name))}" for key, item in value.items())
        return str(quoted(_text(value, self.name)))

    def _in_path(self, value: Any) -> str:
        if self.as_json or self.style == "simple":
            return self._simple(value, self._quote)
        many = isinstance(value, list | dict) and self.explode
        if self.style == "label":
            return "." + self._simple(value, self._quote, "." if many else ",")
        name = self._quote(self.name)
        if not many:
            return f";{name}={self._simple(value, self._quote)}"
        return "".join(f";{key}={item}" for key, item in self._pairs(name, value))

    def _pairs(self, name: str, value: Any) -> list[tuple[str, str]]:
        items: Iterable[tuple[str, Any]] = (
            value.items() if isinstance(value, dict) else ((name, item) for item in value)
        )
        return [(self._quote(key), self._quote(_text(item, self.name))) for key, item in items]

    def _in_query(self, value: Any) -> str:
        name = self._quote(self.name)
        if self.as_json:
            return f"{name}={self._quote(json.dumps(value, ensure_ascii=False))}"
        if self.style == "deepObject":
            if not isinstance(value, dict):
                raise UnmetError(f"parameter {self.name} is not an object, which its style deepObject needs")
            return "&".join(f"{name}%5B{key}%5D={item}" for key, item in self._pairs(name, value))
        if isinstance(value, list | dict) and self.explode:
            return "&".join(f"{key}={item}" for key, item in self._pairs(self.name, value))
        return f"{name}={self._simple(value, self._quote, _BETWEEN[self.style])}"


def path_of(template: str, written: Mapping[str, str]) -> str:
    """A path template with its parameters filled in; raises NotTakenError if a parameter is not described, or the path
    is not valid."""
    path = ""
    for place, piece in enumerate(template.split("{")):
        if place == 0:
            path += _path_text(piece)
            continue
        name, closes, rest = piece.partition("}")
        if not closes or name not in written:
            raise NotTakenError(f"its path {template[:100]} names '{name[:60]}', which is not a described parameter")
        path += written[name] + _path_text(rest)
    return path


def template_of(template: str) -> str:
    """A path template percent-encoded, its parameters in braces."""
    pieces = re.split(r"\{([^{}]*)\}", template)
    return "".join(
        f"{{{quote(piece, safe='')}}}" if number % 2 else _path_text(piece) for number, piece in enumerate(pieces)
    )


def _path_text(text: str) -> str:
    return quote(text, safe="/%:@!$&'()*+,;=~-._")


def _text(value: Any, name: str) -> str:
    if isinstance(value, dict | list):
        raise UnmetError(f"parameter {name} holds nested values, which its style cannot represent")
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _sendable(text: str, name: str) -> str:
    if not text.isascii() or not text.isprintable() or text != text.strip():
        raise UnmetError(f"parameter {name} has a value that is not valid in a header")
    return text
