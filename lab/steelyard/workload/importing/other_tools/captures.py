"""Converts other tools' extractors to captures of a session, as a service file has them.

Each function raises LeftOutError, with the reason, where there is no such capture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .imported_requests import LeftOutError
from .rules import engine_expression, only_group, plain

_KEY = re.compile(r"""\.([^.\[\]'"\s()*?@,:]+)|\[(\d{1,9}|\*)\]|\[\s*'([^'\\]*)'\s*\]|\[\s*"([^"\\]*)"\s*\]""")
_ANYWHERE = re.compile(r"\$\.\.([\w-]+)")
_MOST_KEYS = 32
_LOCAL_NAME = re.compile(r"""\*\[\s*local-name\(\)\s*=\s*['"]([\w.-]+)['"]\s*\]""")
_STEP = re.compile(r"(?:(?:[\w.-]+|\*):)?([\w.-]+)((?:\[[^\]]*\])*)")
_ATTRIBUTE_IS = re.compile(r"""\[\s*@([\w.-]+)\s*=\s*(['"])([^'"]*)\2\s*\]""")
_SELECTOR = re.compile(r"""([\w-]*)((?:#[\w-]+|\[[\w-]+=["']?[^"'\]]*["']?\])*)""")
_SELECTED = re.compile(r"""#([\w-]+)|\[([\w-]+)=["']?([^"'\]]*)["']?\]""")
_FIELD = re.compile(r"(?:\(\?i\))?([A-Za-z][\w-]*)\s*:(?:\\s[*+]?|\s)*(.*)", re.DOTALL)
_COOKIE = re.compile(r"([\w.-]+)=\((?:[^()\\]|\\.)*\)(?:;|\\;|\[;\]|$).*", re.DOTALL)
_WHOLE = re.compile(r"\((?:\.|\\S|\[\^(?:\\r|\\n)+\])[*+]\??\)\$?")


@dataclass(frozen=True)
class FoundCapture:
    """A capture as in a service file; `note` says how it differs from the tool's, empty where it does not."""

    capture: Mapping[str, object]
    note: str = ""


@dataclass(frozen=True)
class _Tag:
    """The name of an element, and the values that its attributes must have."""

    name: str
    attributes: Sequence[tuple[str, str]] = ()


def by_json_path(expression: str, match: int = 1) -> FoundCapture:
    """The capture of match number `match` (0: any) of a JSONPath or a JMESPath."""
    text = expression.strip()
    if not text:
        raise LeftOutError("it has no path")
    anywhere = _ANYWHERE.fullmatch(text)
    if anywhere is not None and match in (0, 1):
        pattern = rf'"{plain(anywhere[1])}"\s*:\s*"([^"\\]+)"'
        note = f"{text[:60]} takes the first text of that name in the answer"
        return FoundCapture({"kind": "regex", "expression": pattern}, note)
    rest = text[1:] if text.startswith("$") else text if text.startswith("[") else f".{text}"
    path: list[str | int] = []
    stars, at = 0, 0
    while at < len(rest):
        key = _KEY.match(rest, at)
        if key is None:
            raise LeftOutError(f"its path {text[:60]} is more than keys and indexes")
        if key[2] == "*":
            stars += 1
            path.append(max(match, 1) - 1)
        else:
            path.append(int(key[2]) if key[2] else next(name for name in (key[1], key[3], key[4]) if name is not None))
        at = key.end()
    if match < 0 or (match > 1 and stars != 1):
        raise LeftOutError("it takes another match than the first")
    note = f"{text[:60]} takes element {max(match, 1)} of each list" if stars else ""
    return replace(by_keys(path), note=note)


def by_keys(path: Sequence[str | int]) -> FoundCapture:
    """The capture of a value at a path of keys and indexes in a JSON body."""
    if not path or len(path) > _MOST_KEYS:
        raise LeftOutError(f"its path has no keys, or more than {_MOST_KEYS}")
    return FoundCapture({"kind": "json", "path": list(path)})


def by_expression(expression: str, group: int = 1) -> FoundCapture:
    """The capture of a group (0: the whole match) of a regular expression on the body."""
    return FoundCapture({"kind": "regex", "expression": only_group(engine_expression(expression), group)})


def by_field_expression(expression: str, group: int = 1) -> FoundCapture:
    """The capture of an expression on the answer's head: a cookie's value, or the whole value of a header field."""
    field = _FIELD.fullmatch(expression.strip())
    if field is not None and group == 1:
        is_cookie = field[1].lower() == "set-cookie"
        cookie = _COOKIE.fullmatch(field[2]) if is_cookie else None
        if cookie is not None:
            return FoundCapture({"kind": "cookie", "name": cookie[1]})
        if not is_cookie and _WHOLE.fullmatch(field[2]):
            return FoundCapture({"kind": "header", "name": field[1]})
    raise LeftOutError("it takes a part of the answer's head; a capture takes a cookie, or a whole field")


def by_boundaries(left: str, right: str) -> FoundCapture:
    """The capture of the shortest text between two others; an empty one means the start or end of the body."""
    if not left and not right:
        raise LeftOutError("it has no boundaries")
    begin, end = plain(left) or r"\A", plain(right) or r"\z"
    return FoundCapture({"kind": "regex", "expression": f"{begin}(?s:(.*?)){end}"})


def by_xpath(expression: str) -> FoundCapture:
    """The capture of the first element or attribute that a plain XPath finds. Prefixes are dropped."""
    text = re.sub(r"declare\s+(?:default\s+element\s+)?namespace[^;]*;", "", expression).strip()
    shown = " ".join(text.split())[:60]
    wrapped = re.fullmatch(r"(?:(?:string|normalize-space|data)\(\s*(.*)\s*\)|\((.*)\)\[1\])", text, re.DOTALL)
    text = _LOCAL_NAME.sub(r"\1", text if wrapped is None else wrapped[1] or wrapped[2])
    text = re.sub(r"/text\(\)(?:\[1\])?$", "", text)
    from_root = text.startswith("/") and "//" not in text
    attribute = ""
    if at_end := re.search(r"/@(?:[\w.-]+:)?([\w.-]+)$", text):
        attribute, text = at_end[1], text[: at_end.start()]
    tags = [_tag(step.strip(), shown) for step in re.split(r"/+(?![^\[]*\])", text.strip("/"))]
    if from_root and not any(tag.attributes for tag in tags):
        path = "/".join([*(tag.name for tag in tags), *([f"@{attribute}"] if attribute else [])])
        return FoundCapture({"kind": "path", "path": path})
    note = f"{shown} is found by an expression: the first element of that name"
    return FoundCapture({"kind": "regex", "expression": _tags_expression(tags, attribute)}, note)


def by_selector(selector: str, attribute: str) -> FoundCapture:
    """The capture of an attribute (empty: the text) of the first element that a plain CSS selector finds."""
    shown = selector.strip()[:60]
    parts = _SELECTOR.fullmatch(shown)
    if parts is None or not shown:
        raise LeftOutError(f"its selector {shown} is more than a tag, an id and attributes")
    wanted = [("id", pair[1]) if pair[1] else (pair[2], pair[3]) for pair in _SELECTED.finditer(parts[2])]
    note = f"{shown} is found by an expression, its attributes in this order"
    expression = _tags_expression([_Tag(parts[1], wanted)], attribute)
    return FoundCapture({"kind": "regex", "expression": expression}, note)


def _tag(step: str, shown: str) -> _Tag:
    """A step of an XPath; raises LeftOutError if it is more than a name and values of attributes."""
    match = _STEP.fullmatch(step)
    attributes = []
    for predicate in re.findall(r"\[[^\]]*\]", match[2]) if match else []:
        wanted = _ATTRIBUTE_IS.fullmatch(predicate)
        if wanted is not None:
            attributes.append((wanted[1], wanted[3]))
        elif predicate != "[1]":
            match = None
    if match is None:
        raise LeftOutError(f"its path {shown} is more than names, attributes and [1]")
    return _Tag(match[1], attributes)


def _tags_expression(tags: Sequence[_Tag], attribute: str) -> str:
    """An expression that finds these tags after each other, and captures an attribute or the text of the last."""
    written = []
    for number, tag in enumerate(tags, 1):
        name = plain(tag.name) if tag.name else r"[\w-]+"
        held = "".join(rf"\s(?:[^>]*?\s)?{key}=[\"']{plain(value)}[\"']" for key, value in tag.attributes)
        begin = rf"<(?:[\w.-]+:)?{name}{held}"
        if number < len(tags):
            written.append(rf"{begin}(?:\s[^>]*)?>(?s:.*?)")
        elif attribute:
            written.append(rf"{begin}\s(?:[^>]*?\s)?{plain(attribute)}=[\"']([^\"']*)[\"']")
        else:
            written.append(rf"{begin}(?:\s[^>]*)?>\s*([^<]*[^<\s])\s*<")
    return "".join(written).replace('\\"', '"')
