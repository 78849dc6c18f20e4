"""Data for samples: rows of values, generated before the run from its seed."""

from __future__ import annotations

import csv
import itertools
import json
import random
import string
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import quote_plus
from xml.sax.saxutils import escape

from ..base.errors import ConfigurationError
from ..models.service import Column

GENERATED_ROWS = 1_000
MOST_ROWS = 100_000
_MOST_CSV_BYTES = 64 * 2**20


Format = Literal["xml", "json", "form"]


def rows_of(
    columns: Mapping[str, Column], folder: Path, seed: int, written_in: Format | None, *, shortest: bool = False
) -> list[dict[str, str]]:
    """One row per request with a value for each column: as many as the longest file has, or the `shortest`, or GENERATED_ROWS;
    one empty row without columns.

    Shorter files repeat. The same seed gives the same rows. Characters with a meaning in the format `written_in` are
    escaped: XML markup, JSON quotes, all that URLs escape in a form. Raises ConfigurationError.
    """
    if not columns:
        return [{}]
    read = {name: _column_of(name, column, folder) for name, column in columns.items() if column.file is not None}
    lengths = [len(values) for values in read.values()] or [GENERATED_ROWS]
    count = min(MOST_ROWS, min(lengths) if shortest else max(lengths))
    values = {
        name: itertools.cycle(read[name])
        if name in read
        else _draw_values(column, random.Random(f"data {seed} {name}"))
        for name, column in columns.items()
    }
    return [{name: _format_value(next(column), written_in) for name, column in values.items()} for _ in range(count)]


def _format_value(value: str, written_in: Format | None) -> str:
    if written_in == "json":
        return json.dumps(value, ensure_ascii=False)[1:-1]
    if written_in == "form":
        return quote_plus(value)
    return escape(value, {'"': "&quot;"}) if written_in == "xml" else value


def _draw_values(column: Column, draw: random.Random) -> Iterator[str]:
    """An infinite stream of values of a generator."""
    days = (column.until - column.since).days
    for number in itertools.count():
        if column.kind == "sequence":
            yield str(column.first + number * column.step)
        elif column.kind == "uniform":
            yield str(draw.randint(column.first, column.last))
        elif column.kind == "choice":
            yield draw.choice(column.values)
        elif column.kind == "date":
            yield (column.since + timedelta(days=draw.randint(0, days))).isoformat()
        else:
            yield "".join(draw.choices(string.ascii_letters, k=column.length))


def _column_of(name: str, column: Column, folder: Path) -> list[str]:
    path = folder / (column.file or "")
    wanted = column.column or name
    try:
        if path.stat().st_size > _MOST_CSV_BYTES:
            raise ConfigurationError(
                f"{path} is larger than {_MOST_CSV_BYTES >> 20} MiB", hint="use fewer rows of data"
            )
        if column.kind == "json-lines":
            return _values_of_lines(path, wanted)
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file, strict=True)
            if wanted not in (rows.fieldnames or []):
                raise ConfigurationError(
                    f"{path} has no column '{wanted}'", hint=f"it has {', '.join(rows.fieldnames or [])}"
                )
            values = [row[wanted] or "" for row in itertools.islice(rows, MOST_ROWS)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"the data of [data.{name}] in {path} cannot be read: {error}") from None
    if not values:
        raise ConfigurationError(f"{path} has no rows of data")
    return values


def _values_of_lines(path: Path, key: str) -> list[str]:
    """The values of a key in a file of one JSON object a line: texts, numbers, or true and false. Raises ConfigurationError."""
    values = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(itertools.islice(filter(str.strip, file), MOST_ROWS), 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            value = row.get(key) if isinstance(row, dict) else None
            if not isinstance(value, str | int | float):
                raise ConfigurationError(
                    f"{path}, row {number}: there is no text or number under '{key}'",
                    hint='each line is one JSON object, such as {"user": "ann"}',
                )
            values.append(value if isinstance(value, str) else json.dumps(value))
    if not values:
        raise ConfigurationError(f"{path} has no row of data")
    return values
