"""Percentiles of response times, for each slice and operation (intervals.hlog) and each second of a load (seconds.hlog)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...base.csvfiles import is_stored
from ...base.errors import StoreError
from ...base.histogram import decode, read_seconds
from ...statistics.checks import percentile_refusal
from ..tables import read_histograms
from .building import Origin, TableBuilder
from .stored_table import StoredColumn, StoredTable, Value

INTERVALS, SECONDS = "intervals.hlog", "seconds.hlog"
USUAL = (50.0, 90.0, 95.0, 99.0, 99.9)
_COLUMNS = {
    "slice": StoredColumn("slice", "int", "", "number of the slice within its place"),
    "subject": StoredColumn("subject", "text", "", "label of the subject"),
    "operation": StoredColumn("operation", "text", "", "operation, or session"),
    "kind": StoredColumn(
        "kind",
        "text",
        "",
        "response, service, failure, all, queueing, connect, first_byte, first_event, between_events, tls, session",
    ),
    "second": StoredColumn(
        "second", "int", "", "number of the second among the slice's seconds with an answer, from 1"
    ),
    "count": StoredColumn("count", "int", "", "number of values"),
    "mean_us": StoredColumn("mean_us", "float", "µs", "mean"),
    "highest_us": StoredColumn("highest_us", "float", "µs", "highest"),
}


def by_slice(origins: Sequence[Origin], percents: Sequence[float]) -> StoredTable:
    """One row per slice, operation and kind of time; raises StoreError that names the file."""
    row = "times of one kind of an operation in a slice; percentiles with too few values are missing"
    builder = TableBuilder("percentiles", row, _percentile_column)
    for origin in origins:
        if not is_stored(origin.folder / INTERVALS):
            continue
        histograms = read_histograms(origin.folder / INTERVALS, origin.may_be_cut)
        for (number, kind), parts in sorted(histograms.items()):
            for tag, encoded in parts:
                subject, _, operation, _ = tag.rsplit("/", 3)
                named: dict[str, Value] = {"slice": number, "subject": subject, "operation": operation, "kind": kind}
                builder.add(
                    {**origin.of_slice(number), **named, **_percentile_values(encoded, percents, origin, INTERVALS)}
                )
    return builder.build(_columns(origins, percents, "second"))


def by_second(origins: Sequence[Origin], percents: Sequence[float]) -> StoredTable:
    """One row per second of a load, operation and kind of time; raises StoreError that names the file."""
    row = "times of one kind of an operation in a second; percentiles with too few values are missing"
    builder = TableBuilder("seconds", row, _percentile_column)
    for origin in origins:
        for values in _seconds(origin, percents):
            builder.add(values)
    return builder.build(_columns(origins, percents))


def _seconds(origin: Origin, percents: Sequence[float]) -> Iterator[dict[str, Value]]:
    if not is_stored(origin.folder / SECONDS):
        return
    passed: Counter[str] = Counter()
    for tag, encoded in read_seconds(origin.folder / SECONDS):
        passed[tag] += 1
        parts = tag.rsplit("/", 3)
        if len(parts) != 4 or not (parts[1].isascii() and parts[1].isdigit()):
            raise StoreError(f"{origin.folder / SECONDS}: the tag {tag[:80]} is not subject/slice/operation/kind")
        named: dict[str, Value] = {"slice": int(parts[1]), "subject": parts[0], "operation": parts[2], "kind": parts[3]}
        times = _percentile_values(encoded, percents, origin, SECONDS)
        yield {**origin.labels, **named, "second": passed[tag], **times}


def _percentile_values(encoded: str, percents: Sequence[float], origin: Origin, file: str) -> dict[str, Value]:
    try:
        times = decode(encoded)
    except ValueError as error:
        raise StoreError(f"{origin.folder / file}: a histogram is damaged: {error}") from None
    supported = {_name(percent): percentile_refusal(percent / 100, times.total) is None for percent in percents}
    return {
        "count": times.total,
        "mean_us": times.mean() if times.total else None,
        **{_name(percent): times.percentile(percent) if supported[_name(percent)] else None for percent in percents},
        "highest_us": float(times.highest[-1]) if times.total else None,
    }


def _name(percent: float) -> str:
    return f"p{percent:g}_us".replace(".", "_")


def _percentile_column(name: str) -> StoredColumn:
    return _COLUMNS.get(name) or StoredColumn(name, "float", "µs", f"percentile {name[1:-3].replace('_', '.')}")


def _columns(origins: Sequence[Origin], percents: Sequence[float], *but: str) -> list[str]:
    names = [*(origins[0].of_slice(None) if origins else {}), *_COLUMNS, *(_name(percent) for percent in percents)]
    return [name for name in names if name not in but]
