"""A stored table as data: what a row is, where its file lies, and each column's type, unit and meaning (tables.toml)."""

from __future__ import annotations

from typing import Literal

from .strict import Strict

ValueType = Literal["int", "float", "text", "bool"]


class TableData(Strict):
    """A CSV file that runs store. `of` is whose it is: the run's own folder (`run`), or one that an engine wrote into (`place`).

    `columns` are type, unit (empty: none) and meaning by name, in which `*` stands for any letters; `failures` says that it also
    has a column of requests for each kind of failure.
    """

    row: str
    of: Literal["run", "place"]
    file: str
    failures: bool = False
    columns: dict[str, tuple[ValueType, str, str]]


class StoredTables(Strict):
    """The file tables.toml, by the tables' names."""

    tables: dict[str, TableData]
