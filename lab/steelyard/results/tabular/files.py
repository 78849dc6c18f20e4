"""Tables as files for other programs: CSV with units and meanings in a separate file, and Parquet, which includes them."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ...base.csvfiles import write_bytes, write_table
from ...base.errors import ConfigurationError, StoreError
from ...models.outputs.other_tools import WrittenTable
from .opened_run import OpenedRun
from .stored_table import StoredTable, Value, require_library

COLUMNS_FILE = "columns.csv"
_COLUMNS = ("table", "column", "type", "unit", "meaning")


def write_csv(table: StoredTable, path: Path) -> None:
    """One header and one line per row; missing values are empty, true is 1 and false 0. Raises StoreError."""
    rows = zip(*table.values.values(), strict=True)
    write_table(path, list(table.values), ([_field(value) for value in row] for row in rows))


def write_parquet(table: StoredTable, path: Path) -> None:
    """Columns with their own types; unit and meaning are metadata of each field.

    Raises ToolchainError where pyarrow is not installed, and StoreError.
    """
    parquet, content = require_library("pyarrow.parquet"), io.BytesIO()
    parquet.write_table(table.to_arrow(), content)
    write_bytes(path, content.getvalue())


FORMATS: Mapping[str, Callable[[StoredTable, Path], None]] = {"csv": write_csv, "parquet": write_parquet}


def write_tables(run: OpenedRun, names: Sequence[str], form: str, folder: Path) -> list[WrittenTable]:
    """Write tables of a run, all if none is named, into `folder` as `NAME.csv` or `NAME.parquet`.

    CSV files come with `columns.csv`, one row per column. Nothing is written where a table cannot be read. Raises
    ConfigurationError where a file exists already, else StoreError or ToolchainError.
    """
    wanted = list(dict.fromkeys(names)) or run.tables
    paths = {name: folder / f"{name}.{form}" for name in wanted}
    columns_file = folder / COLUMNS_FILE
    there = next((path for path in (*paths.values(), columns_file) if path.exists()), None)
    if there is not None:
        raise ConfigurationError(f"{there} exists already", hint="name another folder, or remove it")
    if form == "parquet":
        require_library("pyarrow.parquet")
    tables = [run.table(name) for name in wanted]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be made: {error.strerror}") from None
    for table in tables:
        FORMATS[form](table, paths[table.name])
    if form == "csv":
        described = [(table.name, column) for table in tables for column in table.columns]
        rows = [(name, column.name, column.type, column.unit, column.meaning) for name, column in described]
        write_table(columns_file, _COLUMNS, rows)
    return [
        WrittenTable(table=table.name, file=str(paths[table.name]), rows=len(table), columns=list(table.values))
        for table in tables
    ]


def _field(value: Value) -> object:
    return "" if value is None else int(value) if isinstance(value, bool) else value
