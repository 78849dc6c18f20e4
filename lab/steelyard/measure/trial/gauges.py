"""Samples that processes took of their own state, such as queue lengths, each with its slice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...base.csvfiles import is_stored, read_table, write_table
from ...hosts.launch import gauges_file
from ...models.records import Schedule
from ...results.tables import GAUGE_COLUMNS
from .context import TrialLog
from .windows import driven_slices

Sample = tuple[int, str, str]  # instant in ns, name, and value as written


def store_gauges(schedule: Schedule, log: TrialLog, rows: Iterable[Mapping[str, str]]) -> None:
    """Write gauges.csv into the trial's folder: a row for each sample in a measured slice; no file where no process has samples.

    `held` is 1 where the sample counts, as for spans. Raises StoreError where a process's file cannot be read.
    """
    samples = {subject.label: list(_samples(log.folder, subject.label, subject.processes)) for subject in log.subjects}
    if not any(samples.values()):
        return
    rows_of_samples = [
        [part.plan.number, part.plan.subject, name, instant, value, int(part.counts(instant))]
        for part in driven_slices(schedule, log, rows)
        for instant, name, value in samples.get(part.plan.subject, ())
        if part.covers(instant)
    ]
    write_table(log.folder / "gauges.csv", GAUGE_COLUMNS, rows_of_samples)


def _samples(folder: Path, label: str, processes: Sequence[object]) -> Iterator[Sample]:
    for place in (getattr(process, "role", "") for process in processes):
        path = gauges_file(folder, label, place)
        if is_stored(path):
            for row in read_table(path, ("name", "value", "time_ns"), may_be_cut=True):
                row.number("value")  # raises where it is not a number
                yield row.whole("time_ns"), row.text("name"), row.text("value")
