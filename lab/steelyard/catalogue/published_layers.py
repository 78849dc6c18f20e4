"""A paper's tables of layers and measures as data, shown beside ours in the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import Row, is_stored, read_table

LAYERS, MEASURES = FILES = "published_layers.csv", "published_measures.csv"
_LAYER_COLUMNS = ("table", "test", "kind", "layer", "ms", "percent")
_MEASURE_COLUMNS = ("table", "test", "measure", "value")


@dataclass(frozen=True)
class PublishedLayer:
    """A layer's share in percent of the requests of a kind (empty: all) in a test, and its ms if printed, as printed.

    `factors` is the study's set of factors of the row; empty for the default set.
    """

    table: str
    test: str
    kind: str
    layer: str
    ms: str
    percent: str
    factors: str = ""


@dataclass(frozen=True)
class PublishedMeasure:
    """A measure's value in a test, as printed, with the set of factors as in PublishedLayer."""

    table: str
    test: str
    measure: str
    value: str
    factors: str = ""


def read_published_layers(path: Path) -> tuple[PublishedLayer, ...]:
    """The rows of a table of layers; empty without a file. Raises StoreError with file and line."""
    rows = read_table(path, _LAYER_COLUMNS) if is_stored(path) else ()
    return tuple(
        PublishedLayer(
            table=row.text("table"),
            test=row.text("test"),
            kind=row.text("kind"),
            layer=row.text("layer"),
            ms=_printed_text(row, "ms") if row.text("ms") else "",
            percent=_printed_text(row, "percent"),
            factors=_factors(row),
        )
        for row in rows
    )


def read_published_measures(path: Path) -> tuple[PublishedMeasure, ...]:
    """The rows of a table of measures; empty without a file. Raises StoreError with file and line."""
    rows = read_table(path, _MEASURE_COLUMNS) if is_stored(path) else ()
    return tuple(
        PublishedMeasure(
            row.text("table"), row.text("test"), row.text("measure"), _printed_text(row, "value"), _factors(row)
        )
        for row in rows
    )


def _factors(row: Row) -> str:
    """The row's set of factors; older runs keep tables without the column."""
    return row.fields.get("set", "")


def _printed_text(row: Row, name: str) -> str:
    row.number(name)  # raises for text that is not a number
    return row.text(name)
