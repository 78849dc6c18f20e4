"""Builds tables from CSV files of several folders, from models, and from histograms. Each row starts with its origin."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from ...base.csvfiles import Row, is_stored, read_table
from ...base.errors import StoreError
from ...models.records import SlicePlan
from ...models.stored_table import TableData, ValueType
from . import known_tables
from .stored_table import StoredColumn, StoredTable, Value

_LARGEST = 2**63 - 1
_UNITS = {"seconds": "s", "s": "s", "ns": "ns", "ms": "ms", "bytes": "bytes", "percent": "%"}
LABELS = {
    "machine": StoredColumn("machine", "text", "", "machine of the cluster"),
    "trial": StoredColumn("trial", "int", "", "number of the trial, a start of the servers"),
    "stretch": StoredColumn("stretch", "text", "", "folder of the stretch of load within the run's"),
    "subject": StoredColumn("subject", "text", "", "label of the subject"),
    "cell": StoredColumn("cell", "text", "", "condition under which subjects are compared"),
    "pair": StoredColumn("pair", "int", "", "slices of one pair and cell are compared with each other"),
}


@dataclass(frozen=True)
class Origin:
    """A folder that rows come from, and the first columns of its rows: machine, trial or stretch.

    `may_be_cut`: the process that wrote its files may have been killed. `plans` are its slices' plans by number; empty without a
    plan.
    """

    folder: Path
    labels: Mapping[str, Value]
    may_be_cut: bool = False
    plans: Mapping[int, SlicePlan] = field(default_factory=dict)

    def of_slice(self, number: Value) -> dict[str, Value]:
        """The first columns of a slice's row: with cell and pair, if slices were planned."""
        if not self.plans:
            return dict(self.labels)
        plan = self.plans.get(number) if isinstance(number, int) else None
        return {**self.labels, "cell": plan.cell if plan else None, "pair": plan.pair if plan else None}


class TableBuilder:
    """Builds a table from rows whose columns may differ; missing values are None. `describe` gives a column by its name."""

    def __init__(self, name: str, row: str, describe: Callable[[str], StoredColumn]) -> None:
        self._name, self._row, self._describe = name, row, describe
        self._values: dict[str, list[Value]] = {}
        self._length = 0

    def add(self, row: Mapping[str, Value]) -> None:
        """Add a row, its values by column."""
        for name, value in row.items():
            self._values.setdefault(name, [None] * self._length).append(value)
        self._length += 1
        for values in self._values.values():
            if len(values) < self._length:
                values.append(None)

    def build(self, otherwise: Sequence[str] = ()) -> StoredTable:
        """The table; without rows, its columns are those in `otherwise`."""
        names = list(self._values) or list(otherwise)
        columns = tuple(LABELS.get(name) or self._describe(name) for name in names)
        return StoredTable(self._name, self._row, columns, {name: self._values.get(name, []) for name in names})


def of_files(name: str, table: TableData, origins: Sequence[Origin]) -> StoredTable:
    """The rows of a CSV file in all folders that have it; raises StoreError that names the file and the line."""
    described: dict[str, StoredColumn] = {}

    def describe(column: str) -> StoredColumn:
        if column not in described:
            described[column] = known_tables.column(table, column)
        return described[column]

    builder = TableBuilder(name, table.row, describe)
    for origin in origins:
        path = origin.folder / table.file
        if not is_stored(path):
            continue
        needed = ("slice",) if name == "slices" else ()
        for row in read_table(path, needed, may_be_cut=origin.may_be_cut):
            values = {column: _value(row, describe(column)) for column in row.fields}
            labels = origin.of_slice(values["slice"]) if name == "slices" else origin.labels
            builder.add({**labels, **values})
    first = origins[0].labels if origins else {}
    return builder.build([*first, *(column for column in table.columns if "*" not in column)])


def _value(row: Row, column: StoredColumn) -> Value:
    text = row.text(column.name)
    if column.type == "text":
        return text
    if not text:
        return None
    if column.type == "float":
        return row.number(column.name)
    number = row.whole(column.name)
    if column.type == "bool":
        return number == 1
    if number > _LARGEST:
        raise StoreError(f"{row.path}, line {row.line}: {column.name} is {number}, which does not fit in 63 bits")
    return number


def of_models(name: str, row: str, model: type[BaseModel], items: Iterable[tuple[Origin, BaseModel]]) -> StoredTable:
    """One row per model.

    Columns are its fields, the fields of nested models with the outer name as prefix, the ends of an interval as `_low` and
    `_high`, and other lists and tables as JSON. Lists of models are left out, because they are tables of their own.
    """
    known = {column.name: (column, read) for column, read in _fields(model)}
    builder = TableBuilder(name, row, lambda column: known[column][0])
    for origin, item in items:
        builder.add({**origin.labels, **{column: read(item) for column, (_, read) in known.items()}})
    return builder.build(list(known))


def list_fields(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """The fields of a model that are lists of models, with the model of their items."""
    listed = {}
    for name, info in model.model_fields.items():
        arguments = get_args(_bare_type(info.annotation))
        if _is_list_of_models(_bare_type(info.annotation)):
            listed[name] = arguments[0]
    return listed


def _fields(model: type[BaseModel], before: str = "") -> Iterator[tuple[StoredColumn, Callable[[Any], Value]]]:
    for name, info in model.model_fields.items():
        annotation = _bare_type(info.annotation)
        if _is_list_of_models(annotation):
            continue
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            for column, read in _fields(annotation, f"{before}{name}_"):
                yield column, _read_nested(name, read)
            continue
        meaning = f"{name} of {model.__name__}"
        if [_bare_type(part) for part in get_args(annotation)] == [float, float]:
            for place, end in enumerate(("low", "high")):
                label = f"{before}{name}_{end}"
                yield StoredColumn(label, "float", _unit(name), meaning), _read_nested(name, _part(place))
        else:
            kind = _TYPES.get(annotation, "text")
            yield StoredColumn(f"{before}{name}", kind, _unit(name), meaning), _read_nested(name, _plain(kind))


_TYPES: dict[Any, ValueType] = {int: "int", float: "float", bool: "bool", str: "text"}


def _read_nested(name: str, read: Callable[[Any], Value]) -> Callable[[Any], Value]:
    return lambda item: None if (inner := getattr(item, name)) is None else read(inner)


def _part(place: int) -> Callable[[Any], Value]:
    return lambda pair: float(pair[place])


def _plain(kind: ValueType) -> Callable[[Any], Value]:
    def read(value: Any) -> Value:
        if kind != "text" or isinstance(value, str):
            return {"float": float, "int": int, "bool": bool, "text": str}[kind](value)  # type: ignore[no-any-return]
        return json.dumps(value, ensure_ascii=False, default=_dump)

    return read


def _dump(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)


def _bare_type(annotation: Any) -> Any:
    """A type without None and without validators."""
    if get_origin(annotation) is Annotated:
        return _bare_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        options = [option for option in get_args(annotation) if option is not type(None)]
        return _bare_type(options[0]) if len(options) == 1 else annotation
    return annotation


def _is_list_of_models(annotation: Any) -> bool:
    arguments = get_args(annotation)
    return get_origin(annotation) is list and isinstance(arguments[0], type) and issubclass(arguments[0], BaseModel)


def _unit(name: str) -> str:
    return _UNITS.get(name.rpartition("_")[2], "")
