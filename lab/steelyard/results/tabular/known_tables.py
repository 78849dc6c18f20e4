"""The known tables, read from tables.toml, with the description of each column."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from ...base import configuration
from ...models.stored_table import StoredTables, TableData
from ..tables import FAILURE_KINDS
from .stored_table import StoredColumn

_FILE = Path(__file__).with_name("tables.toml")
_FAILED = "ended this way within the measured time"


@lru_cache(maxsize=1)
def tables_by_name() -> Mapping[str, TableData]:
    """Every table that has a CSV file, by its name."""
    return configuration.validate({"tables": configuration.read(_FILE)}, StoredTables, str(_FILE)).tables


def column(table: TableData, name: str) -> StoredColumn:
    """The description of a column. An unknown column is text without a unit, so that newer runs can be read."""
    if table.failures and name in ("wrong", *FAILURE_KINDS):
        return StoredColumn(name, "int", "requests", _FAILED)
    for pattern, (kind, unit, meaning) in table.columns.items():
        if fnmatchcase(name, pattern):
            return StoredColumn(name, kind, unit, meaning)
    return StoredColumn(name, "text", "", "")
