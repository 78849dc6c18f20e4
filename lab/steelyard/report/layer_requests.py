"""Single recorded requests: those of a run's measured slices, or all of a folder of record files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from ..base.csvfiles import is_stored
from ..base.errors import ConfigurationError, StoreError
from ..base.text import plural
from ..models.service import AGENT_LAYERS
from ..results.layer_records import SUFFIX, RecordFolder, read_records
from ..results.request_columns import RequestColumns, RequestRecord
from ..results.stored_run import Run, Trial, read_run

NS_PER_S = 1_000_000_000
_PLACES = ("trial", "subject", "cell", "slice")


@dataclass(frozen=True, slots=True)
class Clock:
    """The offset from CLOCK_MONOTONIC to ns since 1970.

    `read`: both clocks were read; otherwise the offset is estimated to about a second from the times of files.
    """

    offset_ns: int
    read: bool


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request without violations. `place` is its origin in the run, by the names in `RecordedRequests.places`."""

    place: Mapping[str, str]
    clock: Clock
    record: RequestRecord


@dataclass(frozen=True)
class RecordedRequests:
    """Requests in order of time, trial by trial.

    `tags` are their layers from the outside in. `notes` lists what was left out.
    """

    name: str
    service: str
    places: Sequence[str]
    tags: Sequence[str]
    requests: Sequence[ShownRequest]
    notes: Sequence[str]

    @property
    def contexts(self) -> list[str]:
        """The context keys of all requests."""
        return sorted({key for request in self.requests for key in request.record.contexts})


def conditions(words: Sequence[str]) -> dict[str, str]:
    """The required value of each context key, from words such as `soap_name=search`; raises ConfigurationError."""
    for word in words:
        if "=" not in word:
            raise ConfigurationError(
                f"--where {word[:100]} is not a condition", hint="write KEY=VALUE, such as soap_name=search"
            )
    return dict(word.split("=", 1) for word in words)


def recorded_requests(folder: Path, wanted: Mapping[str, str]) -> RecordedRequests:
    """The requests of a run's folder, or of a folder of the monitor's files; raises StoreError and ConfigurationError."""
    if folder.is_dir() and not is_stored(folder / "schedule.json") and any(folder.glob(f"*{SUFFIX}")):
        return _of_files(folder, wanted)
    return _of_run(read_run(folder), wanted)


def _of_run(run: Run, wanted: Mapping[str, str]) -> RecordedRequests:
    """The requests of measured slices with the `wanted` contexts; raises StoreError for a run without layers."""
    if not run.schedule.layers:
        raise StoreError(f"{run.name} has no records of layers", hint='a study records them with observe = ["layers"]')
    requests: list[ShownRequest] = []
    violations = 0
    for trial in run.trials:
        clock = _clock_of_trial(trial)
        mine: list[ShownRequest] = []
        for number, timed in trial.layers.items():
            if trial.plans[number].phase == "measure":
                violations += int(np.count_nonzero(timed.measured & (timed.requests.violations != 0)))
                place = (str(trial.number), timed.subject, trial.plans[number].cell, str(number))
                origin = dict(zip(_PLACES, place, strict=True))
                mine += [ShownRequest(origin, clock, record) for record in _matching(timed.right, wanted)]
        requests += sorted(mine, key=lambda request: request.record.begin_ns)
    named = [tag for layer in run.schedule.layers for tag in layer.tags]
    return RecordedRequests(
        run.name, run.schedule.service, _PLACES, _tags(requests, named), requests, _violation_sentences(violations)
    )


def _of_files(folder: Path, wanted: Mapping[str, str]) -> RecordedRequests:
    read = read_records(folder)
    clock, name = _clock_of_files(folder, read), folder.resolve().name
    right = read.requests.select(read.requests.violations == 0)
    records = sorted(_matching(right, wanted), key=lambda record: record.begin_ns)
    requests = [ShownRequest({}, clock, record) for record in records]
    notes = _violation_sentences(read.violations)
    if read.lost:
        notes.append(f"{plural(read.lost, 'request')} lost, as counted by the monitor")
    if not read.whole:
        notes.append("a process did not shut down properly: its last requests may be missing")
    named = [tag for layer in AGENT_LAYERS for tag in layer.tags]
    return RecordedRequests(name, name, (), _tags(requests, named), requests, notes)


def _matching(requests: RequestColumns, wanted: Mapping[str, str]) -> RequestColumns:
    """The requests with the `wanted` contexts."""
    return requests.select(requests.has_contexts({key: [value] for key, value in wanted.items()}))


def _violation_sentences(violations: int) -> list[str]:
    return [f"{plural(violations, 'request')} left out, whose times are not plausible"] if violations else []


def _tags(requests: Sequence[ShownRequest], named: Sequence[str]) -> list[str]:
    """The tags of the layers from the outside in, then any others."""
    seen = {tag for request in requests for tag in request.record.layers}
    return [tag for tag in named if tag in seen] + sorted(seen - set(named))


def _clock_of_trial(trial: Trial) -> Clock:
    """The clock in the trial's record; for an older one from the end of its last slice."""
    if trial.record_or_empty.clock_offset_ns is not None:
        return Clock(trial.record_or_empty.clock_offset_ns, read=True)
    if not trial.record_or_empty.ended or not trial.slices:
        return Clock(0, read=False)
    ended_ns = round(datetime.fromisoformat(trial.record_or_empty.ended).timestamp()) * NS_PER_S
    return Clock(ended_ns - max(row.end_ns for row in trial.slices.values()), read=False)


def _clock_of_files(folder: Path, read: RecordFolder) -> Clock:
    """The clock that a process recorded at its end; else from the time of the last written file."""
    if read.clock_offset_ns is not None:
        return Clock(read.clock_offset_ns, read=True)
    written_ns = max(path.stat().st_mtime_ns for path in folder.glob(f"*{SUFFIX}"))
    last_ns = int((read.requests.begin_ns + read.requests.total_ns).max(initial=0))
    return Clock(written_ns - last_ns, read=False)
