"""Run folders with planted effects, in the formats of contracts/, without any server."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

from hdrh.histogram import HdrHistogram
from steelyard.base.typed_rows import columns_of
from steelyard.models.job import BigBang, Bursts, Profile, Ramp, Rate, Stage, Steps
from steelyard.models.records import (
    AtRest,
    Cell,
    Check,
    Failure,
    ProcessRecord,
    Schedule,
    SlicePlan,
    Steadiness,
    SubjectRecord,
    TrialPlan,
    TrialRecord,
    WrongSample,
)
from steelyard.plan import shapes
from steelyard.plan.kinds import kind_of, warm_up_cells
from steelyard.results import foreign_table
from steelyard.results.foreign_table import ForeignWork, Stranger
from steelyard.results.tables import FAILURE_KINDS, Observation, ProcessorTime, SliceRow, Throttled

SLICE_COLUMNS = tuple(SliceRow.__dataclass_fields__)
TURN_COLUMNS = (
    "cpu_own_ns",
    "cpu_other_ns",
    "cpu_between_ns",
    "cpu_window_ns",
)  # empty where slices had the machine in one stretch
WARM_UP_SLICES = 6
TICK_COLUMNS = (
    "time_ns", "slice", "subject", "operation", "started", "completed", "wrong", *FAILURE_KINDS, "users_active", "response_ns_sum",
)  # fmt: skip
_SHAPE = 0.35  # sigma of the lognormal response times
# of a lognormal distribution with the mean 1
_QUANTILES = [math.exp(_SHAPE * NormalDist().inv_cdf((place + 0.5) / 200) - _SHAPE**2 / 2) for place in range(200)]


@dataclass(frozen=True)
class Planted:
    """What is planted. Keys of the mappings are (trial, pair, subject) unless said otherwise.

    `rates` are requests/s by subject; `cells` are operations with the factor on the rate, the first is primary.
    `response_factor` stretches response times beyond what Little's law allows. `changes` overrides columns of slices.csv.
    """

    rates: Mapping[str, float] = field(default_factory=lambda: {"tomcat-metro": 8000.0, "go": 10000.0})
    reference: str = "go"
    cells: Mapping[str, float] = field(default_factory=lambda: {"echoStruct": 1.0})
    forks: int = 4
    pairs: int = 10
    users: int = 8
    open_rate: float | None = None  # requests/s; the load is closed where it is None
    judged_by: str = ""
    slice_seconds: float = 2.0
    fork_deviation: float = 0.01
    pair_deviation: float = 0.03
    seed: int = 1
    design: str = "alternating"
    groups: tuple[tuple[str, ...], ...] = ()  # subjects that share a trial; all of them where it is empty
    looks: tuple[int, ...] = ()
    response_factor: float = 1.0
    engine_share: float = 0.4
    engine_shares: Mapping[str, float] = field(default_factory=dict)  # by cell, where it differs
    lateness_ns: int = 40_000
    steal_s: float = 0.0
    foreign: Mapping[tuple[int, int], tuple[float, str]] | None = (
        None  # by (trial, pair): share of the servers' processor that others used, and who; None: not looked for
    )
    throttled: tuple[int, float] | None = None  # periods and seconds of a quota in each slice
    jit_bursts: frozenset[tuple[int, int, str]] = frozenset()
    changes: Mapping[tuple[int, int, str], Mapping[str, Any]] = field(default_factory=dict)
    wrong_samples: tuple[tuple[int, int, str], ...] = ()
    failures: Mapping[int, Failure] = field(default_factory=dict)  # by trial
    cut_after_pairs: Mapping[int, int] = field(default_factory=dict)  # by trial: an interrupted or failed one
    unsteady: frozenset[tuple[int, str]] = frozenset()  # (trial, subject)
    machine: Mapping[int, Check] = field(default_factory=dict)  # by trial
    blocks: Mapping[str, Profile] = field(default_factory=dict)  # tests with a shape, instead of the cells
    operations: Mapping[str, str] = field(default_factory=dict)  # of a block, by its name; echoStruct where not given
    driven_on: Mapping[str, list[str]] = field(
        default_factory=dict
    )  # subjects of a block, by its name; all where not given
    knees: Mapping[str, float] = field(
        default_factory=dict
    )  # by subject: users from which its throughput grows no more
    refuses_from: Mapping[str, int] = field(default_factory=dict)  # by subject: users from which it refuses a fifth
    creeps: Mapping[str, float] = field(default_factory=dict)  # by subject: growth of response time over a block
    settles: Mapping[str, int] = field(default_factory=dict)  # by subject: slow seconds at the begin of each load
    scale: float = 1.0
    turn_ms: float = 0.0
    paces: Mapping[str, float] = field(default_factory=dict)  # by subject: factor on its rate in measured slices
    busy: Mapping[str, float] = field(default_factory=dict)  # by subject: share of a processor; 0.95 where not given
    costs: Mapping[tuple[str, str], float] = field(
        default_factory=dict
    )  # by subject and cell: factor on the processor time of a request
    judged_cells: bool = False  # whether all cells are primary, as those of a judged load
    at_rest: Mapping[str, float] = field(default_factory=dict)  # by subject: share of a processor, in each trial
    memory_bytes: Mapping[tuple[int, str], int] = field(
        default_factory=dict
    )  # by trial and subject, where it is another
    databases: Mapping[str, float] = field(
        default_factory=dict
    )  # by subject: share of the engine's processor that its database uses
    starts: Mapping[tuple[int, str], Mapping[str, Any]] = field(
        default_factory=dict
    )  # by trial and subject: what was observed of its start
    study: str = ""
    environment: Mapping[str, Any] = field(default_factory=dict)


def write_run(folder: Path, planted: Planted) -> Path:
    """Write the run and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule = _schedule(planted)
    (folder / "schedule.json").write_text(schedule.model_dump_json(indent=1), encoding="utf-8")
    (folder / "study.toml").write_text(planted.study, encoding="utf-8")
    (folder / "environment.json").write_text(json.dumps(dict(planted.environment)), encoding="utf-8")
    for plan in schedule.trials:
        _Trial(folder, planted, schedule, plan).write()
    return folder


def _schedule(planted: Planted) -> Schedule:
    subjects = list(planted.rates)
    groups = [[one] for one in subjects] if planted.design == "as-published" else planted.groups or [subjects]
    trials = [
        TrialPlan(number=0, seed=planted.seed * 1000 + fork, start_order=list(group))
        for fork in range(planted.forks)
        for group in groups
    ]
    return Schedule.model_validate(
        {
            "study": "wstest",
            "service": "wstest",
            "seed": planted.seed,
            "design": planted.design,
            "subjects": subjects,
            "reference": planted.reference,
            "scale": planted.scale,
            "cells": [
                Cell(
                    name=name,
                    mix={planted.operations.get(name, "echoStruct"): 1.0},
                    users=shapes.most_users(profile),
                    profile=profile,
                    primary=True,
                    kind="block",
                    title=f"Test {name}",
                    judged_by=planted.judged_by,
                    subjects=planted.driven_on.get(name, []),
                )
                for name, profile in planted.blocks.items()
            ]
            or [
                Cell(
                    name=name,
                    mix={name: 1.0},
                    users=planted.users,
                    profile=_profile(planted),
                    primary=place == 0 or planted.judged_cells,
                    judged_by=planted.judged_by,
                )
                for place, name in enumerate(planted.cells)
            ],
            "trials": [trial.model_copy(update={"number": n}) for n, trial in enumerate(trials, 1)],
            "pairs_per_cell": planted.pairs,
            "slice_seconds": planted.slice_seconds,
            "turn_ms": planted.turn_ms,
            "warm_up_limit_seconds": 60.0,
            "parameters": {"Agents": planted.users},
            "looks": list(planted.looks),
        }
    )


def _profile(planted: Planted) -> BigBang | Rate:
    if planted.open_rate is None:
        return BigBang(users=planted.users, seconds=planted.slice_seconds)
    stage = Stage(from_rate=planted.open_rate, to_rate=planted.open_rate, seconds=planted.slice_seconds)
    return Rate(arrivals="poisson", stages=[stage])


class _Trial:
    """One trial's files, written slice by slice."""

    def __init__(self, run: Path, planted: Planted, schedule: Schedule, plan: TrialPlan) -> None:
        self.folder = run / "trials" / f"{plan.number:02d}"
        self.planted, self.schedule, self.plan = planted, schedule.for_trial(plan), plan
        self.draw = random.Random(f"{planted.seed} {plan.number}")
        self.fork = {one: self.draw.gauss(0, planted.fork_deviation / math.sqrt(2)) for one in planted.rates}
        self.clock = 1_000_000_000_000
        self.rows: list[list[Any]] = []
        self.observations: list[list[Any]] = []
        self.machine: list[list[Any]] = []
        self.foreign: list[list[Any]] = []
        self.strangers: list[list[Any]] = []
        self.ticks: list[list[Any]] = []
        self.histograms: list[str] = []
        self.plans: list[SlicePlan] = []

    def write(self) -> None:
        self.folder.mkdir(parents=True)
        for plan in self._slice_plans():
            self._slice(plan)
        failure = self.planted.failures.get(self.plan.number)
        status = "complete" if failure is None else "interrupted" if failure.kind == "interrupted" else "failed"
        numbers = {(plan.pair, plan.subject): plan.number for plan in self.plans if plan.phase == "measure"}
        record = TrialRecord.model_validate(
            {
                "number": self.plan.number,
                "seed": self.plan.seed,
                "status": status,
                "failure": failure,
                "begun": "2026-01-05T10:00:00+00:00",
                "ended": "2026-01-05T10:01:10+00:00",
                "seconds": 70.0,
                "server_cpus": [0],
                "engine_cpus": [1],
                "subjects": [_subject(self.planted, self.plan.number, label) for label in self.plan.start_order],
                "slices": self.plans,
                "steady": [
                    Steadiness(
                        subject=one,
                        cell=cell.name,
                        met=(self.plan.number, one) not in self.planted.unsteady,
                        slices=WARM_UP_SLICES,
                        seconds=12.0,
                    )
                    for one in self.plan.start_order
                    for cell in warm_up_cells(self.schedule.cells)
                ],
                "machine": [self.planted.machine[self.plan.number]] if self.plan.number in self.planted.machine else [],
                "samples_checked": 20,
                "at_rest": [AtRest(subject=one, share=share, windows=1) for one, share in self.planted.at_rest.items()],
                "wrong_samples": [
                    WrongSample(
                        slice=numbers[pair, one], subject=one, operation="echoStruct", message="item 3: '4' is not '5'"
                    )
                    for trial, pair, one in self.planted.wrong_samples
                    if trial == self.plan.number
                ],
            }
        )
        (self.folder / "trial.json").write_text(record.model_dump_json(indent=1), encoding="utf-8")
        (self.folder / "job.json").write_text(json.dumps({"threads": 1, "slices": [{"think": {"kind": "none"}}]}))
        _table(self.folder / "slices.csv", SLICE_COLUMNS, self.rows)
        _table(self.folder / "observations.csv", columns_of(Observation), self.observations)
        _table(self.folder / "machine.csv", columns_of(ProcessorTime), self.machine)
        if self.planted.foreign is not None:
            _table(self.folder / foreign_table.NAME, columns_of(ForeignWork), self.foreign)
            _table(self.folder / foreign_table.STRANGERS, columns_of(Stranger), self.strangers)
        if self.planted.throttled is not None:
            rows = [[plan.number, *self.planted.throttled] for plan in self.plans]
            _table(self.folder / "throttling.csv", columns_of(Throttled), rows)
        _table(self.folder / "ticks.csv", TICK_COLUMNS, self.ticks)
        head = "#[Histogram log format version 1.3]\n"
        (self.folder / "intervals.hlog").write_text(head + "".join(self.histograms), encoding="utf-8")

    def _slice_plans(self) -> Iterator[SlicePlan]:
        number = 0
        for cell in warm_up_cells(self.schedule.cells):
            for subject in self.plan.start_order:
                for _ in range(WARM_UP_SLICES if self.planted.design != "as-published" else 1):
                    yield SlicePlan(number=number, subject=subject, cell=cell.name, phase="warm-up")
                    number += 1
        for cell in self.schedule.cells if self.planted.blocks else ():
            for subject in self.plan.start_order:
                yield SlicePlan(number=number, subject=subject, cell=cell.name, phase="measure", pair=0)
                number += 1
        if self.planted.blocks:
            return
        pairs = self.planted.cut_after_pairs.get(self.plan.number, self.planted.pairs)
        for pair in range(pairs):
            order = self.plan.start_order if pair % 2 == 0 else self.plan.start_order[::-1]
            for cell in self.schedule.cells:
                for subject in order:
                    yield SlicePlan(number=number, subject=subject, cell=cell.name, phase="measure", pair=pair)
                    number += 1

    def _slice(self, plan: SlicePlan) -> None:
        planted, seconds = self.planted, self.planted.slice_seconds
        block = next(
            (cell for cell in self.schedule.cells if not kind_of(cell).sliced and cell.name == plan.cell), None
        )
        if block is not None and plan.phase == "measure":
            self._block(plan, block)
            return
        warmth = 1.0
        if plan.phase == "warm-up":
            done = sum(other.subject == plan.subject and other.cell == plan.cell for other in self.plans)
            warmth = min(1.0, 0.76 + 0.08 * done)
        noise = 0.0 if plan.phase == "warm-up" else self.draw.gauss(0, planted.pair_deviation / math.sqrt(2))
        rate = (
            planted.rates[plan.subject]
            * planted.cells.get(plan.cell, 1.0)
            * warmth
            * (1.0 if plan.phase == "warm-up" else planted.paces.get(plan.subject, 1.0))
            * math.exp(self.fork[plan.subject] + noise)
        )
        completed = round(rate * seconds)
        key = (self.plan.number, plan.pair if plan.pair is not None else -1, plan.subject)
        begin, length = self.clock, round(seconds * 1e9)
        self.clock += length + 300_000_000
        engine_share = planted.engine_shares.get(plan.cell, planted.engine_share)
        response = round(planted.users * length * planted.response_factor)
        row: dict[str, Any] = dict.fromkeys(SLICE_COLUMNS, 0) | dict.fromkeys(TURN_COLUMNS, "")
        row |= {
            "slice": plan.number,
            "subject": plan.subject,
            "phase": plan.phase,
            "operation": plan.cell,
            "begin_ns": begin,
            "end_ns": begin + length,
            "measured_ns": length,
            "started": completed,
            "completed": completed,
            "lead_in_completed": round(rate * 0.2),
            "bytes_out": completed * 900,
            "bytes_in": completed * 1100,
            "response_ns_sum": response,
            "service_ns_sum": round(response * 0.98),
            "engine_user_ns": round(length * engine_share * 0.6),
            "engine_system_ns": round(length * engine_share * 0.4),
            "lateness_p99_ns": planted.lateness_ns,
            "valid": 1,
            "why_not": "",
        }
        row |= planted.changes.get(key, {})
        self.rows.append([row[name] for name in SLICE_COLUMNS])
        self.plans.append(plan)
        jit = 0.2 if key in planted.jit_bursts else 0.3 if warmth < 1 else 0.001
        busy = length * planted.busy.get(plan.subject, 0.95) * planted.costs.get((plan.subject, plan.cell), 1.0)
        usual = 150_000_000 if plan.subject == "go" else 400_000_000
        rss = planted.memory_bytes.get((self.plan.number, plan.subject), usual)
        self.observations.append(
            [
                plan.number,
                plan.subject,
                "server",
                100,
                "server",
                begin,
                begin + length,
                round(busy),
                round(length * jit),
                rss,
                1,
            ]
        )
        if plan.subject in planted.databases:
            used = round(length * planted.databases[plan.subject])
            seen = [plan.number, plan.subject, "database", 101, "postgres", begin, begin + length]
            self.observations.append([*seen, used, 0, 60_000_000, 0])
        for cpu in (0, 1):
            self.machine.append([plan.number, cpu, 1.2, 0.5, 0.3, planted.steal_s, ""])
        self._others(plan, begin, length)
        for second in range(math.floor(seconds)):
            self._tick(
                plan,
                begin + (second + 1) * 10**9,
                plan.cell,
                planted.users,
                round(rate),
                {},
                response // max(1, round(seconds)),
            )
        self._histograms(plan, row["completed"], response / max(1, completed) / 1000)

    def _others(self, plan: SlicePlan, begin: int, length: int) -> None:
        """What others used of the servers' one processor meanwhile; interrupts had their part of it too."""
        if self.planted.foreign is None or plan.phase != "measure":
            return
        share, name = self.planted.foreign.get((self.plan.number, plan.pair or 0), (0.0, ""))
        used = round(length * share)
        self.foreign.append(
            [plan.number, begin, begin + length, 1, length, 0, length - used - length // 50, length // 50, ""]
        )
        if name:
            self.strangers.append([plan.number, 4711, name, used])

    def _tick(
        self,
        plan: SlicePlan,
        at: int,
        operation: str,
        users: int,
        completed: int,
        failed: Mapping[str, int],
        spent: int,
    ) -> None:
        kinds = [failed.get(kind, 0) for kind in ("wrong", *FAILURE_KINDS)]
        self.ticks.append(
            [at, plan.number, plan.subject, operation, completed + sum(kinds), completed, *kinds, users, spent]
        )

    def _block(self, plan: SlicePlan, cell: Cell) -> None:
        """An unbroken load, second by second: Little's law holds in each, whatever is planted."""
        planted, seconds, operation = self.planted, shapes.seconds_of(cell.profile), next(iter(cell.mix))
        begin, length = self.clock, round(seconds * 1e9)
        self.clock += length + 2_000_000_000
        rate = planted.rates[plan.subject] * math.exp(self.fork[plan.subject])
        total = dict.fromkeys(("completed", "refused", "spent"), 0)
        loaded = 0
        for second in range(math.ceil(seconds)):
            users = users_at(cell.profile, second + 0.5)
            loaded = loaded + 1 if users else 0
            growth = 1 + planted.creeps.get(plan.subject, 0) * second / seconds
            slow = 3.0 if 0 < loaded <= planted.settles.get(plan.subject, 0) else 1.0
            noise = math.exp(self.draw.gauss(0, 0.01))
            lasted = min(1.0, seconds - second)
            answered = lasted * rate * min(1.0, users / planted.knees.get(plan.subject, 1)) / growth / slow * noise
            refuses = users >= planted.refuses_from.get(plan.subject, users + 1)
            failed = {"refused": round(answered / 5)} if refuses else {}
            spent = round(users * lasted * 1e9)
            ended = begin + min(length, (second + 1) * 10**9)
            self._tick(plan, ended, operation, users, round(answered), failed, spent)
            total["completed"] += round(answered)
            total["refused"] += sum(failed.values())
            total["spent"] += spent
        row: dict[str, Any] = dict.fromkeys(SLICE_COLUMNS, 0) | dict.fromkeys(TURN_COLUMNS, "")
        row |= {
            "slice": plan.number,
            "subject": plan.subject,
            "phase": "measure",
            "operation": operation,
            "begin_ns": begin,
            "end_ns": begin + length,
            "measured_ns": length,
            "started": total["completed"] + total["refused"],
            "completed": total["completed"],
            "refused": total["refused"],
            "response_ns_sum": total["spent"],
            "service_ns_sum": total["spent"],
            "engine_user_ns": round(length * planted.engine_share),
            "lateness_p99_ns": planted.lateness_ns,
            "valid": 1,
            "why_not": "",
        }
        row |= planted.changes.get((self.plan.number, 0, plan.subject), {})
        self.rows.append([row[name] for name in SLICE_COLUMNS])
        self.plans.append(plan)
        used = [plan.number, plan.subject, "server", 100, "server", begin, begin + length]
        self.observations.append([*used, length, 0, 200_000_000, 1])
        for cpu in (0, 1):
            self.machine.append([plan.number, cpu, 1.2, 0.5, 0.3, planted.steal_s, ""])
        self._histograms(plan, total["completed"], total["spent"] / max(1, total["completed"]) / 1000)

    def _histograms(self, plan: SlicePlan, completed: int, mean_us: float) -> None:
        for kind, factor in (("response", 1.0), ("service", 0.98)):
            encoded = _lognormal_histogram(completed, mean_us * factor)
            self.histograms.append(f"Tag={plan.subject}/{plan.number}/{plan.cell}/{kind},0.000,2.000,1.000,{encoded}\n")


@lru_cache(maxsize=50_000)
def _lognormal_histogram(completed: int, mean_us: float) -> str:
    """Lognormal times with that mean, as quantiles that share `completed` values. Runs with other plants have many alike."""
    histogram = HdrHistogram(1, 3_600_000_000, 3)
    left = completed
    for place, factor in enumerate(_QUANTILES):
        count = left // (len(_QUANTILES) - place)
        left -= count
        if count:
            histogram.record_value(max(1, round(mean_us * factor)), count)
    encoded: str = histogram.encode().decode("ascii")
    return encoded


def users_at(profile: Profile, second: float) -> int:
    """The users that a profile asks for, so many seconds after its begin."""
    match profile:
        case Ramp():
            span = profile.to_users - profile.from_users
            return profile.from_users + min(span, int(second / profile.seconds * (span + 1)))
        case Bursts():
            into = (second - profile.idle_seconds) % (profile.on_seconds + profile.off_seconds)
            return profile.users if second >= profile.idle_seconds and into < profile.on_seconds else 0
        case Steps():
            return next((users for users, begin, end in shapes.levels_of(profile) if begin <= second < end), 0)
        case _:
            return shapes.most_users(profile)


def _subject(planted: Planted, trial: int, label: str) -> SubjectRecord:
    companion = ProcessRecord(
        role="database", server="postgres", title="PostgreSQL", version="18", judged=False, processors=[1]
    )
    return SubjectRecord(
        label=label,
        server=label,
        title=label.title(),
        version="1.0",
        stack="stack",
        url="http://127.0.0.1:8080/",
        start_seconds=1.5,
        exchanges_verified=40,
        processes=[companion] if label in planted.databases else [],
        **planted.starts.get((trial, label), {}),
    )


def _table(path: Path, columns: tuple[str, ...], rows: list[list[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
