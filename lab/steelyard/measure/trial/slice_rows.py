"""The rows of slices.csv as the engine appends them, each read once."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...base.errors import EngineError
from ...base.growing_file import GrowingFile


class SliceRows:
    """Reads a growing slices.csv. `seen` holds every row read so far, by the names of the header."""

    def __init__(self, path: Path) -> None:
        self.seen: list[Mapping[str, str]] = []
        self._path = path
        self._file = GrowingFile(path)
        self._header: Sequence[str] = ()

    def take(self, count: int) -> Sequence[Mapping[str, str]]:
        """The last `count` of the rows appended since the last call; raises EngineError where there are fewer.

        The engine flushes a slice's row before it reports the slice as drained.
        """
        new = self._read_appended()
        self.seen += new
        if len(new) < count:
            raise EngineError(f"the engine wrote {len(new)} of {count} rows to {self._path}")
        return new[len(new) - count :]

    def _read_appended(self) -> list[Mapping[str, str]]:
        try:
            appended = self._file.text()
        except OSError as error:
            raise EngineError(f"the engine's rows in {self._path} cannot be read: {error.strerror}") from None
        lines = list(csv.reader(io.StringIO(appended, newline="")))
        if not self._header and lines:
            self._header = lines.pop(0)
        if any(len(line) != len(self._header) for line in lines):
            raise EngineError(f"the engine wrote a row to {self._path} that does not fit its header")
        return [dict(zip(self._header, line, strict=True)) for line in lines]
