"""Reads Swagger 2.0: what it writes otherwise than OpenAPI 3, from servers to bodies and security."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..left_out import NotTakenError
from ..names import one_line
from .content_types import FORM, MULTIPART, sendable_body
from .description import OpenApiReading
from .forms import FieldForm
from .operations import RestBody, RestParameter, Scheme
from .parameters import STYLES, WireForm
from .references import Node

# The style of a list, by its collectionFormat; a path or header knows only the first.
_STYLES = {
    "csv": ("form", False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}
# A parameter holds its schema among its own keys.
_SCHEMA_KEYS = (
    *("type", "format", "items", "default", "enum", "pattern", "multipleOf", "uniqueItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)


class SwaggerReading(OpenApiReading):
    """A reading of one Swagger document."""

    servers_key = "schemes"
    in_body = ("body", "formData")

    def _addresses(self, level: Node) -> list[str]:
        """The URLs of `schemes`, `host` and `basePath`; the path alone if there is no host."""
        path = self._root.text("basePath")
        host = self._root.text("host").strip()
        if not host:
            return [path] if path else []
        holder = level if level.has("schemes") else self._root
        schemes = [scheme.own_text() for scheme in holder.nodes("schemes")]
        supported = [scheme for scheme in schemes if scheme in ("http", "https")]
        if schemes and not supported:
            raise NotTakenError(f"its schemes are {one_line(', '.join(schemes), 60)}, neither http nor https")
        if not supported:
            place = self._root.place
            supported = ["https" if place.lower().startswith("https:") else "http"]
        return [f"{scheme}://{host}{path}" for scheme in supported]

    def _parameter(self, where: str, name: str, node: Node) -> RestParameter:
        style, explode = self._style(node)
        if where in ("path", "header"):
            if style != "form" or explode:
                raise NotTakenError(
                    f"{node.where} has the collectionFormat '{node.text('collectionFormat')}', which is not supported for a {where}"
                )
            style = STYLES[where][0]
        form = WireForm(name, where, style, explode)
        return RestParameter(form, where == "path" or node.flag("required"), _schema_of(node), _examples_of(node))

    def _style(self, node: Node) -> tuple[str, bool]:
        written = node.text("collectionFormat", "csv")
        if written not in _STYLES:
            raise NotTakenError(f"{node.where} has the unknown collectionFormat '{one_line(written, 40)}'")
        return _STYLES[written]

    def _body(self, item: Node, node: Node, method: str) -> RestBody | None:
        del method  # any may have a body
        described = {
            key: value for key, value in self._described_parameters(item, node).items() if key[0] in self.in_body
        }
        consumed = self._types(node, "consumes")
        if not described:
            return None
        whole = [parameter for (where, _), parameter in described.items() if where == "body"]
        if not whole:
            return self._form_body({name: parameter for (_, name), parameter in described.items()}, consumed)
        kinds = [kind for kind in consumed if kind.partition(";")[0].strip() not in (FORM, MULTIPART)]
        chosen = sendable_body(kinds or ["application/json"])
        if chosen is None:
            raise NotTakenError(self._unsent_text(kinds))
        body = whole[-1]  # the operation's, which holds in place of its path's
        schema = body.at("schema") if body.has("schema") else None
        return RestBody(self._sent_type(chosen[0]), schema, _examples_of(body), chosen[1])

    def _form_body(self, parameters: Mapping[str, Node], consumed: Sequence[str]) -> RestBody:
        """The body that formData parameters make together: multipart if one is a file or only that is consumed."""
        files = [name for name, parameter in parameters.items() if parameter.text("type") == "file"]
        plain = [kind.partition(";")[0].strip().lower() for kind in consumed]
        is_multipart = bool(files) or (MULTIPART in plain and FORM not in plain)
        fields = {}
        for name, parameter in parameters.items():
            style, explode = self._style(parameter)
            listed = parameter.text("type") == "array"
            fields[name] = FieldForm(style=style if listed else "", explode=explode, is_file=name in files)
            if listed and is_multipart and not explode:
                raise NotTakenError(
                    f"{parameter.where} is a list in a multipart body, which is not sent as several parts"
                )
        first = next(iter(parameters.values()))
        required = [name for name, parameter in parameters.items() if parameter.flag("required")]
        properties = {name: _schema_of(parameter).value for name, parameter in parameters.items()}
        for name, parameter in parameters.items():
            if shown := _examples_of(parameter):
                properties[name] = {**properties[name], "example": shown[0]}
        schema = Node(first.place, first.pointer, {"type": "object", "properties": properties, "required": required})
        return RestBody(
            MULTIPART if is_multipart else FORM, schema, (), "multipart" if is_multipart else "form", fields
        )

    def _types(self, node: Node, key: str) -> list[str]:
        """The content types under `consumes` or `produces` of an operation, else of the document."""
        holder = node if node.has(key) else self._root
        return [kind.own_text() for kind in holder.nodes(key)]

    def _answer_contents(self, node: Node, response: Node) -> dict[str, Node]:
        """An answer has a body if it has a schema; it is of the types that the operation produces."""
        kinds = self._types(node, "produces") or ["application/json"]
        if not response.has("schema") or self._documents.resolve(response.at("schema")).value == {"type": "file"}:
            return {}
        return dict.fromkeys(kinds, response)

    def _answered_types(self, node: Node, contents: Sequence[Mapping[str, Node]]) -> list[str]:
        return self._types(node, "produces") or super()._answered_types(node, contents)

    def _security_schemes(self) -> dict[str, Node]:
        return self._root.children_by_name("securityDefinitions")

    def _scheme_of_kind(self, name: str, scheme: Node) -> Scheme:
        if scheme.text("type") == "basic":
            return Scheme(name, "basic", "HTTP authentication 'basic'")
        return super()._scheme_of_kind(name, scheme)


def _schema_of(parameter: Node) -> Node:
    """The schema among a parameter's own keys; a file is a text."""
    own: dict[str, Any] = {key: parameter.value[key] for key in _SCHEMA_KEYS if parameter.has(key)}
    if own.get("type") == "file":
        own = {"type": "string"}
    return Node(parameter.place, parameter.pointer, own)


def _examples_of(parameter: Node) -> tuple[Any, ...]:
    return (parameter.value["x-example"],) if parameter.has("x-example") else ()
