"""Gathers the monitors' records of a trial's subjects into one table after the load."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...hosts.running import RunningSubject
from ...models.records import Recorded
from ...results import tables
from ...results.layer_records import RECORDS, RecordFolder, read_records, records_of
from ...results.layer_table import NAME, TimedRequests, write_layers
from .remote_logs import Instants

_END_SECONDS = 30.0  # for a server after SIGTERM, until it has written its last records


def end_recording(running: Mapping[str, RunningSubject]) -> None:
    """Stop the subjects, so that they write their remaining records; raises KeeperError where a server cannot be stopped."""
    for subject in running.values():
        if subject.subject.same_as is None:
            subject.end_judged_processes(_END_SECONDS)


def gather(running: Mapping[str, RunningSubject], folder: Path, ours: Instants) -> list[Recorded]:
    """Write layers.csv into the trial's folder from the records of stopped subjects, with instants by this machine's clock.

    Faces of a subject share its processes: a record belongs to the face whose slice contains it. Records outside slices (the
    contract's exchanges) are counted and left out. The monitors' own files are removed once the table is written. Raises
    StoreError where they are corrupt.
    """
    recorded: list[Recorded] = []
    requests: list[TimedRequests] = []
    for label, subject in running.items():
        if subject.subject.same_as is not None:
            continue
        read = [read_records(records_of(folder, label, part.part.place)) for part in subject.parts if part.part.judged]
        labels = [label, *(face for face, other in running.items() if other.subject.same_as == label)]
        recorded += [_read_records(face, read) for face in labels]
        requests += _requests_in_slices(labels, folder, read, ours)
    write_layers(folder / NAME, requests)
    shutil.rmtree(folder / RECORDS, ignore_errors=True)
    return recorded


def _read_records(label: str, read: Iterable[RecordFolder]) -> Recorded:
    folders = list(read)
    return Recorded(
        subject=label,
        records=sum(len(folder.requests) for folder in folders),
        lost=sum(folder.lost for folder in folders),
        violations=sum(folder.violations for folder in folders),
        whole=all(folder.whole for folder in folders),
        cut=[name for folder in folders for name in folder.cut],
    )


def _requests_in_slices(
    labels: Collection[str], folder: Path, read: Iterable[RecordFolder], ours: Instants
) -> Iterator[TimedRequests]:
    """By slice, the requests of a subject and its faces that began while one of their slices was driven, from its lead-in until it
    was drained."""
    rows = tables.read_slices(folder / "slices.csv", False)
    observed = tables.read_observations(folder / "observations.csv", False)
    windows = sorted(
        (seen[0].begin_ns, seen[0].end_ns, number)
        for number, seen in observed.items()
        if rows[number].subject in labels
    )
    for record_folder in read:
        begins = np.array([ours(begin) for begin in record_folder.requests.begin_ns.tolist()], dtype=np.int64)
        requests = replace(record_folder.requests, begin_ns=begins)
        window = np.searchsorted([begin for begin, _, _ in windows], begins, side="right") - 1
        for place, (_, end, number) in enumerate(windows):
            inside = requests.select((window == place) & (begins <= end))
            if len(inside):
                row = rows[number]
                measured = (row.begin_ns <= inside.begin_ns) & (inside.begin_ns <= row.end_ns)
                yield TimedRequests(row.subject, number, measured, inside)
