"""Makes values that match a JSON Schema: from its examples first, else with every described property once, as deep as few hundred
values reach."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import jsonschema
import rstr
from referencing import Registry

from ..values import UnmetError, drawn_from, in_ascii
from .formats import format_checker

MOST_VALUES = 5_000
MOST_ITEMS = 1_000
MOST_OPTIONAL = 400
_DEEPEST = 20
_MOST_LETTERS = 100_000
_MOST_ALTERNATIVES = 20
_TRIES = 25
_TEXTS = {
    "date-time": "2026-01-31T12:00:00Z",
    "date": "2026-01-31",
    "time": "12:00:00Z",
    "duration": "PT1S",
    "email": "name@example.org",
    "idn-email": "name@example.org",
    "hostname": "example.org",
    "idn-hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.org/text",
    "uri-reference": "text",
    "url": "https://example.org/text",
    "iri": "https://example.org/text",
    "iri-reference": "text",
    "uri-template": "/text",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "json-pointer": "/text",
    "relative-json-pointer": "1",
    "byte": "dGV4dA==",
}
_INFERRED = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "contains", "uniqueItems"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_ANY_KIND = ("string", "integer", "boolean", "object", "array")
_GREATER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_LESSER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_OF_OTHER_TYPES: tuple[Any, ...] = (0, "text", True, [], {})
_COMBINING = ("$ref", "allOf", "anyOf", "oneOf")
_Within = frozenset[str]


class JsonSamples:
    """Makes values for schemas that refer to `definitions` (`#/$defs/NAME`);

    `notes` lists examples that do not match.
    """

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.notes: list[str] = []
        self._definitions = definitions
        self._known = _KnownValues()
        self._sizes = _Sizes(definitions)
        whole = {"$defs": definitions}
        self._judge: Any = jsonschema.Draft202012Validator(whole, registry=Registry(), format_checker=format_checker())
        self._quick: Any = self._known.kind(whole, registry=Registry(), format_checker=format_checker())

    def value(self, name: str, offered: Sequence[Any] = ()) -> Any:
        """A value that matches the definition `name`: the first of `offered` that does, else a generated one.

        Raises UnmetError.
        """
        schema = self._definitions[name]
        try:
            for example in offered:
                if self._takes(schema, example):
                    return example
                self.notes.append(f"an example of {name} does not match its schema, and was not used")
            self._known.forget()
            making = _MakingJson(self._definitions, self._takes_part, self._known, self._sizes.depth(schema))
            made = making.value(schema, frozenset())
            if not self._takes(schema, made):
                raise UnmetError(f"no value was found that matches its schema: {self._why(schema, made)}")
        except RecursionError:
            raise UnmetError("its schema is nested too deeply") from None
        except OverflowError:
            raise UnmetError("the numbers in its schema are too large") from None
        return made

    def accepts(self, name: str, value: Any) -> bool:
        """Whether a value matches the definition `name`; without one, any does."""
        return name not in self._definitions or self._takes(self._definitions[name], value)

    def _takes(self, schema: Any, value: Any) -> bool:
        return next(self._errors(schema, value), None) is None

    def _takes_part(self, schema: Any, value: Any) -> bool:
        """Whether a part of a value matches, of which the parts are judged once."""
        return next(iter(self._quick.evolve(schema=schema).iter_errors(value)), None) is None

    def _why(self, schema: Any, value: Any) -> str:
        error = next(self._errors(schema, value))
        return f"{error.message[:160]} at {error.json_path[:80]}"

    def _errors(self, schema: Any, value: Any) -> Iterator[jsonschema.ValidationError]:
        return iter(self._judge.evolve(schema=schema).iter_errors(value))


class _KnownValues:
    """The values that were found to match a definition, and a validator that does not judge them again."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int], Any] = {}  # held, so that no other value takes its number
        follow = jsonschema.Draft202012Validator.VALIDATORS["$ref"]

        def judge_reference(validator: Any, reference: str, value: Any, schema: Any) -> Iterator[Any]:
            if (reference, id(value)) not in self._held:
                yield from follow(validator, reference, value, schema) or ()

        extend: Any = jsonschema.validators.extend
        self.kind: Any = extend(jsonschema.Draft202012Validator, {"$ref": judge_reference})

    def add(self, schema: Any, value: Any) -> None:
        """Remember an object or list that matches a schema, if it is a reference."""
        if isinstance(schema, dict) and "$ref" in schema and isinstance(value, dict | list):
            self._held[schema["$ref"], id(value)] = value

    def forget(self) -> None:
        """Begin anew, as values may be changed between samples."""
        self._held.clear()


class _Sizes:
    """How many values a sample holds with the optional properties down to a depth of references."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._known: dict[tuple[str, int], int] = {}

    def depth(self, schema: Any) -> int:
        """The greatest depth at which a sample has few enough values."""
        depth = 0
        while depth < _DEEPEST and self._size(schema, depth + 1) <= MOST_OPTIONAL:
            depth += 1
        return depth

    def _size(self, schema: Any, depth: int) -> int:
        if not isinstance(schema, dict):
            return 1
        size = 1
        name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        if name and depth > 0:
            if (name, depth) not in self._known:
                self._known[name, depth] = self._size(self._definitions.get(name), depth - 1)
            size += self._known[name, depth]
        parts = [*schema.get("allOf", []), *schema.get("prefixItems", [])]
        parts += [schema[key][0] for key in ("oneOf", "anyOf") if schema.get(key)]
        parts += [schema[key] for key in ("items", "contains") if key in schema]
        if "examples" not in schema and "default" not in schema:
            parts += schema.get("properties", {}).values()
        for part in parts:
            size += self._size(part, depth)
            if size > MOST_OPTIONAL:
                break
        return min(size, MOST_OPTIONAL + 1)


class _MakingJson:
    """The construction of one value; counts how many values it holds so far. Optional properties are made within so many
    definitions."""

    def __init__(self, definitions: Mapping[str, Any], takes: Any, known: _KnownValues, depth: int) -> None:
        self._definitions = definitions
        self._takes = takes
        self._known = known
        self._depth = depth
        self._made = 0

    def value(self, schema: Any, within: _Within) -> Any:
        """A value for a schema within the definitions `within`; raises UnmetError."""
        self._made += 1
        if self._made > MOST_VALUES:
            raise UnmetError(f"a sample would have more than {MOST_VALUES} values")
        reason = "its schema accepts no value"
        for flat, inner in itertools.islice(self._alternatives(schema, within), _MOST_ALTERNATIVES):
            try:
                for candidate in self._candidates(flat, inner):
                    if self._takes(schema, candidate):
                        self._known.add(schema, candidate)
                        return candidate
                reason = f"no value was found for {json.dumps({key: flat[key] for key in list(flat)[:6]})[:200]}"
            except UnmetError as error:
                reason = str(error)
        for candidate in self._of_one_branch(schema, within):
            if self._takes(schema, candidate):
                return candidate
        raise UnmetError(reason)

    def _of_one_branch(self, schema: Any, within: _Within) -> Iterator[dict[str, Any]]:
        """Objects that keep one branch of a `oneOf` and, by a property of the wrong type, none of the others."""
        if not isinstance(schema, dict) or "oneOf" not in schema:
            return
        flats = list(itertools.islice(self._alternatives(schema, within), _MOST_ALTERNATIVES))
        for flat, inner in flats:
            if "object" not in (flat.get("type"), *_kinds_of(flat)):
                continue
            others = {name for other, _ in flats for name in other.get("properties", {})} - {
                *flat.get("properties", {})
            }
            for made in itertools.islice(self._objects(flat, inner), 1):
                for wrong in _OF_OTHER_TYPES:
                    yield {**made, **dict.fromkeys(sorted(others), wrong)}

    def _alternatives(self, schema: Any, within: _Within) -> Iterator[tuple[dict[str, Any], _Within]]:
        """Each way to match a schema, as keywords without references and choices; none for a recursive reference."""
        if schema is False:
            return
        if schema is True:
            yield {}, within
            return
        own = {key: value for key, value in schema.items() if key not in _COMBINING}
        choices: list[list[Any]] = []
        names: _Within = frozenset()
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            if name in within:
                return
            names = frozenset({name})
            choices.append([self._definitions[name]])
        choices += [[part] for part in schema.get("allOf", [])]
        choices += [schema[key] for key in ("oneOf", "anyOf") if key in schema]
        for flat, inner in self._combine_choices(own, choices, within):
            yield flat, inner | names

    def _combine_choices(
        self, own: dict[str, Any], choices: list[list[Any]], within: _Within
    ) -> Iterator[tuple[dict[str, Any], _Within]]:
        if not choices:
            yield own, within
            return
        for branch in choices[0]:
            for flat, inner in self._alternatives(branch, within):
                for whole, names in self._combine_choices(_merge_schemas(own, flat), choices[1:], within):
                    yield whole, inner | names

    def _candidates(self, schema: dict[str, Any], within: _Within) -> Iterator[Any]:
        yield from schema.get("examples", [])
        for key in ("default", "const"):
            if key in schema:
                yield schema[key]
        if "enum" in schema:
            yield from schema["enum"]
        if "const" in schema or "enum" in schema:
            return
        declared = schema.get("type")
        kinds = [declared] if isinstance(declared, str) else list(declared or _kinds_of(schema) or _ANY_KIND)
        makers = {"object": self._objects, "array": self._arrays}
        for kind in sorted(kinds, key=lambda kind: kind == "null"):
            if kind in makers:
                yield from makers[kind](schema, within)
            else:
                yield from _plain(schema, kind)

    def _objects(self, schema: dict[str, Any], within: _Within) -> Iterator[dict[str, Any]]:
        """All described properties; then, in case that is too much, only the required ones."""
        required = schema.get("required", [])
        described = schema.get("properties", {})
        made = {}
        for name in dict.fromkeys([*required, *described]):
            inner = described.get(name, self._additional_schema(schema, name))
            if name not in required and (len(within) > self._depth or self._is_read_only(inner)):
                continue
            try:
                made[name] = self.value(inner, within)
            except UnmetError as error:
                if name in required:
                    raise UnmetError(f"property {name}: {error}") from None
        free = schema.get("additionalProperties")
        least = max(schema.get("minProperties", 0), 1 if isinstance(free, dict) and not made else 0)
        for number in range(1, min(least - len(made), MOST_ITEMS) + 1):
            made[f"key{number}"] = self.value(self._additional_schema(schema, f"key{number}"), within)
        yield made
        yield {name: value for name, value in made.items() if name in required}
        yield {}

    def _is_read_only(self, schema: Any) -> bool:
        """Whether a schema is read-only, or one that it refers to or extends."""
        waiting, seen = [schema], set[str]()
        while waiting:
            level = waiting.pop()
            if not isinstance(level, dict):
                continue
            if level.get("readOnly"):
                return True
            waiting += level.get("allOf", [])
            name = str(level.get("$ref", "")).removeprefix("#/$defs/")
            if name not in seen:
                seen.add(name)
                waiting.append(self._definitions.get(name))
        return False

    def _additional_schema(self, schema: dict[str, Any], name: str) -> Any:
        """The schema of a property that is not listed by name."""
        for pattern, inner in schema.get("patternProperties", {}).items():
            if self._takes({"pattern": pattern}, name):
                return inner
        return schema.get("additionalProperties", {})

    def _arrays(self, schema: dict[str, Any], within: _Within) -> Iterator[list[Any]]:
        first = [self.value(inner, within) for inner in schema.get("prefixItems", [])]
        inner = schema.get("items", {})
        least = schema.get("minItems", 0)
        if "contains" in schema:
            first.append(self.value(schema["contains"], within))
        count = min(max(least - len(first), 0 if first else 1), schema.get("maxItems", MOST_ITEMS), MOST_ITEMS)
        try:
            if schema.get("uniqueItems") and count > 1:
                yield first + list(itertools.islice(self._distinct_values(inner, self.value(inner, within)), count))
            elif count:
                yield first + [self.value(inner, within)] * count
        except UnmetError:
            if least > len(first):
                raise
        yield first

    def _distinct_values(self, schema: Any, value: Any) -> Iterator[Any]:
        """Distinct values of a schema; the first is given."""
        yield value
        for flat, _ in self._alternatives(schema, frozenset()):
            yield from (other for other in flat.get("enum", []) if other != value)
        for number in range(1, MOST_ITEMS):
            for other in _variants(value, number):
                if self._takes(schema, other):
                    yield other
                    break


def _kinds_of(schema: dict[str, Any]) -> list[str]:
    """The types that the keywords imply if `type` is absent."""
    return [kind for kind, words in _INFERRED.items() if any(word in schema for word in words)]


def _variants(value: Any, number: int) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + number
        yield value - number
    elif isinstance(value, str):
        yield f"{value}{number}"
        yield value[: -len(str(number))] + str(number)
    elif isinstance(value, dict):
        for key in value:
            yield from ({**value, key: other} for other in _variants(value[key], number))


def _merge_schemas(schema: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Keywords that combine two schemas as far as possible; the result is validated anyway."""
    merged = dict(schema)
    for key, value in other.items():
        if key not in merged:
            merged[key] = value
        elif key == "properties":
            names = {**merged[key], **value}
            both = {name: {"allOf": [merged[key][name], value[name]]} for name in value if name in merged[key]}
            merged[key] = names | both
        elif key in ("required", "examples"):
            merged[key] = [*merged[key], *(item for item in value if item not in merged[key])]
        elif key == "enum":
            merged[key] = [item for item in merged[key] if item in value]
        elif key == "type":
            merged[key] = _types_of_both(merged[key], value)
        elif key in ("items", "additionalProperties") and merged[key] != value:
            merged[key] = {"allOf": [merged[key], value]}
        elif key in _GREATER:
            merged[key] = max(merged[key], value)
        elif key in _LESSER:
            merged[key] = min(merged[key], value)
    return merged


def _types_of_both(kind: Any, other: Any) -> list[str]:
    ours, theirs = ([types] if isinstance(types, str) else list(types) for types in (kind, other))
    both = [each for each in ours if each in theirs]
    whole = "integer" in [*ours, *theirs] and "number" in [*ours, *theirs] and "integer" not in both
    return [*both, *(["integer"] if whole else [])]


def _plain(schema: dict[str, Any], kind: str) -> Iterator[Any]:
    if kind == "null":
        yield None
    elif kind == "boolean":
        yield from (True, False)
    elif kind == "string":
        yield from _texts(schema)
    else:
        for number in _numbers(schema):
            if number.denominator == 1:
                yield int(number)
            elif kind == "number" and abs(number) < 2**1000:
                yield float(number)


def _texts(schema: dict[str, Any]) -> Iterator[str]:
    if schema.get("format") in _TEXTS:
        yield _TEXTS[schema["format"]]
    if "pattern" in schema:
        made = rstr.Rstr(random.Random(1))
        for expression in (in_ascii(schema["pattern"]), schema["pattern"]):
            yield from sorted(drawn_from(made, expression.removeprefix("^").removesuffix("$"), _TRIES), key=len)
    least = schema.get("minLength", 0)
    size = min(max(least, 4), schema.get("maxLength", max(least, 4)))
    if size <= _MOST_LETTERS:
        yield ("text" * (size // 4 + 1))[:size]


def _numbers(schema: dict[str, Any]) -> Iterator[Fraction]:
    """Small numbers, then numbers at the bounds, beside them and between them, or multiples there."""
    bounds = [
        Fraction(Decimal(str(schema[key])))
        for key in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
        if key in schema
    ]
    step = Fraction(Decimal(str(schema["multipleOf"]))) if "multipleOf" in schema else None
    starts = [Fraction(1), Fraction(0), *bounds, *([(min(bounds) + max(bounds)) / 2] if len(bounds) > 1 else [])]
    for start in starts:
        if step is not None:
            multiple = (start // step) * step
            yield from (multiple, multiple + step, multiple - step)
            continue
        yield start
        for beside in ("1", "0.1", "0.001", "0.000001"):
            yield from (start + Fraction(beside), start - Fraction(beside))
