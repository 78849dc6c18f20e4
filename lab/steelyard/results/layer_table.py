"""layers.csv of a trial: one row per request that a monitor recorded, with its time in each layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import Row, is_stored, read_table, write_table
from ..base.errors import StoreError
from .layer_records import LayerTime, RequestRecord

NAME = "layers.csv"
_HEAD = ("subject", "slice", "measured", "thread", "begin_ns", "violations")
_OF_LAYER = ("entries", "ns", "self_ns", "first_ns")
_CONTEXT = "context_"


@dataclass(frozen=True, slots=True)
class TimedRequest:
    """A recorded request of a slice. `measured`: it began in the slice's measured time, not in lead-in or drain."""

    subject: str
    slice: int
    measured: bool
    record: RequestRecord


def write_layers(path: Path, requests: Iterable[TimedRequest]) -> None:
    """Write layers.csv: one row per request in order of time, with columns for each tag and context key; raises StoreError."""
    rows = sorted(requests, key=lambda request: request.record.begin_ns)
    tags = sorted({tag for request in rows for tag in request.record.layers})
    contexts = sorted({key for request in rows for key in request.record.contexts})
    columns = (
        *_HEAD,
        *(f"{tag}_{suffix}" for tag in tags for suffix in _OF_LAYER),
        *(f"{_CONTEXT}{key}" for key in contexts),
    )
    write_table(path, columns, (_row(request, tags, contexts) for request in rows))


def _row(request: TimedRequest, tags: list[str], contexts: list[str]) -> list[object]:
    record = request.record
    row: list[object] = [
        request.subject,
        request.slice,
        int(request.measured),
        record.thread,
        record.begin_ns,
        record.violations,
    ]
    for tag in tags:
        time = record.layers.get(tag)
        row += ["", "", "", ""] if time is None else [time.entries, time.total_ns, time.self_ns, time.first_ns]
    return [*row, *(record.contexts.get(key, "") for key in contexts)]


def read_layers(path: Path, may_be_cut: bool) -> dict[int, list[TimedRequest]]:
    """The requests by slice, in order of time; none for a run without layers. Raises StoreError."""
    by_slice: dict[int, list[TimedRequest]] = {}
    if is_stored(path):
        for request in _read(path, may_be_cut):
            by_slice.setdefault(request.slice, []).append(request)
    return by_slice


def _read(path: Path, may_be_cut: bool) -> Iterator[TimedRequest]:
    columns: dict[str, tuple[str, ...]] = {}
    contexts: dict[str, str] = {}
    for row in read_table(path, _HEAD, may_be_cut=may_be_cut):
        if not columns:
            columns = _columns_of_tags(row)
            contexts = {name: name.removeprefix(_CONTEXT) for name in row.fields if name.startswith(_CONTEXT)}
        times = {tag: LayerTime(*map(row.whole, names)) for tag, names in columns.items() if row.fields[names[0]]}
        record = RequestRecord(
            thread=row.whole("thread"),
            begin_ns=row.whole("begin_ns"),
            violations=row.whole("violations"),
            layers=dict(sorted(times.items(), key=lambda item: (item[1].first_ns, -item[1].total_ns))),
            contexts={key: value for name, key in contexts.items() if (value := row.fields[name])},
        )
        yield TimedRequest(row.text("subject"), row.whole("slice"), row.whole("measured") == 1, record)


def _columns_of_tags(row: Row) -> dict[str, tuple[str, ...]]:
    """The columns of each tag of a table, in the order of LayerTime; raises StoreError where one is missing."""
    tags = [name.removesuffix("_self_ns") for name in row.fields if name.endswith("_self_ns")]
    columns = {tag: tuple(f"{tag}_{suffix}" for suffix in _OF_LAYER) for tag in tags}
    missing = next((name for names in columns.values() for name in names if name not in row.fields), None)
    if missing is not None:
        raise StoreError(f"{row.path}, line 1: the column {missing} is missing")
    return columns
