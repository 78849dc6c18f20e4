"""The interface of a result reader, and the reading of files line by line with limited lengths."""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from ...base.errors import ConfigurationError
from ..gathering import CUT, Gathering
from ..limits import Holds

MOST_LINE = 2**20  # bytes
MOST_DOCUMENT = 2**24  # bytes of a file that is read at once
MOST_EMPTY = 10_000  # consecutive lines
REPEATED_HEADER = "repeated header lines"
_OTHER_WIDTH = "it has another number of columns than the first line"
_GZIP = b"\x1f\x8b"

Row = Mapping[str, str]


class ResultReader(ABC):
    """A kind of file.

    `title` names it with its tool, `mark` the content by which it is recognized, and `holds` what it records. In a
    `closed_loop` a connection sends its next request after an answer (None: the file does not show it). `cannot_show`
    are questions that a file of this kind leaves open beyond those of what it `holds`.
    """

    title: str
    mark: str
    holds = Holds.REQUESTS
    closed_loop: bool | None = None
    cannot_show: Sequence[str] = ()

    @abstractmethod
    def recognizes(self, head: str) -> bool:
        """Whether a file with this beginning is of this kind."""

    @abstractmethod
    def read(self, file: IO[bytes], gathering: Gathering) -> None:
        """Gather all results of a file. Raises ConfigurationError that begins with the line, where it has lines."""


@contextmanager
def open_results(path: Path) -> Iterator[IO[bytes]]:
    """A result file as bytes, unpacked where gzipped. Raises ConfigurationError."""
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
        raise ConfigurationError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


class Lines:
    """The lines of a file as text. `whole` is whether the last line ended in a newline.

    Raises ConfigurationError for a line that is too long, or too many consecutive empty lines.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.whole = True

    def __iter__(self) -> Iterator[str]:
        number = empty = 0
        while line := self._file.readline(MOST_LINE + 1):
            number += 1
            if len(line) > MOST_LINE:
                raise ConfigurationError(f"line {number} is longer than {MOST_LINE >> 20} MiB")
            empty = 0 if line.strip() else empty + 1
            if empty > MOST_EMPTY:
                said = f"line {number}: more than {MOST_EMPTY:,} consecutive empty lines"
                raise ConfigurationError(said, hint="remove the empty lines: nothing after them was read")
            self.whole = line.endswith(b"\n")
            yield line.decode("utf-8", "replace")


def read_rows(
    file: IO[bytes],
    gathering: Gathering,
    take: Callable[[Row, int], None],
    *needed: str,
    columns: Sequence[str] = (),
) -> None:
    """Pass each row of a CSV to `take`, with its line. `columns` name the first columns of one without a header.

    A last line that was cut short and repeated headers are left out. Raises ConfigurationError for a row with another
    number of columns, and where one of the columns `needed` is missing.
    """
    lines = Lines(file)
    stream = iter(lines)
    first = next(stream, "").lstrip("\ufeff")
    delimiter = max(",;\t", key=first.count)
    before = 0 if columns else 1  # lines before those that the parser counts
    if columns:
        stream = chain([first], stream)
    columns = _columns(first, delimiter, needed, columns)
    short: int | None = None
    rows = csv.reader(stream, delimiter=delimiter, strict=True)
    begun = before + 1  # the line of the next row
    try:
        for row in rows:
            line = rows.line_num + before
            begun = line + 1
            if short is not None:
                raise ConfigurationError(f"line {short}: {_OTHER_WIDTH}")
            if not row:
                continue
            gathering.rows += 1
            if len(row) != len(columns):
                short = line
            elif row == columns:
                gathering.leave_out(REPEATED_HEADER, line)
            else:
                with tolerate_cut_end(lines, gathering, line):
                    take(dict(zip(columns, row, strict=True)), line)
    except csv.Error as error:
        if lines.whole or begun < rows.line_num + before:
            raise ConfigurationError(f"line {begun}: the row that begins here is unreadable: {error}") from None
        gathering.rows += 1
        gathering.leave_out(CUT, begun)
    if short is not None:
        if lines.whole:
            raise ConfigurationError(f"line {short}: {_OTHER_WIDTH}")
        gathering.leave_out(CUT, short)


def _columns(first: str, delimiter: str, needed: Sequence[str], names: Sequence[str]) -> list[str]:
    """The column names of a CSV from its first line, or `names` for one without a header, and numbers for further columns.

    Raises ConfigurationError for a duplicate or missing one.
    """
    try:
        columns = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error as error:
        raise ConfigurationError(f"line 1: {error}") from None
    if names:
        return [*names, *(f"column {number}" for number in range(len(names) + 1, len(columns) + 1))]
    if len(set(columns)) < len(columns):
        raise ConfigurationError("line 1: a column occurs twice")
    for name in needed:
        if name not in columns:
            raise ConfigurationError(f"line 1: the column '{name}' is missing")
    return columns


def read_whole(file: IO[bytes], title: str) -> str:
    """The text of a file that holds totals. Raises ConfigurationError where it is too long for one."""
    content = file.read(MOST_DOCUMENT + 1)
    if len(content) > MOST_DOCUMENT:
        raise ConfigurationError(f"it is longer than {MOST_DOCUMENT >> 20} MiB, so it is not an output of {title}")
    return content.decode("utf-8", "replace").lstrip("\ufeff")


@contextmanager
def tolerate_cut_end(lines: Lines, gathering: Gathering, line: int) -> Iterator[None]:
    """Leave out an unreadable row where it is the last one, incomplete, and not the only one."""
    try:
        yield
    except ConfigurationError:
        if lines.whole or gathering.rows == 1:
            raise
        gathering.leave_out(CUT, line)


def number_of(text: Any, line: int, column: str) -> float:
    """A number in a row. Raises ConfigurationError with the line."""
    try:
        number = float(text)
    except (TypeError, ValueError):
        raise ConfigurationError(f"line {line}: {column} is '{str(text)[:40]}', not a number") from None
    if not math.isfinite(number):
        raise ConfigurationError(f"line {line}: {column} is {number}")
    return number


def instant_of(text: str, line: int) -> float:
    """Seconds since 1970 of a time in seconds, milli-, micro- or nanoseconds, or in RFC 3339.

    Raises ConfigurationError.
    """
    if "T" in text:
        try:
            return datetime.fromisoformat(text).timestamp()
        except (ValueError, OverflowError):
            raise ConfigurationError(f"line {line}: '{text[:40]}' is not a time") from None
    instant = number_of(text, line, "the instant")
    for most, unit in ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6)):
        if instant < most:
            return instant / unit
    return instant / 1e9
