"""Makes a text for a simple type from its enumeration, its pattern or its bounds.

A type without a valid candidate is reported.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import rstr

from .names import XSD, local, space

_TRIES = 25
_LONGEST = 100_000
_TEMPORAL = {
    "dateTime": ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00", "2026-01-31T12:00:00.000Z"),
    "dateTimeStamp": ("2026-01-31T12:00:00Z",),
    "date": ("2026-01-31", "2026-01-31Z"),
    "time": ("12:00:00", "12:00:00Z"),
    "gYear": ("2026",),
    "gYearMonth": ("2026-01",),
    "gMonth": ("--01",),
    "gMonthDay": ("--01-31",),
    "gDay": ("---31",),
    "duration": ("PT1S", "P1D", "P1M"),
    "dayTimeDuration": ("PT1S",),
    "yearMonthDuration": ("P1M",),
}
_OTHERS = {
    "boolean": ("true",),
    "anyURI": ("urn:example:text",),
    "QName": ("xml:lang",),
    "float": ("1.5", "0"),
    "double": ("1.5", "0"),
}
_WORDS = {"language": ("en",), "ID": ("id1",), "IDREF": ("id1",), "ENTITY": ("id1",)}
# Readable characters of XML's character classes, by escape; inside and outside brackets.
_ASCII = {
    r"\i": "[A-Za-z_]",
    r"\c": "[A-Za-z0-9]",
    r"\d": "[0-9]",
    r"\w": "[A-Za-z0-9]",
    r"\s": " ",
    r"\p{L}": "[A-Za-z]",
    r"\p{Lu}": "[A-Z]",
    r"\p{Ll}": "[a-z]",
    r"\p{N}": "[0-9]",
    r"\p{Nd}": "[0-9]",
}
_ESCAPES = re.compile(r"\\p\{(?:L|Lu|Ll|N|Nd)\}|(?<!\\)\\[icdws]")
_BOUNDS = ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive")


class UnmetError(Exception):
    """No value could be made for a type; the message names the type and its restrictions."""


def text_for(kind: Any) -> str:
    """A text that the simple type `kind` of the XML Schema library accepts, always the same; raises UnmetError."""
    seen: set[str] = set()
    for text in _candidates(kind):
        if text not in seen and len(text) <= _LONGEST:
            seen.add(text)
            if kind.is_valid(text):
                return text
    raise UnmetError(f"type {name_of(kind)}: {_demands(kind) or 'no valid value was found'}")


def name_of(kind: Any) -> str:
    """A type's name, or a description by its nearest named base."""
    while kind is not None and not kind.name:
        base = kind.base_type
        if base is None:
            break
        return f"a restriction of {name_of(base)}"
    return local(kind.name or "without a name")


def _candidates(kind: Any) -> Iterator[str]:
    yield from _enumeration_values(kind)
    if kind.is_union():
        for member in kind.member_types:  # a text of another member says more than none
            yield from filter(None, _candidates(member))
    elif kind.is_list():
        yield from _lists(kind)
    else:
        own = [base for base in _line(kind) if space(base.name or "") != XSD and _own_patterns(base) is not None]
        if not own:
            yield from _plain(kind)
        for base in own:
            yield from _matching(base)
        yield from _plain(kind)
    yield ""


def is_identifier(kind: Any) -> bool:
    """Whether a simple type is xs:ID or derived from it: its values differ within a document."""
    return any(base.name == f"{{{XSD}}}ID" for base in _line(kind))


def _line(kind: Any) -> Iterator[Any]:
    """A type and its bases, nearest first."""
    while kind is not None:
        yield kind
        kind = kind.base_type if kind.base_type is not kind else None


def _enumeration_values(kind: Any) -> Iterator[str]:
    for base in _line(kind):
        listed = getattr(base, "facets", {}).get(f"{{{XSD}}}enumeration")
        if listed is not None:
            yield from (str(facet.get("value")) for facet in listed)
            return


def _lists(kind: Any) -> Iterator[str]:
    item = next((base.item_type for base in _line(kind) if getattr(base, "item_type", None) is not None), None)
    if item is None:
        return
    least, most = _lengths(kind)
    count = max(least, 1) if most is None else min(max(least, 1), most)
    if count <= _LONGEST // 10:
        yield " ".join([text_for(item)] * count)


def _matching(kind: Any) -> Iterator[str]:
    """Texts that match a pattern of the type itself."""
    patterns = _own_patterns(kind)
    if patterns is None:
        return
    made = rstr.Rstr(random.Random(1))
    for declared, compiled in zip(patterns, patterns.patterns, strict=False):
        # Readable characters first: XML's classes have a hundred thousand characters, and drawing from them takes
        # seconds.
        plain = in_ascii(str(declared.get("value", "")))
        # The library's translated pattern, without anchors and lookaheads for the end of a match.
        translated = re.sub(r"\(\?!\\n\\Z\)|\\Z|(?<!\\)\$$|^\^", "", compiled.pattern)
        for expression, tries in ((plain, _TRIES), (translated, 1)):
            yield from sorted(drawn_from(made, expression, tries), key=len)


def in_ascii(pattern: str) -> str:
    """A pattern with XML's large classes replaced by readable characters."""
    pieces, inside, place = [], 0, 0
    for escape in _ESCAPES.finditer(pattern):
        before = pattern[place : escape.start()]
        inside += before.count("[") - before.count("]")
        letters = _ASCII[escape[0]]
        pieces += [before, letters.strip("[]") if inside > 0 else letters]
        place = escape.end()
    return "".join([*pieces, pattern[place:]])


def drawn_from(made: rstr.Rstr, expression: str, tries: int) -> Iterator[str]:
    for _ in range(tries):
        try:
            text = made.xeger(expression)
        except (re.error, ValueError, KeyError, IndexError, OverflowError, AttributeError, TypeError):
            return
        yield text
        if len(text) > _LONGEST:
            return


def _own_patterns(kind: Any) -> Any:
    """The patterns of the type itself, without inherited ones; None if it has none."""
    patterns = getattr(kind, "patterns", None)
    inherited = getattr(kind.base_type, "patterns", None) if kind.base_type is not kind else None
    return None if patterns is inherited else patterns


def _lengths(kind: Any) -> tuple[int, int | None]:
    """The minimum and maximum length by the facets of a type and its bases."""
    least, most = 0, None
    for base in _line(kind):
        least = max(least, getattr(base, "min_length", None) or 0)
        limit = getattr(base, "max_length", None)
        if limit is not None:
            most = limit if most is None else min(most, limit)
    return least, most


def _plain(kind: Any) -> Iterator[str]:
    primitive = getattr(kind, "primitive_type", None)
    name = local(primitive.name) if primitive is not None and primitive.name else "string"
    bounds = list(_bounds(kind))
    if name == "decimal":
        yield from _numbers(bounds)
    elif name in ("hexBinary", "base64Binary"):
        least, most = _lengths(kind)
        size = max(least, 4) if most is None else min(max(least, 4), most)
        if size <= _LONGEST:
            raw = bytes(number % 251 for number in range(size))
            yield raw.hex().upper() if name == "hexBinary" else base64.b64encode(raw).decode()
    elif name in _TEMPORAL or name in _OTHERS:
        own = [local(base.name) for base in _line(kind) if base.name]
        for each in (*own, name):
            yield from _TEMPORAL.get(each, ())
            yield from _OTHERS.get(each, ())
        yield from bounds
        if name in ("float", "double"):
            yield from _numbers(bounds)
    else:
        yield from _texts(kind)


def _texts(kind: Any) -> Iterator[str]:
    for base in _line(kind):
        yield from _WORDS.get(local(base.name) if base.name else "", ())
    least, most = _lengths(kind)
    size = max(least, 4) if most is None else min(max(least, 4), most)
    if size <= _LONGEST:
        yield ("text" * (size // 4 + 1))[:size]


def _bounds(kind: Any) -> Iterator[str]:
    """The bounds as texts."""
    for base in _line(kind):
        facets = getattr(base, "facets", None) or {}
        for bound in _BOUNDS:
            facet = facets.get(f"{{{XSD}}}{bound}")
            if facet is not None and facet.elem is not None:
                yield str(facet.elem.get("value"))


def _numbers(bounds: list[str]) -> Iterator[str]:
    """Small numbers, then numbers at the bounds, beside them and between them."""
    yield from ("1", "0", "-1", "1.5")
    values = []
    for text in bounds:
        try:
            value = Decimal(text)
        except ArithmeticError:
            continue
        if value.is_finite():
            values.append(value)
    for value in sorted(set(values)):
        for step in ("0", "1", "-1", "0.1", "-0.1", "0.01", "-0.01", "0.000001", "-0.000001"):
            yield format(value + Decimal(step), "f")
    if len(values) > 1:
        yield format((min(values) + max(values)) / 2, "f")


def _demands(kind: Any) -> str:
    """The restrictions of a type in a few words."""
    demands = []
    for base in _line(kind):
        patterns = _own_patterns(base)
        if patterns is not None and space(base.name or "") != XSD:
            demands += [f"pattern {pattern.get('value', '')[:60]}" for pattern in patterns]
    least, most = _lengths(kind)
    if least or most is not None:
        demands.append(f"length {least} to {'any' if most is None else most}")
    demands += [f"bound {text[:30]}" for text in _bounds(kind)]
    return f"no value was found for {', '.join(demands)}" if demands else ""
