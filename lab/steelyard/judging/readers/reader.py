"""What a reader of results is, and how files are read: line by line, each of a bounded length, with the line in every complaint."""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

from ...base.errors import ConfigurationError
from ..gathering import Gathering

MOST_LINE = 2**20  # bytes
_GZIP = b"\x1f\x8b"


class ResultReader(ABC):
    """A kind of file: `title` names it with its tool."""

    title: str

    @abstractmethod
    def knows(self, head: str) -> bool:
        """Whether a file that begins so is of this kind."""

    @abstractmethod
    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        """Gather all results of a file; raises ConfigurationError that begins with the line."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file of results as bytes, unpacked where it is gzipped; raises ConfigurationError."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            if packed:
                with gzip.open(file) as unpacked:
                    yield cast(IO[bytes], unpacked)
            else:
                yield file
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def lines_of(file: IO[bytes]) -> Iterator[str]:
    """The lines of a file as text; raises ConfigurationError where one is too long."""
    number = 0
    while line := file.readline(MOST_LINE + 1):
        number += 1
        if len(line) > MOST_LINE:
            raise ConfigurationError(f"line {number} is longer than {MOST_LINE >> 20} MiB")
        yield line.decode("utf-8", "replace")


def rows_of(file: IO[bytes], gathering: Gathering) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows of a table with a header, each with its line; a last one that was cut short is left out, and said."""
    lines = lines_of(file)
    header = next(lines, "")
    delimiter = max(",;\t", key=header.count)
    columns = next(csv.reader([header.lstrip("\ufeff")], delimiter=delimiter), [])
    if len(set(columns)) < len(columns):
        raise ConfigurationError("line 1: a column stands twice")
    short: int | None = None
    rows = csv.reader(lines, delimiter=delimiter)
    try:
        for row in rows:
            if short is not None:
                raise ConfigurationError(f"line {short}: it has not as many columns as the first line")
            if not row:
                continue
            if len(row) == len(columns):
                yield rows.line_num + 1, dict(zip(columns, row, strict=True))
            else:
                short = rows.line_num + 1
    except csv.Error as error:
        raise ConfigurationError(f"line {rows.line_num + 1}: {error}") from None
    if short is not None:
        gathering.notes["its last line was cut short, and is left out"] = None


def number_of(text: Any, line: int, column: str) -> float:
    """A number of a row; raises ConfigurationError that names the line."""
    try:
        number = float(text)
    except (TypeError, ValueError):
        raise ConfigurationError(f"line {line}: {column} is '{str(text)[:40]}', which is no number") from None
    if not math.isfinite(number):
        raise ConfigurationError(f"line {line}: {column} is {number}")
    return number


def instant_of(text: str, line: int) -> float:
    """Seconds since 1970 of an instant in seconds, milli-, micro- or nanoseconds, or by RFC 3339; raises ConfigurationError."""
    if "T" in text:
        try:
            return datetime.fromisoformat(text).timestamp()
        except (ValueError, OverflowError):
            raise ConfigurationError(f"line {line}: '{text[:40]}' is no instant") from None
    instant = number_of(text, line, "the instant")
    for most, unit in ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6)):
        if instant < most:
            return instant / unit
    return instant / 1e9
