"""What a file of another tool holds, in one shape for all of them: requests, where each stands, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ....base.errors import ImportRefusedError
from ..wsdl import Left

MOST_BYTES = 64 * 2**20  # of a file, which may hold whole answers, too


@dataclass(frozen=True)
class Asker:
    """How a request says who asks: the `kind` and `user` of a service's `[auth]`. The secret is dropped where it is read."""

    kind: str
    user: str = ""


@dataclass(frozen=True)
class HeldAnswer:
    """An answer with the body of the request that it was given to; `is_right` where it is known to be the one right answer to
    all."""

    request: str
    answer: str
    is_right: bool = False


@dataclass(frozen=True)
class HeldRequest:
    """One request as a file holds it: `where` says where it stands, `url` may lack its scheme, and texts may hold places
    `{{NAME}}`. `expect` is what its answers must be, as a service file says it. It was asked so many `times`; `more` are further
    bodies that are asked in turn with it, `answered` what was answered to some, without secrets."""

    where: str
    method: str
    url: str
    name: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    expect: Mapping[str, object] = field(default_factory=dict)
    asker: Asker | None = None
    times: int = 1
    more: tuple[str, ...] = ()
    answered: tuple[HeldAnswer, ...] = ()


@dataclass
class ImportedRequests:
    """What a file holds. `kind` says in words what it is, `left` what was not taken over, `notes` what the user should know.

    `data` are columns as a service file describes them, by the place that they fill; `files` are tables that they refer to, as
    text, by their names.
    """

    kind: str
    requests: list[HeldRequest] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    data: dict[str, Mapping[str, object]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def leave_out(self, component: str, why: str) -> None:
        """Say of something that it is not taken over."""
        self.left.append(Left(component, why))


class Reader(Protocol):
    """A kind of file. `recognizes` looks at the beginning of the content alone; `read` raises ImportRefusedError where it is
    broken."""

    def recognizes(self, head: str) -> bool:
        """Whether a file that begins so is one of this kind."""

    def read(self, content: bytes, place: Path) -> ImportedRequests:
        """What the file at `place` holds; files beside it may be read, nothing else."""


class LeftOutError(Exception):
    """A request cannot be taken over; the message says why."""


def text_of(content: bytes, place: Path) -> str:
    """The text of a file; raises ImportRefusedError where it is none."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ImportRefusedError(f"{place} is not UTF-8 text: see line {line}") from None


def neighbour_text(place: Path, name: str) -> str:
    """The text of a file that a request refers to; raises LeftOutError where it lies outside the file's folder, or is none."""
    folder = place.resolve().parent
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise LeftOutError(f"{name} lies outside the folder of {place.name}, and was not opened")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise LeftOutError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MOST_BYTES:
        raise LeftOutError(f"{name} is larger than {MOST_BYTES >> 20} MiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LeftOutError(f"{name} is not UTF-8 text, as samples are") from None


def load_words(users: object, seconds: object, pause: str = "") -> str:
    """A load of another tool as `load` is told it, as far as its numbers are plain."""
    words = [
        f"--users {users}" if str(users).isdecimal() else "",
        f"--for {seconds}s" if str(seconds).isdecimal() else "",
    ]
    return " ".join(["steelyard load", *(word for word in [*words, pause] if word and not word.endswith(" 0s"))])
