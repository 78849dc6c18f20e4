"""A paper's tables of layers and measures as data, shown beside ours in the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..base.csvfiles import is_stored
from ..base.typed_rows import read_rows

LAYERS, MEASURES = FILES = "published_layers.csv", "published_measures.csv"
Published = TypeVar("Published", "PublishedLayer", "PublishedMeasure")


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
    return _read(path, PublishedLayer, "ms", "percent")


def read_published_measures(path: Path) -> tuple[PublishedMeasure, ...]:
    """The rows of a table of measures; empty without a file. Raises StoreError with file and line."""
    return _read(path, PublishedMeasure, "value")


def _read(path: Path, kind: type[Published], *printed: str) -> tuple[Published, ...]:
    """The rows; all `printed` columns hold numbers, and only a time may be left out. Older tables have no sets of factors."""
    rows: list[Published] = []
    derive = {"factors": lambda row: row.fields.get("set", "")}
    for row, made in read_rows(path, kind, derive=derive) if is_stored(path) else ():
        for name in printed:
            if name != "ms" or row.text(name):
                row.number(name)  # raises for text that is not a number
        rows.append(made)
    return tuple(rows)
