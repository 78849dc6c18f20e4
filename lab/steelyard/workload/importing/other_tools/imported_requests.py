"""The common form of another tool's file: requests, their position in the file, and what was left out."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ....base.errors import ImportRefusedError
from ..left_out import Left

# Statuses that other tools take as right by themselves; they follow redirects, which the engine does not.
RIGHT_STATUSES = (200, 201, 202, 203, 204, 205, 206)
COOKIES_ARE_KEPT = "the users of a session keep the cookies that the server sets"  # a note
COOKIES_ARE_UNKNOWN = "users keep only cookies that the server sets"  # why others are left out
MOST_BYTES = 64 * 2**20  # of a file, which may include answers
# Headers of a connection, not of a request (RFC 9110, 7.6.1), but for those with credentials.
OF_THE_CONNECTION = {
    *("connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect"),
    "http2-settings",
}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # as Windows saves a text


@dataclass(frozen=True)
class HeldCredentials:
    """How a request authenticates: the `kind` and `user` of a service's `[auth]`. The reader drops the secret."""

    kind: str
    user: str = ""


@dataclass(frozen=True)
class HeldAnswer:
    """An answer with the body of its request. `is_right`: it is known to be the only right answer to every request."""

    request: str
    answer: str
    is_right: bool = False


@dataclass(frozen=True)
class HeldRequest:
    """One request of a file: `where` is its position, `url` may lack its scheme, and texts may contain places
    `{{NAME}}`.

    `expect` holds the rules for its answers as in a service file. The file contains it `times` times; `more` are
    further bodies that are sent in turn with it, `answered` recorded answers without secrets.
    """

    where: str
    method: str
    url: str
    name: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    expect: Mapping[str, object] = field(default_factory=dict)
    credentials: HeldCredentials | None = None
    times: int = 1
    more: tuple[str, ...] = ()
    answered: tuple[HeldAnswer, ...] = ()


@dataclass(frozen=True)
class HeldStep:
    """A request of a session. `think` and `captures` (by the place that they fill) are as in a service file; `once`: each
    user makes it in its first session only. With `if_captured` it is left out where this value was not captured."""

    request: HeldRequest
    once: bool = False
    think: Mapping[str, object] = field(default_factory=dict)
    captures: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    if_captured: str | None = None


@dataclass(frozen=True)
class HeldSession:
    """Requests that one user makes in order; `options` are further keys of a session in a service file."""

    name: str
    steps: Sequence[HeldStep]
    weight: float = 1
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass
class ImportedRequests:
    """The content of a file. `kind` names its kind, `left` lists what was not imported, `notes` are for the user.

    `sessions` are requests in order, `requests` those that depend on none. `statuses` are right for a request that has no rule
    about them. `data` are columns as in a service file, by the place that they fill; `files` are the tables that they refer
    to, as text by name.
    """

    kind: str
    requests: list[HeldRequest] = field(default_factory=list)
    sessions: list[HeldSession] = field(default_factory=list)
    statuses: Sequence[int] = ()
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    data: dict[str, Mapping[str, object]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def leave_out(self, component: str, why: str) -> None:
        """Note that something was not imported."""
        self.left.append(Left(component, why))


class Reader(Protocol):
    """A reader of one kind of file: `title` names it with an article, `mark` is the content by which it is recognized.

    `recognizes` looks only at the beginning of the content; `read` raises ImportRefusedError if the file is broken.
    """

    title: str
    mark: str

    def recognizes(self, head: str) -> bool:
        """Whether a file with this beginning is of this kind."""

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """The content of the file at `place`; only files beside it may also be read."""


class LeftOutError(Exception):
    """A request cannot be imported; the message gives the reason."""


class NotYetError(LeftOutError):
    """A variable has no value yet: a later request's answer has it."""


def json_of(content: bytes, place: Path) -> Any:
    """The value of a JSON file; raises ImportRefusedError if it is not well-formed."""
    text = text_of(content, place)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ImportRefusedError(f"{place} is not well-formed JSON: {error.msg} in {where}") from None
    except (RecursionError, ValueError) as error:
        raise ImportRefusedError(f"{place} cannot be read as JSON: {error}"[:300]) from None


def value_at(value: Any, *keys: str) -> Any:
    """The value at a path of keys in objects; None where one lacks its key, or is no object."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_of(content: bytes, place: Path) -> str:
    """The text of a file, in UTF-8 or, with a byte order mark, in UTF-16; raises ImportRefusedError for other bytes."""
    if content.startswith(_UTF_16):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError:
            raise ImportRefusedError(f"{place} begins as UTF-16 and is not") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ImportRefusedError(f"{place} is not UTF-8 text: see line {line}") from None


def neighbour_text(place: Path, name: str) -> str:
    """The text of a file that a request refers to; raises LeftOutError if it is outside the file's folder, or is not
    text."""
    folder = place.resolve().parent
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise LeftOutError(f"{name} is outside the folder of {place.name}, and was not opened")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise LeftOutError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MOST_BYTES:
        raise LeftOutError(f"{name} is larger than {MOST_BYTES >> 20} MiB")
    try:
        return content.decode()  # with its byte order mark, which tools send
    except UnicodeDecodeError:
        raise LeftOutError(f"{name} is not UTF-8 text, and samples must be") from None


def with_query(url: str, query: str) -> str:
    """An address with more query, which may be empty."""
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url


def load_words(users: object, seconds: object, pause: str = "") -> str:
    """Another tool's load as a `steelyard load` command, as far as its numbers are plain."""
    words = [
        f"--users {users}" if str(users).isdecimal() else "",
        f"--for {seconds}s" if str(seconds).isdecimal() else "",
    ]
    return " ".join(["steelyard load", *(word for word in [*words, pause] if word and not word.endswith(" 0s"))])
