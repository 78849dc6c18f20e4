"""A CSV file that grows while something is measured: each row reaches the file at once."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path


class TableWriter:
    """Writes the header of a CSV file, then rows as they come."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("w", newline="", encoding="utf-8")
        self._rows = csv.writer(self._file, lineterminator="\n")
        self._rows.writerow(columns)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def append(self, rows: Iterable[Sequence[object]]) -> None:
        """Append rows and hand them to the operating system; None becomes an empty field."""
        self._rows.writerows(rows)
        self._file.flush()
