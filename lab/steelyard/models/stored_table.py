"""A stored table as data: the meaning of a row, its file, and each column's type, unit and meaning (tables.toml)."""

from __future__ import annotations

from typing import Literal

from .strict import Strict

ValueType = Literal["int", "float", "text", "bool"]


class TableData(Strict):
    """A CSV file that runs store. `of` is its folder: the run's own (`run`), or one of an engine (`place`).

    `columns` are type, unit (empty: none) and meaning by name, where `*` stands for any letters; `failures`: the table also has a
    column of requests for each kind of failure.
    """

    row: str
    of: Literal["run", "place"]
    file: str
    failures: bool = False
    columns: dict[str, tuple[ValueType, str, str]]


class StoredTables(Strict):
    """The file tables.toml, by the tables' names."""

    tables: dict[str, TableData]
