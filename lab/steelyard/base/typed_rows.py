"""Rows of CSV files as dataclasses: a field is a column, and its type says how the text is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .csvfiles import Row, read_table, write_table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Entry = TypeVar("Entry", bound="DataclassInstance")

_OPTIONAL = " | None"
_READERS: Mapping[str, Callable[[Row, str], object]] = {
    "str": Row.text,
    "int": Row.whole,
    "float": Row.number,
    "bool": lambda row, name: row.whole(name) == 1,
}


def columns_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """The columns of a table in order: the names of its dataclass's fields."""
    return tuple(column.name for column in fields(kind))


def fields_of(row: DataclassInstance) -> tuple[object, ...]:
    """The fields of a row in the order of its columns."""
    return tuple(getattr(row, name) for name in columns_of(type(row)))


def write_rows(path: Path, kind: type[Entry], rows: Iterable[Entry], *, packed: bool = False) -> None:
    """Write the rows as `csvfiles.write_table` does; raises StoreError."""
    write_table(path, columns_of(kind), map(fields_of, rows), packed=packed)


def read_rows(
    path: Path,
    kind: type[Entry],
    *,
    may_be_cut: bool = False,
    derive: Mapping[str, Callable[[Row], object]] | None = None,
) -> Iterator[tuple[Row, Entry]]:
    """Each row of a CSV file, as text and as a `kind`. Raises StoreError with file and line.

    A field with a default may lack its column, or be empty. An empty field of type `X | None` is None. `derive` computes the
    fields that are no column in every file. `may_be_cut` as in `csvfiles.read_text`.
    """
    derive = derive or {}
    columns = [column for column in fields(kind) if column.name not in derive]
    required = {column.name: _reader(column.type) for column in columns if column.default is MISSING}
    later = {column.name: _reader(column.type) for column in columns if column.default is not MISSING}
    for row in read_table(path, list(required), may_be_cut=may_be_cut):
        values = {name: read(row, name) for name, read in required.items()}
        values |= {name: read(row, name) for name, read in later.items() if row.fields.get(name)}
        values |= {name: compute(row) for name, compute in derive.items()}
        yield row, kind(**values)


def _reader(annotation: Any) -> Callable[[Row, str], object]:
    """How to read a field of this type; annotations are text, since their evaluation is postponed."""
    text = str(annotation)
    read = _READERS[text.removesuffix(_OPTIONAL)]
    if not text.endswith(_OPTIONAL):
        return read
    return lambda row, name: read(row, name) if row.fields[name] else None
