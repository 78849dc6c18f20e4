"""Reads a run folder: its plan, the outcome of its trials, and every stored number."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from ..base.csvfiles import is_stored, names_in, read_bytes, read_document
from ..base.errors import ConfigurationError, StoreError
from ..base.histogram import Histogram, decode, merge_histograms
from ..base.validation import named_problem
from ..models.records import EarlierAnswer, Schedule, SlicePlan, TrialPlan, TrialRecord
from ..models.server import FORMAT
from ..statistics.steady import WarmUpSlice, cpu_ns_per_request, jit_share
from . import earlier, foreign_table, layer_table, loads, tables
from .collector_log import CollectorLog, read_collector_logs
from .foreign_table import ForeignWork, Stranger
from .layer_table import TimedRequests
from .outcomes import OUTCOMES, OutcomeRow, read_outcomes, request_counts, total_counts
from .tables import GaugeRow, LinkUse, Observation, ProcessorTime, SliceRow, SpanRow, Throttled, Tick

_Model = TypeVar("_Model", bound=BaseModel)
_Found = TypeVar("_Found")


_NOTHING_NOTED = TrialRecord(
    number=0, seed=0, status="interrupted", begun="", ended="", seconds=0, server_cpus=[], engine_cpus=[]
)


@dataclass(frozen=True)
class Trial:
    """One stored fork.

    `plans` and `slices` are by slice number; `histograms` are (tag, encoded) by slice and kind. `throttled` is empty without a
    quota, `network` without a declared host, `gauges` where no process reported any. `spans` is None where the study has none.
    `layers` (by slice) and `collectors` (by `LABEL.ROLE`) are empty where the study did not record them. `foreign` and
    `strangers` are empty in older runs. `problems` lists unreadable files of a stopped trial. `record` is None where the lab was
    killed before it wrote one. `damage` is the reason why a trial is left out; then it has no other content.
    """

    number: int
    folder: Path
    planned: TrialPlan
    record: TrialRecord | None
    plans: Mapping[int, SlicePlan]
    slices: Mapping[int, SliceRow]
    observations: Mapping[int, Sequence[Observation]]
    machine: Mapping[int, Sequence[ProcessorTime]]
    ticks: Sequence[Tick]
    histograms: Mapping[tuple[int, str], Sequence[tuple[str, str]]]
    engine_threads: int
    think_ms: float
    problems: Sequence[str] = field(default=())
    outcomes: Mapping[int, Sequence[OutcomeRow]] = field(default_factory=dict)
    throttled: Mapping[int, Throttled] = field(default_factory=dict)
    network: Sequence[LinkUse] = ()
    spans: Mapping[int, Sequence[SpanRow]] | None = None
    gauges: Mapping[int, Sequence[GaugeRow]] = field(default_factory=dict)
    layers: Mapping[int, TimedRequests] = field(default_factory=dict)
    collectors: Mapping[str, CollectorLog] = field(default_factory=dict)
    foreign: Sequence[ForeignWork] = ()
    strangers: Sequence[Stranger] = ()
    damage: str | None = None

    @property
    def record_or_empty(self) -> TrialRecord:
        """Its record, or an empty one where the lab was killed before it wrote one."""
        return self.record if self.record is not None else _NOTHING_NOTED

    @property
    def status(self) -> Literal["complete", "failed", "interrupted", "damaged"]:
        """How the trial ended, or that its files are damaged."""
        return "damaged" if self.damage is not None else self.record_or_empty.status

    @property
    def unfinished_slices(self) -> Mapping[str, int]:
        """By subject: the first slice whose background work was unfinished at the end of the wait."""
        first: dict[str, int] = {}
        for outcome in self.record_or_empty.settled:
            if not outcome.settled:
                first.setdefault(outcome.subject, outcome.slice)
        return first

    def jit_share(self, number: int) -> float | None:
        """The run time of compiler threads in a slice, as a share of the subject's own time; None without observations."""
        rows = self.observations.get(number)
        if not rows:
            return None
        driven = self.slices.get(number)
        turns_ns = driven.measured_ns if driven is not None and driven.cpu_own_ns is not None else None
        return jit_share(sum(row.jit_ns for row in rows), rows[0].end_ns - rows[0].begin_ns, turns_ns)

    def warm_up_slice(self, number: int) -> WarmUpSlice:
        """A slice in the form that the end of a warm-up is judged by."""
        row, seen = self.slices[number], self.observations.get(number, ())
        used = sum(process.cpu_ns for process in seen if process.judged)
        observed_ns = seen[0].end_ns - seen[0].begin_ns if seen else 0
        cost = cpu_ns_per_request(used, row.completed + row.lead_in_completed, observed_ns) if seen else None
        return WarmUpSlice(row.throughput_per_s, self.jit_share(number), cost)

    def observed_ns(self, number: int) -> int | None:
        """The observed time of a slice, lead-in and drain included; an even share of it where slices took turns."""
        rows = self.observations.get(number)
        if not rows:
            return None
        return (rows[0].end_ns - rows[0].begin_ns) // len(self.slices_in_turns_with(number))

    def slices_in_turns_with(self, number: int) -> list[int]:
        """The slices that took turns with `number`: those of its pair, or only itself."""
        if self.unbroken(number):
            return [number]
        plan = self.plans[number]
        return self._slices_by_pair[plan.cell, plan.pair]

    @cached_property
    def _slices_by_pair(self) -> Mapping[tuple[str, int | None], list[int]]:
        by_pair: dict[tuple[str, int | None], list[int]] = {}
        for plan in self.plans.values():
            by_pair.setdefault((plan.cell, plan.pair), []).append(plan.number)
        return by_pair

    @cached_property
    def measured_slices(self) -> Mapping[tuple[str, str], Mapping[int, int]]:
        """Measured slice numbers by pair number, for each cell and subject."""
        by_cell: dict[tuple[str, str], dict[int, int]] = {}
        for plan in self.plans.values():
            if plan.phase == "measure" and plan.pair is not None:
                by_cell.setdefault((plan.cell, plan.subject), {})[plan.pair] = plan.number
        return by_cell

    def unbroken(self, number: int) -> bool:
        """Whether a slice had the machine in one stretch, and did not take turns with the others of its pair."""
        row = self.slices.get(number)
        return row is None or row.measured_ns == row.end_ns - row.begin_ns

    @cached_property
    def foreign_by_slice(self) -> Mapping[int, ForeignWork]:
        """Work of others on the subjects' processors during each slice, or during the turns of its pair."""
        return {number: row for row in self.foreign for number in row.numbers}

    @cached_property
    def ticks_by_slice(self) -> Mapping[int, Sequence[Tick]]:
        """The ticks of each slice, in order of time."""
        by_slice: dict[int, list[Tick]] = {}
        for tick in sorted(self.ticks, key=lambda tick: tick.time_ns):
            by_slice.setdefault(tick.slice, []).append(tick)
        return by_slice

    @cached_property
    def memo(self) -> dict[object, Any]:
        """A cache of values computed from these files, by function and arguments."""
        return {}

    @cached_property
    def layer_tags(self) -> frozenset[str]:
        """The monitor's tags that any recorded request of the trial entered."""
        return frozenset(tag for timed in self.layers.values() for tag in timed.requests.tags)

    def histogram(self, numbers: Sequence[int], kind: str, operation: str | None = None) -> Histogram:
        """One operation of these slices, or all of them, merged; `kind` is response, service, all ...; raises StoreError."""
        return merge_histograms(
            self._decode_histogram(tag, encoded)
            for number in numbers
            for tag, encoded in self.histograms.get((number, kind), ())
            if operation is None or tag.rsplit("/", 3)[2] == operation
        )

    def _decode_histogram(self, tag: str, encoded: str) -> Histogram:
        try:
            return decode(encoded)
        except ValueError as error:
            raise StoreError(
                f"{self.folder / 'intervals.hlog'}: the histogram {tag[:80]} is damaged: {error}"
            ) from None


@dataclass(frozen=True)
class Run:
    """A run folder. `study` and `environment` are as stored, and empty where the file is absent."""

    folder: Path
    schedule: Schedule
    study: Mapping[str, Any]
    environment: Mapping[str, Any]
    trials: Sequence[Trial]
    earlier: Sequence[EarlierAnswer] = ()

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.resolve().name

    @cached_property
    def memo(self) -> dict[object, Any]:
        """A cache of values computed from the whole run."""
        return {}

    @property
    def server_processors(self) -> int | None:
        """The number of processors that each server ran on; None where it was not recorded."""
        shared = self.environment.get("processors_shared")
        halves = shared.get("halves") if isinstance(shared, Mapping) else None
        own = halves[0] if isinstance(halves, list) and halves else shared
        server = own.get("server") if isinstance(own, Mapping) else None
        return len(server) if isinstance(server, list) and server else None

    @property
    def floors(self) -> frozenset[str]:
        """Labels of the subjects that read no XML (Server.floor)."""
        return frozenset(
            subject.label for trial in self.trials for subject in trial.record_or_empty.subjects if subject.floor
        )

    @property
    def formats(self) -> dict[str, str]:
        """The message format of each subject, by label, where its service has several."""
        return {
            subject.label: subject.factors[FORMAT]
            for trial in self.trials
            for subject in trial.record_or_empty.subjects
            if FORMAT in subject.factors
        }

    @property
    def unusual_jdks(self) -> dict[str, str]:
        """The major JDK version of each JVM subject that differs from most others; empty where all are the same."""
        subjects = self.environment.get("subjects", {})
        majors = {
            label: major
            for label, parts in (subjects.items() if isinstance(subjects, Mapping) else ())
            if (major := "+".join(dict.fromkeys(_jdk_majors(parts))))
        }
        counts = Counter(majors.values()).most_common()
        clear = len(counts) == 1 or (len(counts) > 1 and counts[0][1] > counts[1][1])
        usual = counts[0][0] if clear else None
        return {label: major for label, major in majors.items() if major != usual}


def _jdk_majors(parts: Any) -> Iterator[str]:
    """The JDK versions of a subject's parts in environment.json (`Eclipse Adoptium 25.0.3+9-LTS`)."""
    for part in parts if isinstance(parts, Sequence) else ():
        jdk = part.get("jdk") if isinstance(part, Mapping) else None
        if isinstance(jdk, str) and (version := re.search(r"(\d+)[.+\d]*\S*$", jdk)):
            yield version[1]


def read_run(folder: Path) -> Run:
    """The run stored in `folder`.

    Trials that never began are left out. A trial that is complete but damaged is left out alone. Incomplete files of a failed,
    interrupted or killed trial are listed in its `problems`. Raises StoreError that names the file, and the line if it has one,
    and ConfigurationError where there is no such folder.
    """
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is not a folder", hint="name the folder that `steelyard run` wrote")
    if not is_stored(folder / "schedule.json"):
        if any(is_stored(folder / name) for name in (loads.LOAD, loads.LIMIT, loads.COMPARISON)):
            raise StoreError(
                f"{folder} was stored before loads had a schedule, so it can have no page",
                hint="`steelyard serve` and `steelyard export` read it; newer loads have a page",
            )
        raise StoreError(
            f"{folder} contains no run: schedule.json is missing", hint="name the folder that `steelyard run` wrote"
        )
    schedule = read_model(Schedule, folder / "schedule.json")
    if not schedule.subjects:
        raise StoreError(f"{folder / 'schedule.json'}: it names no subjects")
    trials = [
        _read_or_set_aside(plan, place)
        for plan in schedule.trials
        if (place := folder / "trials" / f"{plan.number:02d}").is_dir() or names_in(place)
    ]
    setup, before = _environment(folder / "environment.json"), earlier.read_noted(folder)
    return Run(folder, schedule, _study(folder / "study.toml"), setup, trials, before)


def read_model(model: type[_Model], path: Path) -> _Model:
    """A stored document as its model; raises StoreError that names the file and the key."""
    content = read_document(path)
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise StoreError(f"{path}: {named_problem(where, first)}") from None


def _study(path: Path) -> Mapping[str, Any]:
    if not is_stored(path):
        return {}
    try:
        return tomllib.loads(read_bytes(path).decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StoreError(f"{path} is not valid TOML: {error}") from None


def _environment(path: Path) -> Mapping[str, Any]:
    if not is_stored(path):
        return {}
    content = read_document(path)
    if not isinstance(content, dict):
        raise StoreError(f"{path}: it contains no JSON object")
    return content


def _read_or_set_aside(planned: TrialPlan, folder: Path) -> Trial:
    try:
        return read_trial(planned, folder)
    except StoreError as error:
        return Trial(planned.number, folder, planned, None, {}, {}, {}, {}, (), {}, 1, 0.0, damage=error.message)


def read_trial(planned: TrialPlan, folder: Path) -> Trial:
    """The trial stored in `folder`; raises StoreError where it is complete but damaged, or its record is unreadable."""
    record = read_model(TrialRecord, folder / "trial.json") if is_stored(folder / "trial.json") else None
    whole = record is not None and record.status == "complete"
    problems: list[str] = []

    def read(reader: Callable[[Path, bool], _Found], name: str, otherwise: _Found) -> _Found:
        try:
            return reader(folder / name, not whole)
        except StoreError as error:
            if whole:
                raise
            if is_stored(folder / name):
                problems.append(error.message)
            return otherwise

    threads, think_ms = read(tables.read_job, "job.json", (1, 0.0))
    trial = Trial(
        number=planned.number,
        folder=folder,
        planned=planned,
        record=record,
        plans={plan.number: plan for plan in record.slices} if record is not None else {},
        slices=read(tables.read_slices, "slices.csv", dict[int, SliceRow]()),
        outcomes=read(read_outcomes, OUTCOMES, dict[int, list[OutcomeRow]]()),
        observations=read(tables.read_observations, "observations.csv", dict[int, list[Observation]]()),
        machine=read(tables.read_machine, "machine.csv", dict[int, list[ProcessorTime]]()),
        ticks=read(tables.read_ticks, "ticks.csv", tuple[Tick, ...]()),
        histograms=read(tables.read_histograms, "intervals.hlog", dict[tuple[int, str], list[tuple[str, str]]]()),
        engine_threads=threads,
        think_ms=think_ms,
        problems=tuple(problems),
        throttled=read(tables.read_throttling, "throttling.csv", dict[int, Throttled]()),
        network=read(tables.read_network, "network.csv", tuple[LinkUse, ...]()),
        spans=read(tables.read_spans, "spans.csv", None),
        gauges=read(tables.read_gauges, "gauges.csv", dict[int, list[GaugeRow]]()),
        layers=read(layer_table.read_layers, layer_table.NAME, dict[int, TimedRequests]()),
        collectors=read_collector_logs(folder),
        foreign=read(foreign_table.read_foreign, foreign_table.NAME, tuple[ForeignWork, ...]()),
        strangers=read(foreign_table.read_strangers, foreign_table.STRANGERS, tuple[Stranger, ...]()),
    )
    if whole:
        _require_all(trial)
    return trial


def _require_all(trial: Trial) -> None:
    """Raise StoreError where a table lacks a slice that was driven: the file was cut between two lines."""
    unseen = {subject.label for subject in trial.record_or_empty.subjects if subject.ran_already}
    for plan in trial.plans.values():
        row = trial.slices.get(plan.number)
        answered = row is not None and row.completed > 0
        stand = {
            "slices.csv": row is not None,
            "observations.csv": plan.number in trial.observations or plan.subject in unseen,
            "machine.csv": plan.number in trial.machine,
            "ticks.csv": plan.number in trial.ticks_by_slice or not answered or row is None or row.seconds < 1,
            "intervals.hlog": (plan.number, "response") in trial.histograms or not answered or plan.phase != "measure",
        }
        for name, is_there in stand.items():
            if not is_there:
                raise StoreError(f"{trial.folder / name}: slice {plan.number}, which was driven, is missing")
        if row is not None and plan.number in trial.outcomes and not _agree(row, trial.outcomes[plan.number]):
            raise StoreError(
                f"{trial.folder / 'slices.csv'}: slice {plan.number} has other counts of requests than {OUTCOMES}"
            )


def _agree(row: SliceRow, outcomes: Sequence[OutcomeRow]) -> bool:
    """Whether both tables have the same counts of a slice, and each request that was sent is among them."""
    counts = total_counts(row)
    return counts == request_counts(outcomes) and counts.total == row.sent
