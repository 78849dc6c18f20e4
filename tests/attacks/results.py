"""The table of a campaign: a row per attack, appended as soon as it is judged. A campaign that goes on reads it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from .plan import Attack


@dataclass(frozen=True)
class Row:
    """An attack and its outcome. `revision` is that of the attacked laboratory, with + where files were changed."""

    seed: int
    kind: str
    number: int
    variant: str
    outcome: str
    code: str
    seconds: float
    revision: str
    detail: str

    @property
    def attack(self) -> Attack:
        """The attack of the row."""
        return Attack(self.seed, self.kind, self.number)


COLUMNS = [field.name for field in fields(Row)]


def read(table: Path) -> Iterator[Row]:
    """The rows of a table, oldest first; none without a table. A last row that was cut is left out."""
    if not table.is_file():
        return
    text = table.read_text(encoding="utf-8")
    for row in csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1])):
        typed: dict[str, Any] = {**row, "seed": int(row["seed"]), "number": int(row["number"])}
        yield Row(**typed | {"seconds": float(row["seconds"])})


def append(table: Path, row: Row) -> None:
    """Append a row, and see that it is on the disk."""
    kept = table.read_text(encoding="utf-8") if table.is_file() else ""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    if not kept:
        writer.writeheader()
    writer.writerow(asdict(row))
    with table.open("r+b" if kept else "wb") as file:
        file.truncate(len(kept[: kept.rfind("\n") + 1].encode()))  # a row that was cut
        file.seek(0, os.SEEK_END)
        file.write(text.getvalue().encode())
        file.flush()
        os.fsync(file.fileno())
