"""A result document in JSON: each field is read with its name in the error."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from ...base.errors import ConfigurationError
from .reader import read_whole


@dataclass(frozen=True)
class ResultDocument:
    """A JSON object within a result document. `place` is its path, empty for the document itself."""

    fields: Mapping[str, Any]
    place: str = ""

    def number(self, name: str) -> float:
        """A finite number. Raises ConfigurationError."""
        value = self.fields.get(name)
        if value is None:
            raise ConfigurationError(f"{self._path(name)} is missing")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigurationError(f"{self._path(name)} is '{str(value)[:40]}', not a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ConfigurationError(f"{self._path(name)} is not a finite number")
        return number

    def numbers(self, names: Mapping[str, str]) -> dict[str, float]:
        """The numbers of those fields that exist, each under its new name. Raises ConfigurationError."""
        return {new: self.number(name) for name, new in names.items() if self.fields.get(name) is not None}

    def count(self, name: str) -> int:
        """A whole number of at least 0. Raises ConfigurationError."""
        number = self.number(name)
        if number < 0 or number != int(number):
            raise ConfigurationError(f"{self._path(name)} is {number:g}, not a whole number of at least 0")
        return int(number)

    def count_or_zero(self, name: str) -> int:
        """As `count`, and 0 where the field is missing."""
        return self.count(name) if self.fields.get(name) is not None else 0

    def part(self, name: str) -> ResultDocument:
        """An object within. Raises ConfigurationError."""
        value = self.fields.get(name)
        if not isinstance(value, dict):
            problem = "is missing" if value is None else "is not an object"
            raise ConfigurationError(f"{self._path(name)} {problem}")
        return ResultDocument(value, self._path(name))

    def counts(self) -> dict[str, int]:
        """All fields as counts. Raises ConfigurationError."""
        return {name: self.count(name) for name in self.fields}

    def _path(self, name: str) -> str:
        return f"{self.place}.{name[:40]}" if self.place else name[:40]


def read_document(file: IO[bytes], title: str) -> ResultDocument:
    """The JSON object that a file consists of. Raises ConfigurationError."""
    try:
        content: Any = json.loads(read_whole(file, title))
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"line {error.lineno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError):
        raise ConfigurationError("line 1: not JSON") from None
    if not isinstance(content, dict):
        raise ConfigurationError("line 1: not a JSON object")
    return ResultDocument(content)
