"""Reading a run folder back: what was planned, what became of it, and every number that was stored."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..base.csvfiles import Row, is_stored, read_document, read_table
from ..base.errors import StoreError
from ..base.histogram import Histogram, decode, merged, read_log
from ..models.records import Schedule, SlicePlan, TrialPlan, TrialRecord

_Model = TypeVar("_Model", bound=BaseModel)
_Found = TypeVar("_Found")

FAILURE_KINDS = ("refused", "reset", "timeout", "tls", "malformed", "status", "fault", "truncated", "stale_failed")
_SINCE_TURNS = "measured_ns"
_TICK_FAILURES = ("wrong", *FAILURE_KINDS)


@dataclass(frozen=True)
class SliceRow:
    """A row of slices.csv: instants and sums in ns, counts of requests and connections; see ARCHITECTURE.md.

    Runs of before slices took turns have no `measured_ns`: all of their time from begin to end was measured. Older ones lack what
    the defaults below stand for: what went wrong outside the measured time, and what the engine gave up.
    """

    slice: int
    subject: str
    phase: str
    operation: str
    begin_ns: int
    end_ns: int
    measured_ns: int
    started: int
    completed: int
    expected_faults: int
    wrong: int
    refused: int
    reset: int
    timeout: int
    tls: int
    malformed: int
    status: int
    fault: int
    truncated: int
    stale_failed: int
    stale: int
    unfinished: int
    oldest_unfinished_ns: int
    connects: int
    closes: int
    lead_in_completed: int
    bytes_out: int
    bytes_in: int
    response_ns_sum: int
    service_ns_sum: int
    engine_user_ns: int
    engine_system_ns: int
    lateness_p99_ns: int
    valid: int
    why_not: str
    sent: int = 0
    dropped: int = 0
    outside_wrong: int = 0
    outside_refused: int = 0
    outside_reset: int = 0
    outside_timeout: int = 0
    outside_tls: int = 0
    outside_malformed: int = 0
    outside_status: int = 0
    outside_fault: int = 0
    outside_truncated: int = 0
    outside_stale_failed: int = 0
    outside_stale: int = 0

    @property
    def seconds(self) -> float:
        """The measured time."""
        return self.measured_ns / 1e9

    @property
    def throughput_per_s(self) -> float:
        """Right answers per second."""
        return self.completed / self.seconds

    @property
    def failures(self) -> dict[str, int]:
        """Failed requests by kind, kinds without one left out."""
        return {kind: getattr(self, kind) for kind in FAILURE_KINDS if getattr(self, kind)}

    @property
    def turned_away(self) -> int:
        """Requests of the whole slice that the server answered with a fault or another status, maybe without asking its service."""
        return self.status + self.fault + self.outside_status + self.outside_fault

    @property
    def unanswered(self) -> int:
        """Requests of the whole slice that had no answer, though they may have reached the service; a refused one cannot have.

        One that was sent once more over a new connection may have reached it twice.
        """
        kinds = {"stale", *FAILURE_KINDS} - {"refused", "status", "fault"}
        columns = (*kinds, *(f"outside_{kind}" for kind in kinds), "dropped")
        return sum(int(getattr(self, column)) for column in columns)


@dataclass(frozen=True)
class Observation:
    """A row of observations.csv: what one process of a subject used between two looks, in ns and bytes."""

    slice: int
    subject: str
    part: str
    pid: int
    process: str
    begin_ns: int
    end_ns: int
    cpu_ns: int
    jit_ns: int
    rss_bytes: int


@dataclass(frozen=True)
class Tick:
    """What is used of a row of ticks.csv: a second of one operation, ending at `time_ns`, with the users active then.

    `response_ns_sum` is over the right answers, `failures` are by kind, kinds without one left out, wrong answers among them.
    """

    time_ns: int
    slice: int
    subject: str
    operation: str
    started: int
    completed: int
    users_active: int
    response_ns_sum: int
    failures: Mapping[str, int]


@dataclass(frozen=True)
class ProcessorTime:
    """A row of machine.csv: how one processor spent a slice, in seconds."""

    slice: int
    cpu: int
    user_s: float
    system_s: float
    idle_s: float
    steal_s: float


@dataclass(frozen=True)
class Throttled:
    """A row of throttling.csv: in how many periods of a slice a quota ran out, and for how many seconds that halted us."""

    slice: int
    periods: int
    throttled_s: float


@dataclass(frozen=True)
class Trial:
    """One fork as stored. `plans` and `slices` are by slice number; `histograms` are (tag, encoded) by slice and kind.

    `throttled` is empty where no quota was seen. `problems` says what a stopped trial left unreadable. `record` is None
    where the lab was killed before it could write one.
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
    throttled: Mapping[int, Throttled] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """`complete`, `failed` or `interrupted`."""
        return self.record.status if self.record is not None else "interrupted"

    def jit_share(self, number: int) -> float | None:
        """Compiler threads' run time in a slice as a share of its time, others' turns included; None if nothing was observed."""
        rows = self.observations.get(number)
        if not rows:
            return None
        return sum(row.jit_ns for row in rows) / max(1, rows[0].end_ns - rows[0].begin_ns)

    def observed_ns(self, number: int) -> int | None:
        """The time that a slice was observed, lead-in and drain included: its even part of it where slices took turns."""
        rows = self.observations.get(number)
        if not rows:
            return None
        return (rows[0].end_ns - rows[0].begin_ns) // len(self.together(number))

    def together(self, number: int) -> list[int]:
        """The slices that took turns, of which `number` is one: those of its pair, or itself alone."""
        if self.unbroken(number):
            return [number]
        plan = self.plans[number]
        return self._together[plan.cell, plan.pair]

    @cached_property
    def _together(self) -> Mapping[tuple[str, int | None], list[int]]:
        found: dict[tuple[str, int | None], list[int]] = {}
        for plan in self.plans.values():
            found.setdefault((plan.cell, plan.pair), []).append(plan.number)
        return found

    @cached_property
    def measured(self) -> Mapping[tuple[str, str], Mapping[int, int]]:
        """Slice numbers by pair number, for each cell and subject: what was measured."""
        found: dict[tuple[str, str], dict[int, int]] = {}
        for plan in self.plans.values():
            if plan.phase == "measure" and plan.pair is not None:
                found.setdefault((plan.cell, plan.subject), {})[plan.pair] = plan.number
        return found

    def unbroken(self, number: int) -> bool:
        """Whether a slice had the machine in one stretch, and did not take turns with the others of its pair."""
        row = self.slices.get(number)
        return row is None or row.measured_ns == row.end_ns - row.begin_ns

    @cached_property
    def ticks_by_slice(self) -> Mapping[int, Sequence[Tick]]:
        """The ticks of each slice, in order of time."""
        found: dict[int, list[Tick]] = {}
        for tick in sorted(self.ticks, key=lambda tick: tick.time_ns):
            found.setdefault(tick.slice, []).append(tick)
        return found

    def histogram(self, numbers: Sequence[int], kind: str) -> Histogram:
        """All operations of these slices merged; `kind` is response, service, all ...; raises StoreError."""
        return merged(self._decoded(*one) for number in numbers for one in self.histograms.get((number, kind), ()))

    def _decoded(self, tag: str, encoded: str) -> Histogram:
        try:
            return decode(encoded)
        except ValueError as error:
            raise StoreError(
                f"{self.folder / 'intervals.hlog'}: the histogram {tag[:80]} is damaged: {error}"
            ) from None


@dataclass(frozen=True)
class Run:
    """A run folder. `study` and `environment` are as stored, empty where the file is absent."""

    folder: Path
    schedule: Schedule
    study: Mapping[str, Any]
    environment: Mapping[str, Any]
    trials: Sequence[Trial]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.resolve().name

    @property
    def floors(self) -> frozenset[str]:
        """Labels of the subjects that read no XML (Server.floor)."""
        records = [trial.record for trial in self.trials if trial.record is not None]
        return frozenset(one.label for record in records for one in record.subjects if one.floor)

    @property
    def unusual_jdks(self) -> dict[str, str]:
        """The JDK's major version of each subject on a JVM that has not the one of most others; empty where all have the same."""
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
    """Of the parts of a subject, as environment.json describes them (`Eclipse Adoptium 25.0.3+9-LTS`)."""
    for part in parts if isinstance(parts, Sequence) else ():
        jdk = part.get("jdk") if isinstance(part, Mapping) else None
        if isinstance(jdk, str) and (found := re.search(r"(\d+)[.+\d]*\S*$", jdk)):
            yield found[1]


def read_run(folder: Path) -> Run:
    """The run stored in `folder`; raises StoreError that names the file, and the line where it has one.

    Trials that never began are left out. A complete trial must be whole; what a failed, interrupted or killed one left
    half-written is listed in its `problems`.
    """
    if not folder.is_dir():
        raise StoreError(f"{folder} is not a folder", hint="name the folder that `steelyard run` wrote")
    schedule = _model(Schedule, folder / "schedule.json")
    trials = [
        read_trial(plan, place)
        for plan in schedule.trials
        if (place := folder / "trials" / f"{plan.number:02d}").is_dir()
    ]
    return Run(folder, schedule, _study(folder / "study.toml"), _environment(folder / "environment.json"), trials)


def _model(model: type[_Model], path: Path) -> _Model:
    content = read_document(path)
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise StoreError(f"{path}: {where}: {first['msg']}") from None


def _study(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StoreError(f"{path} is not valid TOML: {error}") from None


def _environment(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        return {}
    content = read_document(path)
    if not isinstance(content, dict):
        raise StoreError(f"{path}: it holds no JSON object")
    return content


def read_trial(planned: TrialPlan, folder: Path) -> Trial:
    """The trial stored in `folder`; raises StoreError where it is complete and yet damaged."""
    record = _model(TrialRecord, folder / "trial.json") if is_stored(folder / "trial.json") else None
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

    threads, think_ms = read(_read_job, "job.json", (1, 0.0))
    return Trial(
        number=planned.number,
        folder=folder,
        planned=planned,
        record=record,
        plans={plan.number: plan for plan in record.slices} if record is not None else {},
        slices=read(_read_slices, "slices.csv", dict[int, SliceRow]()),
        observations=read(_read_observations, "observations.csv", dict[int, list[Observation]]()),
        machine=read(_read_machine, "machine.csv", dict[int, list[ProcessorTime]]()),
        ticks=read(_read_ticks, "ticks.csv", tuple[Tick, ...]()),
        histograms=read(_read_histograms, "intervals.hlog", dict[tuple[int, str], list[tuple[str, str]]]()),
        engine_threads=threads,
        think_ms=think_ms,
        problems=tuple(problems),
        throttled=read(_read_throttling, "throttling.csv", dict[int, Throttled]()),
    )


def _read_job(path: Path, _: bool) -> tuple[int, float]:
    """The number of the engine's threads and the mean think time in ms (that of the first slice)."""
    content = read_document(path)
    try:
        threads = int(content.get("threads", 1))
        think = (content.get("slices") or [{}])[0].get("think", {})
        kind, low, high = think.get("kind", "none"), float(think.get("ms", 0)), float(think.get("to_ms", 0))
    except (AttributeError, TypeError, ValueError, IndexError, KeyError) as error:
        raise StoreError(f"{path} is not a job: {error}") from None
    return max(1, threads), {"none": 0.0, "uniform": (low + high) / 2}.get(kind, low)


def _read_slices(path: Path, may_be_cut: bool) -> dict[int, SliceRow]:
    names = [item.name for item in fields(SliceRow)]
    always = [item.name for item in fields(SliceRow) if item.default is MISSING and item.name != _SINCE_TURNS]
    texts = {"subject", "phase", "operation", "why_not"}
    found: dict[int, SliceRow] = {}
    for row in read_table(path, always, may_be_cut=may_be_cut):
        known = [name for name in names if name in row.fields]
        values: dict[str, Any] = {name: row.text(name) if name in texts else row.whole(name) for name in known}
        values.setdefault(_SINCE_TURNS, max(0, values["end_ns"] - values["begin_ns"]))
        made = SliceRow(**values)
        if made.end_ns <= made.begin_ns:
            raise StoreError(f"{path}, line {row.line}: slice {made.slice} ends before it begins")
        if not 0 < made.measured_ns <= made.end_ns - made.begin_ns:
            raise StoreError(f"{path}, line {row.line}: slice {made.slice} was measured for longer than it lasted")
        if made.slice in found:
            raise StoreError(f"{path}, line {row.line}: slice {made.slice} stands twice")
        found[made.slice] = made
    return found


def _read_observations(path: Path, may_be_cut: bool) -> dict[int, list[Observation]]:
    names = [item.name for item in fields(Observation)]
    texts = {"subject", "part", "process"}
    found: dict[int, list[Observation]] = {}
    for row in read_table(path, names, may_be_cut=may_be_cut):
        values: dict[str, Any] = {name: row.text(name) if name in texts else row.whole(name) for name in names}
        made = Observation(**values)
        found.setdefault(made.slice, []).append(made)
    return found


def _read_machine(path: Path, may_be_cut: bool) -> dict[int, list[ProcessorTime]]:
    names = [item.name for item in fields(ProcessorTime)]
    found: dict[int, list[ProcessorTime]] = {}
    for row in read_table(path, names, may_be_cut=may_be_cut):
        made = ProcessorTime(row.whole("slice"), row.whole("cpu"), *(row.number(name) for name in names[2:]))
        found.setdefault(made.slice, []).append(made)
    return found


def _read_throttling(path: Path, may_be_cut: bool) -> dict[int, Throttled]:
    """Runs of before quotas were looked for have no such file."""
    if not path.exists():
        return {}
    rows = read_table(path, [item.name for item in fields(Throttled)], may_be_cut=may_be_cut)
    found = [Throttled(row.whole("slice"), row.whole("periods"), row.number("throttled_s")) for row in rows]
    return {one.slice: one for one in found}


def _read_ticks(path: Path, may_be_cut: bool) -> tuple[Tick, ...]:
    names = [item.name for item in fields(Tick) if item.name != "failures"] + list(_TICK_FAILURES)
    return tuple(_tick(row) for row in read_table(path, names, may_be_cut=may_be_cut))


def _tick(row: Row) -> Tick:
    return Tick(
        time_ns=row.whole("time_ns"),
        slice=row.whole("slice"),
        subject=row.text("subject"),
        operation=row.text("operation"),
        started=row.whole("started"),
        completed=row.whole("completed"),
        users_active=row.whole("users_active"),
        response_ns_sum=row.whole("response_ns_sum"),
        failures={kind: count for kind in _TICK_FAILURES if (count := row.whole(kind))},
    )


def _read_histograms(path: Path, may_be_cut: bool) -> dict[tuple[int, str], list[tuple[str, str]]]:
    found: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for tag, encoded in read_log(path, may_be_cut=may_be_cut).items():
        parts = tag.rsplit("/", 3)
        if len(parts) != 4 or not (parts[1].isascii() and parts[1].isdigit()):
            raise StoreError(f"{path}: the tag {tag[:80]} is not subject/slice/operation/kind")
        found.setdefault((int(parts[1]), parts[3]), []).append((tag, encoded))
    return found
