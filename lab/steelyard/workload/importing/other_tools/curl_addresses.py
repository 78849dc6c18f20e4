"""The address that curl asks: what it makes of braces and brackets, of dots in a path, and of more query."""

from __future__ import annotations

import re

from .imported_requests import LeftOutError

_SEVERAL = re.compile(r"(?<!\\)\[[^]:]*-[^]]*\]|(?<![{\\])\{[^{}]*,[^{}]*\}")
# An escaped brace or bracket, or braces around one alternative; two braces are a place for data.
_ONE = re.compile(r"\\([{}\[\]])|(?<!\{)\{([^{},]+)\}(?!\})")
_PARTS = re.compile(r"((?:[A-Za-z][A-Za-z0-9+.-]*://)?[^/?]*)([^?]*)(.*)", re.DOTALL)


def address_of(url: str, query: str, *, as_is: bool, globs: bool, target: str) -> str:
    """The one address of a URL with more `query`. `as_is`: dots in its path stay. `globs`: braces and brackets are a pattern.
    `target` is sent in place of its path and query. Raises LeftOutError for a pattern of several addresses."""
    if globs and _SEVERAL.search(url):
        raise LeftOutError("its URL is a pattern for several ([1-9] or {a,b}): write them one by one")
    plain = _ONE.sub(lambda match: match[1] or match[2], url) if globs else url
    address = plain.partition("#")[0]
    if query:
        address += ("" if address.endswith(("?", "&")) else "&" if "?" in address else "?") + query
    match = _PARTS.fullmatch(address)
    server, path, rest = match.groups() if match else (address, "", "")
    if target:
        if not target.startswith("/"):
            raise LeftOutError(f"its --request-target {target[:40]} is no path")
        return server + target
    return server + (path if as_is else _without_dots(path)) + rest


def _without_dots(path: str) -> str:
    """A path without the segments `.` and `..` (RFC 3986, 5.2.4)."""
    kept: list[str] = []
    segments = path.split("/")
    for number, segment in enumerate(segments):
        if segment not in (".", ".."):
            kept.append(segment)
            continue
        if segment == ".." and len(kept) > 1:
            kept.pop()
        if number == len(segments) - 1:
            kept.append("")
    return "/".join(kept)
