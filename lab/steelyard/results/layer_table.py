"""layers.csv of a trial: one row per request that a monitor recorded, with its time in each layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..base.csvfiles import TableChunk, is_stored, read_chunks, write_table
from ..base.errors import StoreError
from .request_columns import (
    ABSENT,
    ContextColumn,
    LayerColumns,
    Mask,
    Numbers,
    RequestColumns,
    join_requests,
)

NAME = "layers.csv"
_HEAD = ("subject", "slice", "measured", "thread", "begin_ns", "violations")
_OF_LAYER = ("entries", "ns", "self_ns", "first_ns")
_CONTEXT = "context_"
_AT_ONCE = 10_000  # rows that are texts at a time


@dataclass(frozen=True, eq=False)
class TimedRequests:
    """The recorded requests of a slice, in order of time. `measured`: whether each began in the slice's measured time, not in
    lead-in or drain."""

    subject: str
    slice: int
    measured: Mask
    requests: RequestColumns

    def __len__(self) -> int:
        return len(self.requests)

    @property
    def right(self) -> RequestColumns:
        """The requests of the measured time, without violations."""
        return self.requests.select(self.measured & (self.requests.violations == 0))


def write_layers(path: Path, slices: Iterable[TimedRequests]) -> None:
    """Write layers.csv: one row per request in order of time, with columns for each tag and context key; raises StoreError."""
    parts = list(slices)
    requests = join_requests([part.requests for part in parts])
    tags, contexts = requests.tags, sorted(key for key, column in requests.contexts.items() if column.places.any())
    columns = (
        *_HEAD,
        *(f"{tag}_{suffix}" for tag in tags for suffix in _OF_LAYER),
        *(f"{_CONTEXT}{key}" for key in contexts),
    )
    write_table(path, columns, _rows(parts, requests, tags, contexts))


def _rows(
    parts: Sequence[TimedRequests], requests: RequestColumns, tags: Sequence[str], contexts: Sequence[str]
) -> Iterator[Sequence[object]]:
    part_of = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    measured = np.concatenate([part.measured for part in parts]) if parts else np.zeros(0, dtype=bool)
    by_time = np.argsort(requests.begin_ns, kind="stable")
    for first in range(0, len(by_time), _AT_ONCE):
        places = by_time[first : first + _AT_ONCE]
        some = requests.select(places)
        texts: list[Sequence[object]] = [
            [parts[part].subject for part in part_of[places]],
            [parts[part].slice for part in part_of[places]],
            measured[places].astype(int).tolist(),
            some.thread.tolist(),
            some.begin_ns.tolist(),
            some.violations.tolist(),
        ]
        for tag in tags:
            texts += _texts_of_layer(some.layers[tag])
        for key in contexts:
            column = some.contexts[key]
            texts.append([column.values[place] for place in column.places])
        yield from zip(*texts, strict=True)


def _texts_of_layer(times: LayerColumns) -> Iterator[Sequence[object]]:
    """The columns of a layer, empty where a request did not enter it."""
    entered = times.is_in.tolist()
    for numbers in (times.entries, times.total_ns, times.self_ns, times.first_ns):
        yield [number if is_in else "" for number, is_in in zip(numbers.tolist(), entered, strict=True)]


def read_layers(path: Path, may_be_cut: bool) -> dict[int, TimedRequests]:
    """The requests by slice, in order of time; none for a run without layers. Raises StoreError."""
    if not is_stored(path):
        return {}
    read = [_read_chunk(chunk) for chunk in read_chunks(path, _HEAD, _AT_ONCE, may_be_cut=may_be_cut)]
    if not read:
        return {}
    requests = join_requests([each for _, _, _, each in read])
    slices, measured = np.concatenate([each[1] for each in read]), np.concatenate([each[2] for each in read])
    subjects = {number: subject for each in read for number, subject in each[0].items()}
    by_slice = np.argsort(slices, kind="stable")
    numbers, begins = np.unique(slices[by_slice], return_index=True)
    return {
        number: TimedRequests(subjects[number], number, measured[places], requests.select(places))
        for number, places in zip(numbers.tolist(), np.split(by_slice, begins[1:]), strict=True)
    }


def _read_chunk(chunk: TableChunk) -> tuple[Mapping[int, str], Numbers, Mask, RequestColumns]:
    """The subject of each slice, and slice, measured time and columns of each request of some rows."""
    slices = _whole(chunk, "slice")
    contexts = (name for name in chunk.columns if name.startswith(_CONTEXT))
    requests = RequestColumns(
        _whole(chunk, "thread"),
        _whole(chunk, "begin_ns"),
        _whole(chunk, "violations"),
        {tag: _layer(chunk, names) for tag, names in _columns_of_tags(chunk).items()},
        {name.removeprefix(_CONTEXT): _context(chunk.columns[name]) for name in contexts},
    )
    subjects = dict(zip(slices.tolist(), chunk.columns["subject"], strict=True))
    return subjects, slices, _whole(chunk, "measured") == 1, requests


def _whole(chunk: TableChunk, name: str, where: Sequence[bool] | None = None) -> Numbers:
    try:
        return np.array(chunk.whole(name, where), dtype=np.int64)
    except OverflowError:
        raise StoreError(f"{chunk.path}, line {chunk.lines[0]} and on: {name} has a number that is too large") from None


def _layer(chunk: TableChunk, names: Sequence[str]) -> LayerColumns:
    """The times of a layer; a request whose number of entries is empty did not enter it."""
    entered = [bool(text) for text in chunk.columns[names[0]]]
    columns = [_whole(chunk, name, entered) for name in names]
    return LayerColumns(np.where(entered, columns[0], ABSENT), *columns[1:])


def _context(texts: Sequence[str]) -> ContextColumn:
    values = {"": 0}
    places = [values.setdefault(text, len(values)) for text in texts]
    return ContextColumn(np.array(places, dtype=np.int64), list(values))


def _columns_of_tags(chunk: TableChunk) -> dict[str, tuple[str, ...]]:
    """The columns of each tag of a table, in the order of LayerTime; raises StoreError where one is missing."""
    tags = [name.removesuffix("_self_ns") for name in chunk.columns if name.endswith("_self_ns")]
    columns = {tag: tuple(f"{tag}_{suffix}" for suffix in _OF_LAYER) for tag in tags}
    missing = next((name for names in columns.values() for name in names if name not in chunk.columns), None)
    if missing is not None:
        raise StoreError(f"{chunk.path}, line 1: the column {missing} is missing")
    return columns
