"""Converts OpenAPI schemas to plain JSON Schema 2020-12: each once, with references only within the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..left_out import NotTakenError
from .references import Node, OpenApiDocuments

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MOST_SCHEMAS = 1_000_000
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_DEFS = "#/$defs/"
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_SCHEMAS = (
    *("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("minContains", "maxContains"),
)
_TEXTS = ("pattern", "format")
_FLAGS = ("uniqueItems", "readOnly", "writeOnly")
_ANYTHING = ("const", "default")
_NAMED = ("/components/schemas", "/definitions")
_UNSUPPORTED = ("$dynamicRef", "$recursiveRef")
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


class SchemaBook:
    """The `$defs` of one JSON Schema: the definitions by name, and every schema that they refer to.

    `sent`: the schema is of requests, in which `readOnly` properties are not required; else of answers, in which
    `writeOnly` properties are not. `notes` lists what was changed.
    """

    def __init__(self, documents: OpenApiDocuments, *, old: bool, sent: bool) -> None:
        self.definitions: dict[str, Any] = {}
        self.notes: list[str] = []
        self._documents = documents
        self._old = old  # OpenAPI 3.0 has its own schema dialect
        self._not_ours = "readOnly" if sent else "writeOnly"
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self._waiting: list[tuple[str, Node]] = []
        self._broken: dict[str, str] = {}
        self._referred: dict[str, set[str]] = {}
        self._ending: set[str] = set()  # definitions from which no circle is reached
        self._converted = 0

    def define(self, name: str, alternatives: Iterable[Node]) -> None:
        """Make a definition of this name that matches any of the schemas; raises NotTakenError if one cannot be
        used."""
        converted = [self._schema(node) for node in alternatives]
        while self._waiting:
            key, node = self._waiting.pop()
            try:
                self.definitions[key] = self._schema(node)
            except NotTakenError as error:
                self._broken[key] = str(error)
        schema = converted[0] if len(converted) == 1 else {"anyOf": converted}
        for key in self._reachable(_referred_in(schema)) if self._broken else ():
            if key in self._broken:
                raise NotTakenError(self._broken[key])
        self.definitions[name] = schema
        self._require_end(name)

    def file_content(self, names: Iterable[str]) -> dict[str, Any]:
        """The file's content: the definitions of these names and all that they refer to."""
        needed = self._reachable(names)
        return {"$schema": DIALECT, "$defs": {name: self.definitions[name] for name in needed}}

    def _require_end(self, name: str) -> None:
        """Raises NotTakenError if schemas refer to each other in a circle without a value between them."""
        on_way: list[str] = []
        waiting: list[tuple[str, bool]] = [(name, True)]
        while waiting:
            key, enters = waiting.pop()
            if not enters:
                self._ending.add(on_way.pop())
            elif key in on_way:
                del self.definitions[name]
                raise NotTakenError(f"the schema {key.removeprefix('schema.')} refers to itself endlessly")
            elif key not in self._ending:
                on_way.append(key)
                waiting.append((key, False))
                waiting += [(inner, True) for inner in _in_place(self.definitions[key])]

    def _reachable(self, names: Iterable[str]) -> dict[str, None]:
        """These definitions and all that they refer to, the broken ones included."""
        needed: dict[str, None] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in needed:
                continue
            needed[name] = None
            if name in self.definitions and name not in self._referred:
                self._referred[name] = _referred_in(self.definitions[name])
            waiting += sorted(self._referred.get(name, ()))
        return needed

    def _name_of(self, node: Node) -> str:
        """The name of the definition that a reference leads to; it is added if it is missing."""
        target = self._documents.target(node)
        place = (target.place, target.pointer)
        if place not in self._names:
            plain = re.sub(r"[^A-Za-z0-9_.-]", "_", target.last)[:80] or "schema"
            numbered = (f"schema:{plain}{f'.{number}' if number > 1 else ''}" for number in range(1, MOST_SCHEMAS))
            self._names[place] = next(name for name in numbered if name not in self._taken)
            self._taken.add(self._names[place])
            self._waiting.append((self._names[place], target))
        return self._names[place]

    def _schema(self, node: Node) -> Any:
        if isinstance(node.value, bool) and not self._old:
            return node.value
        self._converted += 1
        if self._converted > MOST_SCHEMAS:
            raise NotTakenError(f"it uses more than {MOST_SCHEMAS:,} schemas")
        node.object()
        for word in _UNSUPPORTED:
            if node.has(word):
                raise NotTakenError(f"{node.where} has a {word}, which is not supported")
        if node.has("$ref"):
            reference = {"$ref": _DEFS + self._name_of(node)}
            return reference if self._old else reference | self._plain(node)
        return self._nullable(node, self._plain(node))

    def _plain(self, node: Node) -> dict[str, Any]:
        """A schema's own keywords, without `$ref`."""
        schema = dict(self._values(node))
        for key in _LISTS:
            if node.has(key):
                schema[key] = [self._schema(item) for item in node.nodes(key)]
                if not schema[key]:
                    raise NotTakenError(f"{node.where}/{key} is empty")
        for key in _MAPS:
            if node.has(key):
                schema[key] = {name: self._schema(item) for name, item in node.children_by_name(key).items()}
        for key in _SCHEMAS:
            if node.has(key):
                inner = node.at(key)
                schema[key] = inner.value if isinstance(inner.value, bool) else self._schema(inner)
        parts = [part for part in schema.get("allOf", []) if isinstance(part, dict) and "$ref" not in part]
        for holder in (schema, *parts):
            if "required" in holder:  # a part may require what another one describes
                holder["required"] = [name for name in holder["required"] if not self._is_not_ours(node, name)]
        if node.has("discriminator"):
            self._discriminate(node, schema)
        self._name_itself(node, schema)
        return schema

    def _name_itself(self, node: Node, schema: dict[str, Any]) -> None:
        """Let the discriminator of a schema, or of one that it extends with allOf, name the schema in samples."""
        holder, _, name = node.pointer.rpartition("/")
        if holder not in _NAMED:
            return
        extended = [self._documents.resolve(part) for part in node.nodes("allOf") if part.has("$ref")]
        for described in (each.at("discriminator") for each in (node, *extended) if each.has("discriminator")):
            is_text = isinstance(described.value, str)  # in Swagger
            key_name = described.value if is_text else described.text("propertyName")
            mapping = {} if is_text else described.children_by_name("mapping")
            own = next((key for key, value in mapping.items() if value.value in (f"#{node.pointer}", name)), node.last)
            properties = schema.setdefault("properties", {})
            known = properties.get(key_name, {})
            if key_name and isinstance(known, dict) and "examples" not in known:
                properties[key_name] = {**known, "examples": [own]}

    def _values(self, node: Node) -> Iterator[tuple[str, Any]]:
        """The keywords without subschemas, each checked for its type."""
        if node.has("type"):
            yield "type", self._types(node.at("type"))
        for key in (*_NUMBERS, *_COUNTS):
            if node.has(key) and not (self._old and isinstance(node.value[key], bool)):
                yield key, _number(node.at(key), whole=key in _COUNTS, above_zero=key == "multipleOf")
        for key in _TEXTS:
            if node.has(key) and (key != "pattern" or self._is_expression(node.text(key))):
                yield key, node.text(key)
        for key in _FLAGS:
            if node.has(key):
                yield key, node.flag(key)
        if self._old:
            yield from _bounds_of_3_0(node)
        yield from _lists(node)
        if node.has("dependentRequired"):
            named = node.at("dependentRequired")
            yield "dependentRequired", {key: [item.own_text() for item in named.nodes(key)] for key in named.object()}
        for key in _ANYTHING:
            if node.has(key):
                yield key, node.value[key]

    def _types(self, node: Node) -> Any:
        types = [node.value] if isinstance(node.value, str) else node.value
        if not isinstance(types, list) or not types or (self._old and not isinstance(node.value, str)):
            raise NotTakenError(f"{node.where} is not a type")
        for kind in types:
            if kind not in TYPES:
                raise NotTakenError(f"{node.where} is '{str(kind)[:40]}', which is not a type")
        return node.value

    def _is_expression(self, pattern: str) -> bool:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError):
            self.notes.append(f"the pattern '{pattern[:80]}' is not supported here, and is not checked")
            return False
        return True

    def _nullable(self, node: Node, schema: dict[str, Any]) -> dict[str, Any]:
        """The `nullable` of 3.0, or what Swagger documents write for it, in JSON Schema."""
        if not self._old or not (node.flag("nullable") or node.flag("x-nullable")):
            return schema
        if "enum" in schema and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
        if "type" in schema:
            return {**schema, "type": [schema["type"], "null"]}
        return {"anyOf": [schema, {"type": "null"}]} if schema else schema

    def _is_not_ours(self, node: Node, name: str) -> bool:
        """Whether a property is for the other direction, as a schema or one that it extends describes it."""
        waiting, seen = [node], set[tuple[str, str]]()
        while waiting:
            level = waiting.pop()
            if not isinstance(level.value, dict) or (level.place, level.pointer) in seen:
                continue
            seen.add((level.place, level.pointer))
            properties = level.children_by_name("properties")
            if name in properties and self._says_not_ours(properties[name]):
                return True
            waiting += level.nodes("allOf")
            waiting += [self._documents.target(level)] if level.has("$ref") else []
        return False

    def _says_not_ours(self, described: Node) -> bool:
        """Whether a property, or the schema that it refers to, is for the other direction; 3.0 ignores keys beside a $ref."""
        levels = [self._documents.resolve(described), *([] if self._old else [described])]
        return any(isinstance(level.value, dict) and level.flag(self._not_ours) for level in levels)

    def _discriminate(self, node: Node, schema: dict[str, Any]) -> None:
        """Bind each alternative to its discriminator value."""
        described = node.at("discriminator")
        if isinstance(described.value, str) or described.has("defaultMapping"):
            return  # in Swagger the property alone; with a default (3.2) it may be absent
        key_name, mapping = described.text("propertyName"), described.children_by_name("mapping")
        for key in ("oneOf", "anyOf"):
            for number, item in enumerate(node.nodes(key)):
                if not key_name or not item.has("$ref"):
                    continue
                reference = item.text("$ref")
                own = [
                    name for name, value in mapping.items() if value.value in (reference, reference.rpartition("/")[2])
                ]
                target = self._documents.target(item)
                if not own and not target.pointer:
                    continue  # a whole file has no name by which the discriminator could mean it
                names = own or [target.last]
                schema[key][number] = {
                    **schema[key][number],
                    "required": [key_name],
                    "properties": {key_name: {"enum": names}},
                }


def _lists(node: Node) -> Iterator[tuple[str, list[Any]]]:
    """The list keywords: `required`, `enum` and `examples`."""
    if node.has("required"):
        yield "required", list(dict.fromkeys(item.own_text() for item in node.nodes("required")))
    if node.has("enum"):
        values = [item.value for item in node.nodes("enum")]
        if not values:
            raise NotTakenError(f"{node.where}/enum is empty")
        yield "enum", values
    shown = [node.value["example"]] if node.has("example") else []
    shown += node.value["examples"] if isinstance(node.value.get("examples"), list) else []
    if shown:
        yield "examples", shown


def _bounds_of_3_0(node: Node) -> Iterator[tuple[str, Any]]:
    """Exclusive bounds of 3.0: `exclusiveMinimum: true` excludes the minimum itself."""
    for side in ("Minimum", "Maximum"):
        if node.value.get(f"exclusive{side}") is True and node.has(side.lower()):
            yield f"exclusive{side}", _number(node.at(side.lower()), whole=False, above_zero=False)


def _number(node: Node, *, whole: bool, above_zero: bool) -> int | float:
    value = node.value
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or (whole and (value != int(value) or value < 0)) or (above_zero and value <= 0):
        raise NotTakenError(f"{node.where} is {value!r:.40}, which is not a valid number here")
    return int(value) if whole else value


def _referred_in(schema: Any) -> set[str]:
    """The definitions that a schema names."""
    named: set[str] = set()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            key = _definition_name(value)
            named |= {key} if key is not None else set()
            waiting += [inner for word, inner in value.items() if word not in ("enum", "const", "default", "examples")]
    return named


def _definition_name(schema: Mapping[str, Any]) -> str | None:
    reference = schema.get("$ref")
    return reference.removeprefix(_DEFS) if isinstance(reference, str) and reference.startswith(_DEFS) else None


def _in_place(schema: Any) -> set[str]:
    """The definitions that a schema applies to the same value, not to a part of it."""
    keys: set[str] = set()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if not isinstance(value, dict):
            continue
        key = _definition_name(value)
        keys |= {key} if key is not None else set()
        for word in _IN_PLACE:
            inner = value.get(word, [])
            waiting += inner if isinstance(inner, list) else inner.values() if word == "dependentSchemas" else [inner]
    return keys
