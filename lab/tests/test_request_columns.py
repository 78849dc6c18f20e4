"""Recorded requests as columns: each is what it was as a record, and a million of them take little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steelyard.base.errors import StoreError
from steelyard.results.layer_table import TimedRequests, read_layers, write_layers
from steelyard.results.request_columns import (
    ContextColumn,
    LayerColumns,
    LayerTime,
    RequestColumns,
    RequestRecord,
    columns_of,
    join_requests,
)

TAGS = ("filter", "si", "reads")
NS = st.integers(0, 2**62)
MOST_BYTES = (
    700  # of memory for each further request while a table is read: its text, its columns, and their order by slice
)


def by_entry(layers: dict[str, LayerTime]) -> dict[str, LayerTime]:
    """The layers in the order in which a record has them."""
    return dict(sorted(layers.items(), key=lambda item: (item[1].first_ns, -item[1].total_ns)))


TIMES = st.builds(LayerTime, st.integers(0, 9), NS, NS, NS)
LAYERS = st.dictionaries(st.sampled_from(TAGS), TIMES).map(by_entry)
CONTEXTS = st.dictionaries(st.sampled_from(("si_name", "ws_name")), st.sampled_from(("search", 'r,e\n"serve', "ü")))
RECORDS = st.lists(st.builds(RequestRecord, st.integers(0, 99), NS, st.integers(0, 5), LAYERS, CONTEXTS), max_size=12)


@given(RECORDS)
def test_columns_give_back_each_record(records: Sequence[RequestRecord]) -> None:
    columns = columns_of(records)
    assert list(columns) == list(records)
    assert columns.total_ns.tolist() == [record.total_ns for record in records]


@given(RECORDS)
def test_sums_of_columns_are_those_of_the_records(records: Sequence[RequestRecord]) -> None:
    columns = columns_of(records)
    for tag in TAGS:
        times = [record.layers.get(tag, LayerTime(0, 0, 0, 0)) for record in records]
        assert columns.own_ns([tag]).tolist() == [time.self_ns for time in times]
        assert columns.totals_ns(tag).tolist() == [time.total_ns for time in times]
        assert columns.entries(tag).tolist() == [time.entries for time in times]
    for name in ("search", ""):
        fits = [record.contexts.get("si_name", "") == name for record in records]
        assert columns.has_contexts({"si_name": [name]}).tolist() == fits


@given(st.lists(RECORDS, max_size=4))
def test_parts_with_other_layers_and_contexts_are_joined(parts: Sequence[Sequence[RequestRecord]]) -> None:
    assert list(join_requests([columns_of(part) for part in parts])) == [record for part in parts for record in part]


@given(RECORDS)
def test_a_table_gives_back_the_requests_of_each_slice_in_order_of_time(records: Sequence[RequestRecord]) -> None:
    slices = [
        TimedRequests(subject, number, np.ones(len(mine), dtype=bool), columns_of(mine))
        for subject, number, mine in (("a", 3, records[::2]), ("b", 1, records[1::2]))
    ]
    with TemporaryDirectory() as folder:
        write_layers(Path(folder) / "layers.csv", slices)
        read = read_layers(Path(folder) / "layers.csv", False)
    assert set(read) == {one.slice for one in slices if len(one)}
    for one in slices:
        if len(one):
            assert (read[one.slice].subject, read[one.slice].measured.all()) == (one.subject, True)
            assert list(read[one.slice].requests) == sorted(one.requests, key=lambda record: record.begin_ns)


@pytest.mark.parametrize(
    ("value", "said"),
    [("-1", "line 2: filter_ns is '-1', not a whole number"), ("9" * 20, "filter_ns has a number that is too large")],
)
def test_a_number_that_is_none_is_named(value: str, said: str, tmp_path: Path) -> None:
    head = "subject,slice,measured,thread,begin_ns,violations,filter_entries,filter_ns,filter_self_ns,filter_first_ns"
    (tmp_path / "layers.csv").write_text(f"{head}\na,0,1,1,1,0,1,{value},1,0\n")
    with pytest.raises(StoreError, match=said):
        read_layers(tmp_path / "layers.csv", False)


def many(count: int) -> RequestColumns:
    """Requests of four layers each."""
    numbers = np.arange(count)
    times = LayerColumns(np.ones(count, dtype=np.int64), numbers + 10**6, numbers + 10**5, numbers % 7)
    names = ContextColumn(numbers % 2 + 1, ("", "search", "reserve"))
    tags = (*TAGS, "writes")
    return RequestColumns(numbers, numbers + 10**12, numbers * 0, dict.fromkeys(tags, times), {"si_name": names})


def test_memory_grows_by_little_for_each_request(tmp_path: Path) -> None:
    few, more, peaks = 10_000, 30_000, {}
    for count in (few, more):
        path = tmp_path / f"{count}.csv"
        write_layers(path, [TimedRequests("a", 0, np.ones(count, dtype=bool), many(count))])
        tracemalloc.start()
        try:
            assert len(read_layers(path, False)[0]) == count
            peaks[count] = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (peaks[more] - peaks[few]) / (more - few) < MOST_BYTES
