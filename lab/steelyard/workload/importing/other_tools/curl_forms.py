"""The parts of a form that curl's -F and --form-string describe, as curl itself reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..multipart import BodyPart
from .imported_requests import LeftOutError

# The content types that curl knows by the ending of a file's name.
_TYPES = {
    ".gif": "image/gif",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".htm": "text/html",
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".xml": "application/xml",
}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"[^;]*', re.DOTALL)
_ATTRIBUTE = re.compile(r";\s*(type|filename|headers|encoder)=", re.IGNORECASE)


def part_of(option: str, value: str, read: Callable[[str], str]) -> BodyPart:
    """The part of one option `form` or `form-string`, with the files that `read` reads; raises LeftOutError if a sample cannot
    hold it."""
    name, equals, rest = value.partition("=")
    if not equals:
        raise LeftOutError(f"its form field '{value[:40]}' has no value")
    if option == "form-string":
        return BodyPart(name, rest)
    if rest.startswith("("):
        raise LeftOutError(f"its form field '{name[:40]}' holds parts in a part")
    sign = rest[:1] if rest[:1] in ("@", "<") else ""
    content, rest = _word(rest.removeprefix(sign).lstrip(" \t\n\r"))
    attributes = dict(_attributes(rest))
    for key in ("headers", "encoder"):
        if key in attributes:
            raise LeftOutError(f"its form field '{name[:40]}' has {key}, which are not supported")
    if sign == "@" and "," in content:
        raise LeftOutError(f"its form field '{name[:40]}' holds several files: write a field for each")
    filename = attributes.get("filename")
    if sign == "@" and filename is None:
        filename = content.replace("\\", "/").rpartition("/")[2]
    text = read(content) if sign else content
    return BodyPart(name, text, filename, attributes.get("type") or _guessed_type(sign, content, filename))


def _guessed_type(sign: str, content: str, filename: str | None) -> str:
    """The content type that curl adds; it never says that a field without a file name is plain text."""
    kind = _type_by_name(filename or "") or (_type_by_name(content) if sign else "")
    if not kind and sign and filename is not None:
        kind = "application/octet-stream"
    return "" if kind == "text/plain" and filename is None else kind


def _type_by_name(name: str) -> str:
    return next((kind for ending, kind in _TYPES.items() if name.lower().endswith(ending)), "")


def _word(text: str) -> tuple[str, str]:
    """A value up to the next semicolon, quoted or not, and what follows it."""
    quoted = _QUOTED.match(text)
    if quoted:
        return re.sub(r'\\([\\"])', r"\1", quoted[1]), text[quoted.end() :]
    word, _, _ = text.partition(";")
    return word.rstrip(" \t\n\r"), text[len(word) :]


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    """What follows a value: `;type=TEXT/HTML;filename=NAME`. A content type may have parameters of its own."""
    while text.startswith(";"):
        match = _ATTRIBUTE.match(text)
        if match is None:
            _, text = _word(text[1:].lstrip())
            continue
        text = text[match.end() :]
        key = match[1].lower()
        value, text = _word(text)
        while key == "type" and text.startswith(";") and _ATTRIBUTE.match(text) is None:
            more, text = _word(text[1:])
            value += f";{more}"
        yield key, value
