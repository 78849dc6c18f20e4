"""Texts of a file whose variables become values, or places `{{NAME}}` that a capture, data or the engine fills."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from itertools import count
from urllib.parse import quote

from ....models.service import OF_THE_ENGINE
from ..secrets import names_secret, wildcard_of
from .imported_requests import MOST_BYTES, ImportedRequests, LeftOutError

PLACE = re.compile(r"(\{\{\w{1,64}(?::\w+)?\}\})")
NAME_OF_PLACE = re.compile(r"\{\{(\w{1,64})(?::\w+)?\}\}")
_MOST_DEPTH = 20  # variables within variables
_MOST_FILLED = 100_000  # variables of one text, those within them counted


def as_place(name: str) -> str:
    """A place as a text has it."""
    return f"{{{{{name}}}}}"


def is_of_the_engine(name: str) -> bool:
    """Whether the engine fills the place of this name."""
    return OF_THE_ENGINE.fullmatch(as_place(name)) is not None


def encode_around_places(text: str, encode: Callable[[str], str]) -> str:
    """A text of which all but its places is encoded."""
    return "".join(piece if PLACE.fullmatch(piece) else encode(piece) for piece in PLACE.split(text))


def quote_text(text: str) -> str:
    """A text percent-encoded for an address; places are kept."""
    return encode_around_places(text, lambda piece: quote(piece, safe=""))


def place_of(variable: str) -> str:
    """The name of the place for a variable. It begins with a letter and differs from the engine's places."""
    if names_secret(variable):
        return wildcard_of(variable)
    name = re.sub(r"\W", "_", variable, flags=re.ASCII)[:60]
    return name if name[:1].isalpha() and not is_of_the_engine(name) else f"v_{name}"


def free_place(variable: str, used: Collection[str]) -> str:
    """The name of a place for the value of a variable, which differs from those in `used` and from the engine's."""
    plain = re.sub(r"\W", "_", variable, flags=re.ASCII)[:50] or "value"
    names = (plain if number == 1 else f"{plain}_{number}" for number in count(1))
    return next(name for name in names if name not in used and not is_of_the_engine(name))


class FilledTexts(ABC):
    """Fills in the variables of a file.

    `coming` are those that an answer sets, `captured` the places of those that are set so far.
    """

    variable: re.Pattern[str]  # a variable in a text, with its name as the first group

    def __init__(self, held: ImportedRequests) -> None:
        self.coming: set[str] = set()
        self.captured: dict[str, str] = {}
        self._held, self._filled = held, 0

    def capture(self, variable: str) -> str:
        """The place of a captured variable, which later texts fill."""
        others = {place for name, place in self.captured.items() if name != variable} | self._held.data.keys()
        return self.captured.setdefault(variable, free_place(variable, others))

    def fill(self, text: str) -> str:
        """A text with its variables filled in; raises LeftOutError if something else fills one."""
        self._filled = 0
        return self._fill_nested(text, 0)

    def fill_fixed(self, text: str) -> str:
        """The same for a text that is the same in every request; raises LeftOutError if it gets places."""
        filled = self.fill(text)
        if PLACE.search(filled) and not PLACE.search(text):
            raise LeftOutError("it depends on a value that differs from request to request")
        return filled

    def _fill_nested(self, text: str, depth: int) -> str:
        filled = self.variable.sub(lambda used: self._limited_value(used[1].strip(), depth), text)
        if len(filled) > MOST_BYTES:
            raise LeftOutError("its text is too long with its variables filled in")
        return filled

    def _limited_value(self, name: str, depth: int) -> str:
        self._filled += 1
        if depth > _MOST_DEPTH or self._filled > _MOST_FILLED:
            raise LeftOutError("its variables refer to each other endlessly")
        return as_place(self.captured[name]) if name in self.captured else self._value(name, depth)

    @abstractmethod
    def _value(self, name: str, depth: int) -> str:
        """The value of a variable that is not captured, or its place; raises LeftOutError if it has none."""
