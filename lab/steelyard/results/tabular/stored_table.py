"""A table in memory, by column: as named tuples, dictionaries, or a data frame of pandas, Polars or Arrow."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...base.errors import ToolchainError
from ...models.stored_table import ValueType

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Value = int | float | str | bool | None
_PANDAS = {"int": "Int64", "float": "float64", "text": "object", "bool": "boolean"}


@dataclass(frozen=True)
class StoredColumn:
    """A column: its name, the type of its values, its unit (empty: none) and its meaning."""

    name: str
    type: ValueType
    unit: str
    meaning: str


@dataclass(frozen=True)
class StoredTable:
    """A table of a run. `row` describes a row. `values` are by column, all of one length, with None for missing values."""

    name: str
    row: str
    columns: tuple[StoredColumn, ...]
    values: Mapping[str, Sequence[Value]]

    def __len__(self) -> int:
        return len(self.values[self.columns[0].name]) if self.columns else 0

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one, by its name: ns, s, bytes, requests ..."""
        return {column.name: column.unit for column in self.columns if column.unit}

    def rows(self) -> list[Any]:
        """The rows as named tuples; a column whose name is not a valid Python name is `_` and its position."""
        row = namedtuple(self.name, self.values, rename=True)  # type: ignore[misc]  # the columns are known only now
        return [row(*values) for values in zip(*self.values.values(), strict=True)]

    def dicts(self) -> list[dict[str, Value]]:
        """The rows as dictionaries by column."""
        return [dict(zip(self.values, values, strict=True)) for values in zip(*self.values.values(), strict=True)]

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame, with the units in `attrs["units"]`; missing whole numbers are `pandas.NA`.

        Raises ToolchainError where pandas is not installed.
        """
        library = require_library("pandas")
        series = {
            column.name: library.Series(self.values[column.name], dtype=_PANDAS[column.type]) for column in self.columns
        }
        frame: pandas.DataFrame = library.DataFrame(series)
        frame.attrs["units"] = self.units
        return frame

    def to_polars(self) -> polars.DataFrame:
        """A Polars data frame; its units are in `units`. Raises ToolchainError where Polars is not installed."""
        library = require_library("polars")
        types = {"int": library.Int64, "float": library.Float64, "text": library.String, "bool": library.Boolean}
        frame: polars.DataFrame = library.DataFrame(
            {name: list(values) for name, values in self.values.items()},
            schema={column.name: types[column.type] for column in self.columns},
        )
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table whose fields have `unit` and `meaning` as metadata. Raises ToolchainError where pyarrow is missing."""
        library = require_library("pyarrow")
        types = {"int": library.int64(), "float": library.float64(), "text": library.string(), "bool": library.bool_()}
        fields = [
            library.field(column.name, types[column.type], metadata={"unit": column.unit, "meaning": column.meaning})
            for column in self.columns
        ]
        arrays = [library.array(self.values[field.name], type=field.type) for field in fields]
        table: pyarrow.Table = library.Table.from_arrays(
            arrays, schema=library.schema(fields, metadata={"row": self.row})
        )
        return table


def require_library(library: str) -> Any:
    """Imports an optional library; raises ToolchainError that names the extra where it is not installed."""
    extra = {"pyarrow": "parquet", "pyarrow.parquet": "parquet"}.get(library, library)
    try:
        return import_module(library)
    except ImportError:
        raise ToolchainError(
            f"{library.partition('.')[0]} is not installed here", hint=f"install it with Steelyard: steelyard[{extra}]"
        ) from None
