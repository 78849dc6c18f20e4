"""Reads a JSON or YAML document as plain values: no custom types, bounded aliases, no duplicate keys."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import yaml

from ....base.errors import ImportRefusedError
from ..names import one_line

MOST_NODES = 1_000_000  # each use of an alias counts in full
MOST_DEPTH = 100
_STANDARD = "tag:yaml.org,2002:"
# The core schema of YAML 1.2 (section 10.3): dates, `no` and `12:30` are texts. YAML 1.1 reads them otherwise.
_NULL = re.compile(r"|~|null|Null|NULL")
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def values_of(raw: bytes, place: str) -> Any:
    """A document's content as dicts with text keys, lists, texts, numbers, booleans and None.

    Raises ImportRefusedError with the line if it is not JSON or YAML, or exceeds MOST_NODES values or MOST_DEPTH
    levels.
    """
    try:
        text = raw.decode(json.detect_encoding(raw)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ImportRefusedError(f"{place} is not UTF-8 text: {error.reason} at byte {error.start}") from None
    values = _of_json(text, place) if text.lstrip()[:1] in ("{", "[") else _of_yaml(text, place)
    _require_bounded(values, place)
    return values


def _of_json(text: str, place: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise _depth_refusal(place) from None
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise ImportRefusedError(f"{place} is not well-formed JSON: {error.msg} at {at}") from None
    except ValueError as error:
        raise ImportRefusedError(f"{place} is JSON that cannot be used: {one_line(str(error))}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            raise ValueError(f"the key '{key[:80]}' occurs twice in one object")
        read[key] = value
    return read


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:40]} is not a valid JSON number")
    return number


def _depth_refusal(place: str) -> ImportRefusedError:
    return ImportRefusedError(f"{place} is nested more than {MOST_DEPTH} levels deep")


def _require_bounded(values: Any, place: str) -> None:
    """Check depth, number of values, and that every text can be encoded (no half of a surrogate pair)."""
    level, nodes = [values], 0
    for _ in range(MOST_DEPTH):
        nodes += len(level)
        if nodes > MOST_NODES:
            raise ImportRefusedError(f"{place} holds more than {MOST_NODES:,} values")
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += [*value, *value.values()]
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str) and not value.isascii() and not _is_sendable(value):
                raise ImportRefusedError(f"{place} holds a text with half a character in it: {value[:40]!r}")
        if not inner:
            return
        level = inner
    raise _depth_refusal(place)


def _is_sendable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_yaml(text: str, place: str) -> Any:
    built = _Built(place)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            built.add_event(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        problem = one_line(error.problem or error.context or "it cannot be parsed")
        raise ImportRefusedError(f"{place} is not well-formed YAML: {problem}{at}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ImportRefusedError(f"{place} is not well-formed YAML: {one_line(str(error))}") from None
    return built.root


class _Open:
    """An open mapping or sequence: its first line, and how many values were built before it."""

    def __init__(self, value: dict[str, Any] | list[Any], anchor: str | None, before: int) -> None:
        self.value = value
        self.anchor = anchor
        self.before = before
        self.key: str | None = None
        self.merged: list[Any] = []


class _Built:
    """Builds values from a parser's events. An alias repeats its value, and counts as many values."""

    def __init__(self, place: str) -> None:
        self.root: Any = None
        self._place = place
        self._open: list[_Open] = []
        self._named: dict[str, tuple[Any, int]] = {}
        self._nodes = 0
        self._documents = 0

    def add_event(self, event: Any) -> None:
        """Process the next event; raises ImportRefusedError."""
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._refusal(event, "a second document begins, but only one is allowed")
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._named:
                raise self._refusal(event, f"the alias *{event.anchor[:40]} refers to itself or to nothing")
            value, size = self._named[event.anchor]
            self._add(event, value, size)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._end(event)

    def _begin(self, event: Any) -> None:
        if len(self._open) >= MOST_DEPTH:
            raise _depth_refusal(self._place)
        inside = self._open[-1] if self._open else None
        if inside is not None and isinstance(inside.value, dict) and inside.key is None:
            raise self._refusal(event, "a key is not a plain text")
        self._require_known(event, ("map", "seq"))
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._named.pop(event.anchor or "", None)
        self._open.append(_Open(value, event.anchor, self._nodes))

    def _end(self, event: Any) -> None:
        ended = self._open.pop()
        if isinstance(ended.value, dict):
            for merged in ended.merged:
                for key, value in merged.items():
                    ended.value.setdefault(key, value)
        size = self._nodes - ended.before
        self._nodes = ended.before
        self._add(event, ended.value, size + 1)
        if ended.anchor:
            self._named[ended.anchor] = (ended.value, size + 1)

    def _scalar(self, event: Any) -> None:
        inside = self._open[-1] if self._open else None
        is_key = inside is not None and isinstance(inside.value, dict) and inside.key is None
        value = event.value if is_key else self._scalar_value(event)
        if event.anchor:
            self._named[event.anchor] = (value, 1)
        self._add(event, value, 1)

    def _add(self, event: Any, value: Any, size: int) -> None:
        self._nodes += size
        if self._nodes > MOST_NODES:
            raise ImportRefusedError(f"{self._place} holds more than {MOST_NODES:,} values, its aliases written out")
        if not self._open:
            self.root = value
            return
        inside = self._open[-1]
        if isinstance(inside.value, list):
            inside.value.append(value)
        elif inside.key is None:
            if not isinstance(value, str):
                raise self._refusal(event, "a key is not a plain text")
            if value in inside.value:
                raise self._refusal(event, f"the key '{value[:80]}' occurs twice in one mapping")
            inside.key = value
        else:
            self._set(event, inside, inside.key, value)
            inside.key = None

    def _set(self, event: Any, inside: _Open, key: str, value: Any) -> None:
        if key != "<<":
            inside.value[key] = value  # type: ignore[call-overload]
            return
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(each, dict) for each in listed):
            raise self._refusal(event, "'<<' merges a value that is not a mapping")
        inside.merged += listed

    def _scalar_value(self, event: Any) -> Any:
        """A scalar's value, by the core schema of YAML 1.2."""
        self._require_known(event, ("str", "int", "float", "bool", "null"))
        text, tag = event.value, event.tag
        if not event.implicit[0] and (tag is None or tag in ("!", f"{_STANDARD}str")):
            return text
        if tag == f"{_STANDARD}str":
            return text
        if _NULL.fullmatch(text):
            return None
        if text in _TRUTH:
            return _TRUTH[text]
        try:
            if _WHOLE.fullmatch(text):
                return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
            return _finite(text) if _NUMBER.fullmatch(text) else text
        except ValueError as error:
            raise self._refusal(event, one_line(str(error))) from None

    def _require_known(self, event: Any, kinds: tuple[str, ...]) -> None:
        if event.tag not in (None, "!", *(f"{_STANDARD}{kind}" for kind in kinds)):
            raise self._refusal(event, f"the tag {one_line(event.tag, 80)} is not supported")

    def _refusal(self, event: Any, why: str) -> ImportRefusedError:
        return ImportRefusedError(f"{self._place}, line {event.start_mark.line + 1}: {why}")
