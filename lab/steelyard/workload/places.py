"""Places of requests, `{{name}}` and `{{function(...)}}`, which the engine fills when it sends them.

The grammar is that of `engine/src/session/computed.rs`, so that a mistake is found before anything is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..base.configuration import did_you_mean

Spot = Literal["body", "path", "header", "cookie"]  # where a text stands

_MANY = 32
# each function with the least and most of its arguments
FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "base64": (1, _MANY),
    "base64url": (1, _MANY),
    "counter": (0, 0),
    "hex": (1, _MANY),
    "hmac_sha256": (2, _MANY),
    "json": (1, _MANY),
    "jwt_hs256": (2, _MANY),
    "jwt_rs256": (2, _MANY),
    "sha256": (1, _MANY),
    "timestamp": (1, 2),
    "url": (1, _MANY),
    "uuid": (0, 0),
}
PARTS = ("method", "path", "body")  # of the request itself
# A request is filled in this order: its body, its path, its headers.
_KNOWN_PARTS: Mapping[Spot, tuple[str, ...]] = {
    "body": ("method",),
    "path": ("method", "body"),
    "header": PARTS,
    "cookie": ("method",),
}
_MOST_BYTES = 4096
_DEEPEST = 8
_CLOCKS = ("ms", "s", "iso")
NAMED_PLACE = re.compile(r"\{\{([A-Za-z0-9_]{1,64})(?::(url|json|xml))?\}\}")
_COMPUTED = re.compile(r"\{\{(?=[A-Za-z0-9_]+\()")
_END = re.compile(r"(?::(url|json|xml))?\}\}")
_WORD = re.compile(r"[A-Za-z0-9_]*")
_SPACES = re.compile(" *")
_TEXT = re.compile(r"""'(?:[^'\\]|\\['"\\nrt])*'|"(?:[^"\\]|\\['"\\nrt])*\"""")


class PlaceError(ValueError):
    """A wrong place; the message is empty where it is none at all. `at` is where it begins in its text."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True)
class NameUse:
    """A name in a computed value, and where it begins in the text."""

    name: str
    begin: int


@dataclass(frozen=True)
class TextPlace:
    """A place of a text, from `begin` to `end`, braces included: the name of a value, or a computed one with the names and parts of
    the request that it needs. Its `coding` is empty where it names none."""

    begin: int
    end: int
    value: str
    coding: str
    uses: Sequence[NameUse]
    parts: frozenset[str] = frozenset()
    computed: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the values that it needs."""
        return [use.name for use in self.uses]

    def with_coding(self, coding: str) -> str:
        """The place with a coding where it names none."""
        chosen = self.coding or coding
        return f"{{{{{self.value}:{chosen}}}}}" if chosen else f"{{{{{self.value}}}}}"


def spot_of_header(name: str) -> Spot:
    """The spot of the value of a header of this name."""
    return "cookie" if name.lower() == "cookie" else "header"


def find_places(text: str, spot: Spot | None = None) -> list[TextPlace]:
    """All places of a text that stands at `spot`. Raises PlaceError."""
    places: list[TextPlace] = []
    at = 0
    while (begin := text.find("{{", at)) >= 0:
        named = NAMED_PLACE.match(text, begin)
        if named is not None:
            use = NameUse(named[1], named.start(1))
            places.append(TextPlace(begin, named.end(), named[1], named[2] or "", [use]))
        elif _COMPUTED.match(text, begin):
            places.append(_computed_place(text, begin, spot))
        else:
            raise PlaceError("", begin)
        at = places[-1].end
    return places


def computed_places(text: str, spot: Spot | None = None) -> list[TextPlace]:
    """The computed places of a text, whose other braces stay as they are. Raises PlaceError."""
    places: list[TextPlace] = []
    at = 0
    while (match := _COMPUTED.search(text, at)) is not None:
        places.append(_computed_place(text, match.start(), spot))
        at = places[-1].end
    return places


def replace_places(text: str, places: Sequence[TextPlace], written: Callable[[TextPlace], str]) -> str:
    """A text with each of its places as `written`."""
    pieces, at = [], 0
    for place in places:
        pieces += [text[at : place.begin], written(place)]
        at = place.end
    return "".join([*pieces, text[at:]])


def with_literals(text: str, place: TextPlace, values: Mapping[str, str]) -> str:
    """A computed place of a text with those names that have a value here as texts in quotes."""
    at, pieces = place.begin, []
    for use in place.uses:
        if use.name in values:
            escaped = re.sub(r"[\\']", r"\\\g<0>", values[use.name])
            escaped = escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
            pieces += [text[at : use.begin], f"'{escaped}'"]
            at = use.begin + len(use.name)
    return "".join([*pieces, text[at : place.end]])


def _computed_place(text: str, begin: int, spot: Spot | None) -> TextPlace:
    parser = _Parser(text, begin)
    uses = parser.read_call(1)
    end = _END.match(text, parser.at)
    if end is None:
        raise PlaceError("a computed value ends with }}, or with :url, :json or :xml before it", begin)
    value = text[begin + 2 : parser.at]
    if len(value.encode()) >= _MOST_BYTES:
        raise PlaceError(f"a computed value has {_MOST_BYTES:,} bytes or more", begin)
    unknown = parser.parts - {*(_KNOWN_PARTS[spot] if spot else PARTS)}
    if unknown:
        raise PlaceError(f"a {spot} cannot use {' or '.join(sorted(unknown))}: {_WHY_UNKNOWN}", begin)
    return TextPlace(begin, end.end(), value, end[1] or "", uses, frozenset(parser.parts), computed=True)


_WHY_UNKNOWN = "a request is filled in the order body, path, headers, and cookies use neither body nor path"


class _Parser:
    """Reads one computed value."""

    def __init__(self, text: str, begin: int) -> None:
        self.at = begin + 2
        self.parts: set[str] = set()
        self._text = text
        self._begin = begin

    def read_call(self, depth: int) -> list[NameUse]:
        """The names in `function(arguments)`."""
        function = self._take(_WORD)
        if function not in FUNCTIONS:
            known = f"; the functions are {', '.join(FUNCTIONS)}"
            raise self._error(f"there is no function '{function[:40]}'{did_you_mean(function, list(FUNCTIONS))}{known}")
        if depth > _DEEPEST:
            raise self._error(f"functions are nested more than {_DEEPEST} deep")
        self.at += 1  # the bracket
        arguments = list(self._read_arguments(depth))
        least, most = FUNCTIONS[function]
        if not least <= len(arguments) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise self._error(f"{function} takes {wanted} arguments, and has {len(arguments)}")
        if function == "timestamp":
            words = [use.name for argument in arguments for use in argument]
            if not words or words[0] not in _CLOCKS or not all(word.isdigit() for word in words[1:]):
                raise self._error("timestamp takes ms, s or iso, and a whole number of seconds to add")
            return []
        uses = [use for argument in arguments for use in argument]
        self.parts |= {use.name for use in uses if use.name in PARTS}
        return [use for use in uses if use.name not in PARTS]

    def _read_arguments(self, depth: int) -> Iterator[list[NameUse]]:
        self._take(_SPACES)
        if self._text.startswith(")", self.at):
            self.at += 1
            return
        while True:
            self._take(_SPACES)
            yield self._read_argument(depth)
            self._take(_SPACES)
            ended = self._text[self.at : self.at + 1]
            if ended not in (",", ")"):
                raise self._error("an argument is not followed by , or )")
            self.at += 1
            if ended == ")":
                return

    def _read_argument(self, depth: int) -> list[NameUse]:
        if self._text[self.at : self.at + 1] in ("'", '"'):
            if not self._take(_TEXT):
                raise self._error("a text has no closing quote, or after a \\ no quote, \\, n, r or t")
            return []
        begin = self.at
        word = self._take(_WORD)
        if not word:
            raise self._error("an argument is a name, a text in quotes, or a function")
        if self._text.startswith("(", self.at):
            self.at = begin
            return self.read_call(depth + 1)
        return [NameUse(word, begin)]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def _error(self, message: str) -> PlaceError:
        return PlaceError(message, self._begin)
