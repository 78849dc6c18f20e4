"""Times between a service's events, matched by id across a subject's processes, each with the slice in which it began."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...base.csvfiles import is_stored, read_table, write_table
from ...hosts.launch import events_file
from ...models.records import Schedule
from ...results.tables import SPAN_COLUMNS
from .context import TrialLog
from .windows import DrivenSlice, driven_slices

Events = dict[str, dict[str, int]]  # instant of each event's first occurrence, by name and id


def store_spans(schedule: Schedule, log: TrialLog, rows: Iterable[Mapping[str, str]]) -> None:
    """Write spans.csv into the trial's folder: a row for each span that began in a measured slice, in ns.

    `end_ns` is empty where the end is missing; `held` is 1 where the span began while a level of users was held, or in a load
    without levels. Raises StoreError where a process's events cannot be read.
    """
    events = {subject.label: _events(log.folder, subject.label, _places(subject.processes)) for subject in log.subjects}
    rows_of_spans = [
        [part.plan.number, part.plan.subject, *span, int(part.counts(span[2]))]
        for part in driven_slices(schedule, log, rows)
        for span in _spans(schedule, events[part.plan.subject], part)
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


def _spans(schedule: Schedule, events: Events, part: DrivenSlice) -> Iterator[tuple[str, str, int, int | str]]:
    """Name, id, start and end of each span that began in a slice."""
    for span in schedule.spans:
        ends = events.get(span.end, {})
        for identifier, begin in events.get(span.begin, {}).items():
            if part.covers(begin):
                yield span.name, identifier, begin, ends.get(identifier, "")
