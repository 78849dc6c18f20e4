"""Content types: which bodies can be sent, and the Accept header for the answers that an operation describes."""

from __future__ import annotations

import re
from collections.abc import Iterable

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
_KINDS = {FORM: "form", MULTIPART: "multipart", "text/plain": "text"}
_JSON = re.compile(r"(?:application|text)/([a-z0-9.+*-]+\+)?json\s*(;.*)?", re.IGNORECASE)
_RANGE = re.compile(r"[!#$&^_.+*\w-]+/[!#$&^_.+*\w-]+", re.ASCII)
_PARAMETER = re.compile(r"[\w.-]+=[\w.+/-]+", re.ASCII)
_WILDCARDS = ("*/*", "application/*")
_JSON_FIRST = "application/json, */*;q=0.8"
_MOST_ACCEPTED = 10


def is_json(kind: str) -> bool:
    """Whether a content type is JSON."""
    return _JSON.fullmatch(kind) is not None


def is_wildcard(kind: str) -> bool:
    """Whether a content type stands for any, JSON among them."""
    return kind.strip() in _WILDCARDS


def json_of(kinds: Iterable[str]) -> str | None:
    """The first content type that is JSON, or may be; None if there is none."""
    return next((kind for kind in kinds if is_json(kind) or is_wildcard(kind)), None)


def sendable_body(kinds: Iterable[str]) -> tuple[str, str] | None:
    """The content type of a body that can be sent, and its kind: json, form, multipart or text; None if there is none."""
    listed = list(kinds)
    kind = json_of(listed)
    if kind is not None:
        return kind, "json"
    named = {_without_parameters(kind): kind for kind in reversed(listed)}
    return next(((named[each], word) for each, word in _KINDS.items() if each in named), None)


def accept_of(kinds: Iterable[str]) -> str:
    """The Accept header for these content types of right answers: JSON if it is one of them, since its values can be
    checked; any type if none is described."""
    ranges = dict.fromkeys(accepted for kind in kinds if (accepted := _media_range(kind)))
    of_json = [kind for kind in ranges if is_json(kind)]
    if not of_json and any(is_wildcard(kind) for kind in ranges):
        return _JSON_FIRST
    return ", ".join((of_json or list(ranges))[:_MOST_ACCEPTED]) or "*/*"


def _without_parameters(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


def _media_range(kind: str) -> str:
    """A content type as Accept takes it: without its charset; empty if it is not a valid one."""
    name, *parameters = (part.strip() for part in kind.split(";"))
    kept = [
        part for part in parameters if _PARAMETER.fullmatch(part) and not part.lower().startswith(("charset=", "q="))
    ]
    return "; ".join([name, *kept]) if _RANGE.fullmatch(name) else ""
