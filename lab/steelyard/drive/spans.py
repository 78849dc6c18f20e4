"""Times between a service's events, matched by id across the processes of a subject, each with the slice in which it began."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..base.csvfiles import is_stored, read_table, write_table
from ..models.job import Steps
from ..models.records import Cell, Schedule
from ..plan.shapes import levels_of
from ..provision.launch import events_file
from ..store.tables import SPAN_COLUMNS
from .setting import TrialLog

_NS = 1_000_000_000
Events = dict[str, dict[str, int]]  # the instant of each event's first time, by its name and id
Window = tuple[int, int]  # instants, the second not included


def store_spans(schedule: Schedule, log: TrialLog, rows: Iterable[Mapping[str, str]]) -> None:
    """Write spans.csv into the trial's folder: a row for each span that began in a measured slice, in ns.

    `end_ns` is empty where nothing ended it; `held` is 1 where it began while a level of users was held, or in a load
    without levels. Raises StoreError where the events of a process cannot be read.
    """
    slices = {int(row["slice"]): (int(row["begin_ns"]), int(row["end_ns"])) for row in rows}
    cells = {cell.name: cell for cell in schedule.cells}
    events = {subject.label: _events(log.folder, subject.label, _places(subject.processes)) for subject in log.subjects}
    rows_of_spans = [
        [plan.number, plan.subject, *span, int(any(begin <= span[2] < end for begin, end in held))]
        for plan in log.slices
        if plan.phase == "measure" and plan.number in slices
        for held in [_held(cells[plan.cell], slices[plan.number])]
        for span in _spans(schedule, events[plan.subject], slices[plan.number])
    ]
    write_table(log.folder / "spans.csv", SPAN_COLUMNS, rows_of_spans)


def _places(processes: Sequence[object]) -> list[str]:
    return [getattr(process, "role", "") for process in processes]


def _events(folder: Path, label: str, places: Iterable[str]) -> Events:
    events: Events = {}
    for place in places:
        path = events_file(folder, label, place)
        if is_stored(path):
            for row in read_table(path, ("name", "id", "time_ns"), may_be_cut=True):
                events.setdefault(row.text("name"), {}).setdefault(row.text("id"), row.whole("time_ns"))
    return events


def _held(cell: Cell, slice_window: Window) -> list[Window]:
    """The parts of a slice in which spans count."""
    if not isinstance(cell.profile, Steps):
        return [slice_window]
    begin = slice_window[0]
    return [(begin + round(since * _NS), begin + round(until * _NS)) for _, since, until in levels_of(cell.profile)]


def _spans(schedule: Schedule, events: Events, slice_window: Window) -> Iterator[tuple[str, str, int, int | str]]:
    """Name, id, begin and end of each span that began in a slice."""
    for span in schedule.spans:
        ends = events.get(span.end, {})
        for identifier, begin in events.get(span.begin, {}).items():
            if slice_window[0] <= begin < slice_window[1]:
                yield span.name, identifier, begin, ends.get(identifier, "")
