"""Finds the tokens of a recorded visit: values with a secret's name in an answer that a later request sends again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, quote_plus

from ..secrets import names_secret
from . import captures
from .filled_texts import as_place, free_place
from .imported_requests import HeldRequest, LeftOutError, value_at

_LEAST_CHARACTERS = 12  # a shorter text may be equal by chance
_MOST_CHARACTERS = 4096  # of a value that the engine captures
_MOST_BODY = 1 << 20
_MOST_VALUES = 1000  # of one answer, and of all together
_MOST_DEPTH = 30
_INPUT = re.compile(r"<input\s[^>]{0,2000}>", re.IGNORECASE)
_NAME = re.compile(r"""\sname=["']([\w.-]{1,100})["']""", re.IGNORECASE)


@dataclass(frozen=True)
class AnsweredValue:
    """A value of an answer: the name of its key or field, and its capture."""

    name: str
    value: str
    capture: Mapping[str, object]


def values_of(entry: Mapping[str, Any]) -> list[AnsweredValue]:
    """The values of an entry's answer that have a secret's name, in JSON and in hidden fields of HTML."""
    content = value_at(entry, "response", "content")
    text = value_at(content, "text")
    if not isinstance(text, str) or len(text) > _MOST_BODY or content.get("encoding") == "base64":
        return []
    try:
        listed = _in_json(json.loads(text), [])
    except (ValueError, RecursionError):
        listed = _in_html(text)
    return [value for value, _ in zip(listed, range(_MOST_VALUES), strict=False)]


def _in_json(value: Any, path: list[str | int]) -> Iterator[AnsweredValue]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        way = [*path, key]
        name = next((each for each in reversed(way) if isinstance(each, str)), "")
        if isinstance(inner, str) and names_secret(name) and _LEAST_CHARACTERS <= len(inner) <= _MOST_CHARACTERS:
            yield AnsweredValue(name, inner, captures.by_keys(way).capture)
        elif len(way) < _MOST_DEPTH:
            yield from _in_json(inner, way)


def _in_html(text: str) -> Iterator[AnsweredValue]:
    for tag in _INPUT.finditer(text):
        named = _NAME.search(tag[0])
        if named is None or not names_secret(named[1].lstrip("_")):
            continue
        try:
            capture = captures.by_selector(f"input[name={named[1]}]", "value").capture
        except LeftOutError:
            continue
        first = re.search(str(capture["expression"]), text)  # what the engine will find
        if first is not None and _LEAST_CHARACTERS <= len(first[1]) <= _MOST_CHARACTERS:
            yield AnsweredValue(named[1].lstrip("_"), first[1], capture)


class CarriedValues:
    """Links the values of answers to the requests after them. `notes` tell which, for the user to check."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._known: dict[str, tuple[int, AnsweredValue]] = {}
        self._places: dict[str, str] = {}
        self._where: dict[int, str] = {}
        self.captures: dict[int, dict[str, Mapping[str, object]]] = {}

    def add_answer(self, number: int, request: HeldRequest, entry: Mapping[str, Any]) -> None:
        """Remember the values of the answer to request `number`."""
        self._where[number] = request.where
        for value in values_of(entry):
            if value.value in self._known or len(self._known) < _MOST_VALUES:
                self._known[value.value] = number, value

    def fill(self, request: HeldRequest) -> HeldRequest:
        """The request with places for values of earlier answers."""
        whole = "\n".join([request.url, request.body, *(value for _, value in request.headers)])
        for text, (number, value) in sorted(self._known.items(), key=lambda known: -len(known[0])):
            spellings = sorted({text, quote_plus(text), quote(text, safe=""), json.dumps(text)[1:-1]}, key=len)[::-1]
            if not any(spelling in whole for spelling in spellings):
                continue
            changed = _with_place(request, spellings, as_place(self._place(text, value.name)))
            if changed != request:
                place = self._place(text, value.name)
                self.captures.setdefault(number, {})[place] = value.capture
                self.notes.append(
                    f"{request.where} sends {value.name} of the answer of {self._where[number]}: please check"
                )
                request = changed
        return request

    def _place(self, text: str, name: str) -> str:
        return self._places.setdefault(text, free_place(name, self._places.values()))


def _with_place(request: HeldRequest, spellings: Sequence[str], place: str) -> HeldRequest:
    """The request with a place for a value, in each of its spellings."""

    def within(text: str) -> str:
        for spelling in (each for each in spellings if each in text):
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(spelling)}(?![A-Za-z0-9])", place, text)
        return text

    headers = tuple((name, within(value)) for name, value in request.headers)
    return replace(request, url=within(request.url), headers=headers, body=within(request.body))
