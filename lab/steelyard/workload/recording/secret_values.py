"""The secret values in headers. Texts that repeat one, such as an answer that echoes a request, are not stored."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import unquote

from ..importing.secrets import is_secret_header
from .remembering import Exchanged

_LEAST_LETTERS = 5  # shorter values occur anywhere by chance
_MOST_VALUES = 200  # of a whole recording: each text is searched for each of them


def secret_values(exchanged: Exchanged) -> set[str]:
    """The secrets in the headers of a request and its answer: tokens, passwords, and cookie values."""
    fields = [value for name, value in exchanged.request.headers if is_secret_header(name)]
    set_here = [value.partition(";")[0] for name, value in exchanged.answer.headers if name.lower() == "set-cookie"]
    values = set()
    for field in (*fields, *set_here):
        values |= {field, field.partition(" ")[2].strip(), _password(field)}
        values |= {pair.partition("=")[2].strip() for pair in field.split(";")}
    values |= {unquote(value) for value in values}
    return {value for value in values if len(value) >= _LEAST_LETTERS}


def of_all(exchanges: Iterable[Exchanged]) -> Sequence[str]:
    """The secret values of a recording, in order of appearance, up to a limit."""
    values: dict[str, None] = {}
    for exchanged in exchanges:
        values |= dict.fromkeys(sorted(secret_values(exchanged)))
        if len(values) >= _MOST_VALUES:
            break
    return list(values)[:_MOST_VALUES]


def repeats(text: str, values: Collection[str]) -> bool:
    """Whether a text holds one of the values."""
    return any(value in text for value in values)


def _password(field: str) -> str:
    """The password of basic authentication; empty if a header has none."""
    kind, _, rest = field.partition(" ")
    if kind.lower() != "basic":
        return ""
    try:
        return base64.b64decode(rest.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, ValueError):
        return ""
