"""Recorded requests, single ones and as columns of numbers: a fork may have a million, each with its time in several layers."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
ABSENT = -1  # entries of a request that did not enter a layer
_AT_ONCE = 10_000  # requests that are objects at a time
_LATEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class LayerTime:
    """A request's time in a layer, in ns.

    The total from outermost entries to their exits, its own time without the layers inside, and the time from the request's
    start until it first entered the layer.
    """

    entries: int
    total_ns: int
    self_ns: int
    first_ns: int


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request as the monitor recorded it, by tag in the order of first entry, the outermost first.

    `begin_ns` is CLOCK_MONOTONIC. `violations` is not 0 where its times are invalid. `contexts` are by `TAG_KEY`.
    """

    thread: int
    begin_ns: int
    violations: int
    layers: dict[str, LayerTime]
    contexts: dict[str, str] = field(default_factory=dict)

    @property
    def total_ns(self) -> int:
        """From the first time stamp to the last."""
        return next(iter(self.layers.values())).total_ns if self.layers else 0

    def contexts_of(self, tag: str) -> dict[str, str]:
        """The contexts of a layer, by key."""
        head = f"{tag}_"
        return {key.removeprefix(head): value for key, value in self.contexts.items() if key.startswith(head)}


@dataclass(frozen=True, eq=False, slots=True)
class LayerColumns:
    """The times of requests in one layer, in ns as those of LayerTime; `entries` is ABSENT where a request did not enter it."""

    entries: Numbers
    total_ns: Numbers
    self_ns: Numbers
    first_ns: Numbers

    @property
    def is_in(self) -> Mask:
        """Whether each request entered the layer."""
        is_in: Mask = self.entries != ABSENT
        return is_in

    def select(self, where: Mask | Numbers) -> LayerColumns:
        """The times of some requests, by mask or by place."""
        return LayerColumns(self.entries[where], self.total_ns[where], self.self_ns[where], self.first_ns[where])


@dataclass(frozen=True, eq=False, slots=True)
class ContextColumn:
    """The values of one context key: each request's place in `values`, whose first one is empty."""

    places: Numbers
    values: Sequence[str]

    def is_one_of(self, values: Collection[str]) -> Mask:
        """Whether each request has one of these values."""
        known = np.array([value in values for value in self.values], dtype=bool)
        fits: Mask = known[self.places]
        return fits


@dataclass(frozen=True, eq=False)
class RequestColumns:
    """Recorded requests: the fields of RequestRecord, a column each, all of the same length."""

    thread: Numbers
    begin_ns: Numbers
    violations: Numbers
    layers: Mapping[str, LayerColumns] = field(default_factory=dict)
    contexts: Mapping[str, ContextColumn] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.begin_ns)

    def __iter__(self) -> Iterator[RequestRecord]:
        for first in range(0, len(self), _AT_ONCE):
            yield from self.select(np.arange(first, min(first + _AT_ONCE, len(self)))).records()

    def records(self) -> list[RequestRecord]:
        """All requests, an object each."""
        columns = {
            tag: [numbers.tolist() for numbers in (times.entries, times.total_ns, times.self_ns, times.first_ns)]
            for tag, times in self.layers.items()
        }
        contexts = {
            key: [column.values[place] for place in column.places.tolist()] for key, column in self.contexts.items()
        }
        heads = zip(self.thread.tolist(), self.begin_ns.tolist(), self.violations.tolist(), strict=True)
        records = []
        for place, head in enumerate(heads):
            times = {
                tag: LayerTime(*(numbers[place] for numbers in column))
                for tag, column in columns.items()
                if column[0][place] != ABSENT
            }
            by_entry = dict(sorted(times.items(), key=lambda item: (item[1].first_ns, -item[1].total_ns)))
            given = {key: values[place] for key, values in contexts.items() if values[place]}
            records.append(RequestRecord(*head, by_entry, given))
        return records

    @property
    def tags(self) -> list[str]:
        """The tags of the layers that any request entered, sorted."""
        return sorted(tag for tag, times in self.layers.items() if times.is_in.any())

    @cached_property
    def total_ns(self) -> Numbers:
        """From the first time stamp of each request to the last: its time in the layer that it entered first."""
        first, total = np.full(len(self), _LATEST), np.zeros(len(self), dtype=np.int64)
        for times in self.layers.values():
            sooner = times.is_in & (times.first_ns < first)
            longer = times.is_in & (times.first_ns == first) & (times.total_ns > total)
            total = np.where(sooner | longer, times.total_ns, total)
            first = np.where(sooner, times.first_ns, first)
        return total

    def own_ns(self, tags: Iterable[str]) -> Numbers:
        """Each request's own time in the layers with these tags."""
        own = self._zeros()
        for tag in tags:
            if tag in self.layers:
                times = self.layers[tag]
                own += np.where(times.is_in, times.self_ns, 0)
        return own

    def totals_ns(self, tag: str) -> Numbers:
        """Each request's time in a layer, 0 where it did not enter it."""
        times = self.layers.get(tag)
        return self._zeros() if times is None else np.where(times.is_in, times.total_ns, 0)

    def entries(self, tag: str) -> Numbers:
        """How often each request entered a layer."""
        times = self.layers.get(tag)
        return self._zeros() if times is None else np.where(times.is_in, times.entries, 0)

    def _zeros(self) -> Numbers:
        return np.zeros(len(self), dtype=np.int64)

    def has_contexts(self, where: Mapping[str, Collection[str]]) -> Mask:
        """Whether each request has one of the given values for each key; a request without a key has an empty value."""
        fits = np.ones(len(self), dtype=bool)
        for key, values in where.items():
            column = self.contexts.get(key)
            fits &= column.is_one_of(values) if column is not None else "" in values
        return fits

    def select(self, where: Mask | Numbers) -> RequestColumns:
        """Some of the requests, by mask or by place."""
        return RequestColumns(
            self.thread[where],
            self.begin_ns[where],
            self.violations[where],
            {tag: times.select(where) for tag, times in self.layers.items()},
            {key: ContextColumn(column.places[where], column.values) for key, column in self.contexts.items()},
        )


class ColumnsBuilder:
    """Collects requests one by one into columns."""

    def __init__(self) -> None:
        self._heads = tuple(array("q") for _ in range(3))
        self._layers: dict[str, tuple[array[int], ...]] = {}
        self._contexts: dict[str, tuple[array[int], dict[str, int]]] = {}

    def __len__(self) -> int:
        return len(self._heads[0])

    def add(self, record: RequestRecord) -> None:
        """Add a request."""
        before = len(self)
        for numbers, value in zip(self._heads, (record.thread, record.begin_ns, record.violations), strict=True):
            numbers.append(value)
        for tag in record.layers.keys() - self._layers.keys():
            self._layers[tag] = tuple(array("q", [otherwise]) * before for otherwise in (ABSENT, 0, 0, 0))
        for tag, columns in self._layers.items():
            time = record.layers.get(tag)
            row = (ABSENT, 0, 0, 0) if time is None else (time.entries, time.total_ns, time.self_ns, time.first_ns)
            for numbers, value in zip(columns, row, strict=True):
                numbers.append(value)
        for key in record.contexts.keys() - self._contexts.keys():
            self._contexts[key] = (array("q", [0]) * before, {"": 0})
        for key, (places, values) in self._contexts.items():
            places.append(values.setdefault(record.contexts.get(key, ""), len(values)))

    def columns(self) -> RequestColumns:
        """The requests so far."""
        thread, begin_ns, violations = map(_numbers, self._heads)
        return RequestColumns(
            thread,
            begin_ns,
            violations,
            {tag: LayerColumns(*map(_numbers, columns)) for tag, columns in self._layers.items()},
            {key: ContextColumn(_numbers(places), list(values)) for key, (places, values) in self._contexts.items()},
        )


def columns_of(records: Iterable[RequestRecord]) -> RequestColumns:
    """These requests as columns."""
    builder = ColumnsBuilder()
    for record in records:
        builder.add(record)
    return builder.columns()


def join_requests(parts: Sequence[RequestColumns]) -> RequestColumns:
    """The requests of all parts, in their order."""
    if len(parts) == 1:
        return parts[0]
    return RequestColumns(
        _append_all([part.thread for part in parts]),
        _append_all([part.begin_ns for part in parts]),
        _append_all([part.violations for part in parts]),
        {tag: _joined_layer(parts, tag) for tag in sorted({tag for part in parts for tag in part.layers})},
        {key: _joined_context(parts, key) for key in sorted({key for part in parts for key in part.contexts})},
    )


def _joined_layer(parts: Sequence[RequestColumns], tag: str) -> LayerColumns:
    def absent(count: int) -> LayerColumns:
        nothing = np.zeros(count, dtype=np.int64)
        return LayerColumns(np.full(count, ABSENT), nothing, nothing, nothing)

    by_part = [part.layers.get(tag) or absent(len(part)) for part in parts]
    return LayerColumns(
        _append_all([times.entries for times in by_part]),
        _append_all([times.total_ns for times in by_part]),
        _append_all([times.self_ns for times in by_part]),
        _append_all([times.first_ns for times in by_part]),
    )


def _joined_context(parts: Sequence[RequestColumns], key: str) -> ContextColumn:
    values: dict[str, int] = {"": 0}
    places = []
    for part in parts:
        column = part.contexts.get(key)
        if column is None:
            places.append(np.zeros(len(part), dtype=np.int64))
        else:
            moved = np.array([values.setdefault(value, len(values)) for value in column.values], dtype=np.int64)
            places.append(moved[column.places])
    return ContextColumn(_append_all(places), list(values))


def _append_all(columns: Sequence[Numbers]) -> Numbers:
    return np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)


def _numbers(values: array[int]) -> Numbers:
    return np.array(values, dtype=np.int64)
