"""The engine's job for one trial: every slice that may be driven, numbered, with its seeds."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from ...base.histogram import Histogram
from ...catalogue.entries import Entry
from ...catalogue.formats import http2_of, rmi_of
from ...hosts.running import RunningSubject
from ...hosts.subject import Subject
from ...models.job import Job, KeeperChannel, Samples, Session, Target, Tls, Turn
from ...models.records import Cell, Schedule, SlicePlan, TrialPlan, in_format
from ...models.service import Service
from ...plan.cells import operations_of, sessions_of, shorten_pauses
from ...plan.designs import design_named
from ...plan.designs.design import Ordering, SliceToCome
from ...plan.kinds import KINDS, kind_of, may_take_turns, warm_up_cells
from ...plan.shapes import held_seconds
from ...plan.slices import most_head_start_slices, most_warm_up_slices, spare_pairs, warm_up_load_seconds
from ...workload import contract
from .context import TrialContext
from .engine_job import JobRequests, JobSettings, LoadSlice, engine_job

# answers of each user in a turn: at its end users leave one by one over the time of one answer, 1% of a turn of fifty
ANSWERS_IN_A_TURN = 50
ANSWERS_UNDER_WAY_IN_A_TURN = 40  # answers under way in a turn: its end waits for half of one, at most 1/80 of the turn
LEAST_TURNS = 2  # per slice
THAW_MS_A_THREAD = 0.0057  # SIGCONT wakes the threads of a process one after the other
THAW_SHARE = 0.005  # largest share of a turn spent on thawing
WARM_UP_SESSIONS_IN_A_SLICE = 10  # per user, if answers took no time
HURRIED = "-hurried"
# One in so many right answers is sampled, up to a slice's share: slow services with a few dozen answers per slice get samples, too.
# A block is one long slice: sampling its first answers alone would miss the rest.
_KEPT_ONE_IN = 10


@dataclass(frozen=True)
class TrialSlices:
    """The slices of one trial, by purpose. Head starts and warm-up slices are offered; the driver takes as many as it needs.

    `cold` are measured before the warm-up. `head_start` and `warm_up` are by subject and cell; `measure` is in the order of
    driving. `spare` are further pairs of a cell, which replace pairs with JIT compilation.
    """

    head_start: dict[tuple[str, str], list[SlicePlan]]
    warm_up: dict[tuple[str, str], list[SlicePlan]]
    measure: list[SlicePlan]
    spare: dict[str, list[list[SlicePlan]]] = field(default_factory=dict)
    cold: list[SlicePlan] = field(default_factory=list)

    def all(self) -> list[SlicePlan]:
        """Every slice that the trial may drive, including offered warm-ups and spare pairs, by number."""
        offered = [plan for plans in (*self.head_start.values(), *self.warm_up.values()) for plan in plans]
        spare = [plan for pairs in self.spare.values() for pair in pairs for plan in pair]
        return sorted([*self.cold, *offered, *self.measure, *spare], key=lambda plan: plan.number)


def plan_slices(
    schedule: Schedule,
    trial: TrialPlan,
    warms_on_all: Mapping[str, bool],
    faces: Mapping[str, str] = MappingProxyType({}),
    first: int = 0,
) -> TrialSlices:
    """Number all slices of a trial, from `first` on. `warms_on_all` maps subjects to whether they get a head start on all
    processors (JVMs).

    `faces` are subjects that share another subject's processes, by label: one slice of each, as a part of the head start, opens
    its connections.
    """
    number = first
    alone = design_named(schedule.design).unbroken
    warmed_in = warm_up_cells(schedule.cells)

    def take_slices(phase: str, subject: str, cell: Cell, count: int) -> list[SlicePlan]:
        nonlocal number
        plans = [
            SlicePlan.model_validate({"number": number + n, "subject": subject, "cell": cell.name, "phase": phase})
            for n in range(count)
        ]
        number += count
        return plans

    warm_up_count, heads = most_warm_up_slices(schedule), most_head_start_slices(schedule)
    head_start: dict[tuple[str, str], list[SlicePlan]] = {}
    warm_up: dict[tuple[str, str], list[SlicePlan]] = {}
    for subject in trial.start_order:
        for cell in warmed_in:
            if subject in faces:
                head_start[subject, cell.name] = take_slices("head-start", subject, cell, 1)
                continue
            if warms_on_all[subject] and not alone:
                shared = sum(host == subject for host in faces.values())
                head_start[subject, cell.name] = take_slices("head-start", subject, cell, max(1, heads - shared))
            warm_up[subject, cell.name] = take_slices("warm-up", subject, cell, warm_up_count)
    slices = TrialSlices(head_start, warm_up, [])
    spare: dict[str, dict[int, list[SlicePlan]]] = {}
    for pair, cell, subject in _measured_order(_with_spare_pairs(schedule), trial):
        plan = take_slices("measure", subject, cell, 1)[0].model_copy(
            update={"pair": pair, "held_seconds": held_seconds(cell.profile)}
        )
        if kind_of(cell).sliced and pair >= schedule.pairs_per_cell:
            spare.setdefault(cell.name, {}).setdefault(pair, []).append(plan)
        else:
            (slices.cold if cell.cold else slices.measure).append(plan)
    slices.spare.update((cell, list(pairs.values())) for cell, pairs in spare.items())
    return slices


def _with_spare_pairs(schedule: Schedule) -> Schedule:
    return schedule.model_copy(update={"pairs_per_cell": schedule.pairs_per_cell + spare_pairs(schedule)})


def _measured_order(schedule: Schedule, trial: TrialPlan) -> list[SliceToCome]:
    """(pair, cell, subject) in the order of driving: blocks first, then alternating slices."""
    draw = random.Random(f"order {trial.seed}")
    drawn = list(trial.start_order)
    draw.shuffle(drawn)
    design = design_named(schedule.design)
    ordered: list[SliceToCome] = []
    for kind in sorted(KINDS.values(), key=lambda kind_of_cell: kind_of_cell.sliced):
        cells = [cell for cell in schedule.cells if kind_of(cell) is kind]
        ordered += kind.order(design, Ordering(schedule, trial, cells, drawn, draw))
    return ordered


@dataclass(frozen=True)
class Answering:
    """Response times of a subject in a cell, in ms: the mean of all answers; the mean of answers under way at a random instant,
    which is longer where few answers are much slower than the rest; and the time from one answer of a user to the next."""

    mean_ms: float = 0.0
    under_way_ms: float = 0.0
    cycle_ms: float = 0.0

    @property
    def response_ms(self) -> float:
        """The response time for planning stretches: the longest of the three."""
        return max(self.mean_ms, self.under_way_ms, self.cycle_ms)

    def scale(self, factor: float) -> Answering:
        """The same with all times multiplied."""
        return Answering(self.mean_ms * factor, self.under_way_ms * factor, self.cycle_ms * factor)

    @property
    def least_turn_ms(self) -> float:
        """The shortest turn. A turn's end waits for half of the answers under way, without load for idle users, so that must be a
        small part."""
        each = max(self.mean_ms, self.cycle_ms)  # a subject without an answer in a slice has no mean
        return max(ANSWERS_IN_A_TURN * each, ANSWERS_UNDER_WAY_IN_A_TURN * self.under_way_ms)


def answering(times: Histogram | None, cycle_ms: float = 0.0) -> Answering:
    """The `Answering` of a slice's response times, which may be empty, and the time from one answer of a user to the next."""
    if times is None:
        return Answering(cycle_ms=cycle_ms)
    return Answering(times.mean() / 1000, times.length_biased_mean() / 1000, cycle_ms)


def cycle_ns(row: Mapping[str, str], users: int, observed_ns: int) -> float:
    """The time from one answer of a user to the next, by a row of slices.csv.

    For a slice in one stretch it counts all answers over all of the load, which no edge cuts: a short slice may hold a round of
    slow answers or none. Without an answer it is the waiting time so far.
    """
    completed, measured_ns = int(row["completed"]), int(row["measured_ns"])
    if row.get("cpu_own_ns") and completed:
        return users * measured_ns / completed
    return users * max(measured_ns, observed_ns) / max(users, completed + int(row["lead_in_completed"]))


def turn_of(schedule: Schedule, cell: Cell, answering: Sequence[Answering], threads: int = 0) -> Turn | None:
    """The turns of a pair's slices, by the response times `answering` of its subjects. None where each subject has the machine in
    one stretch, as open load, load with a shape and slow answers need. `threads` is the largest number of threads of a subject:
    thawing them must take a small part of a turn."""
    if len(answering) < 2 or not may_take_turns(schedule, cell):
        return None
    return turn_within(
        schedule.slice_seconds, max(schedule.turn_ms, THAW_MS_A_THREAD * threads / THAW_SHARE), answering
    )


def turn_within(slice_seconds: float, least_ms: float, answering: Sequence[Answering]) -> Turn | None:
    """Turns of `least_ms`, or longer where the subjects' answers need it; None where the slice is too short."""
    turn = max(least_ms, *(subject.least_turn_ms for subject in answering))
    return Turn(ms=turn) if turn * LEAST_TURNS <= slice_seconds * 1000 else None


def make_job(
    setting: TrialContext, trial: TrialPlan, slices: TrialSlices, running: Mapping[str, RunningSubject], folder: Path
) -> Job:
    """The job of a trial. Slices of a pair share a deck seed, so both subjects get the same requests in the same order; subjects
    with different formats each have an order of their own."""
    schedule = setting.schedule
    cells = {cell.name: cell for cell in schedule.cells}
    planned = slices.all()
    loads = [_slice(schedule, cells[plan.cell], plan, running[plan.subject].subject.form) for plan in planned]
    threads = max(1, schedule.engine_threads)
    return job_of_loads(setting, trial.seed, loads, running, folder, threads, first=planned[0].number)


def job_of_loads(
    setting: TrialContext,
    seed: int,
    loads: Sequence[LoadSlice],
    running: Mapping[str, RunningSubject],
    folder: Path,
    threads: int,
    first: int = 0,
) -> Job:
    """A job of these loads on running subjects, which writes into `folder`; its slices are numbered from `first` on."""
    schedule, corpus = setting.schedule, setting.corpus
    operations: dict[str, str] = {}
    for cell in schedule.cells:
        operations |= operations_of(cell, schedule.sessions)
    beside = folder.is_relative_to(corpus.folder.parent)
    place = os.path.relpath(corpus.folder, folder) if beside else str(corpus.folder)
    sliced = all(kind_of(cell).sliced for cell in schedule.cells)
    return engine_job(
        seed,
        JobRequests(place, corpus.rules, _sessions(schedule)),
        [target_of(label, subject, setting.service, operations) for label, subject in running.items()],
        loads,
        setting.shares.engine,
        JobSettings(
            timeout_ms=schedule.drain_limit_seconds * 1000,
            samples=Samples(one_in=_KEPT_ONE_IN) if sliced else Samples(),
            threads=threads,
        ),
        first=first,
    )


def _sessions(schedule: Schedule) -> dict[str, Session]:
    """The sessions of the cells, and shortened copies under other names for warm-up.

    A session longer than a slice would be cut before its last requests in every warm-up slice, and their code would still be cold
    when it is measured.
    """
    sessions = sessions_of(schedule.cells, schedule.sessions)
    seconds = schedule.slice_seconds / WARM_UP_SESSIONS_IN_A_SLICE
    return sessions | {name + HURRIED: shorten_pauses(session, seconds) for name, session in sessions.items()}


def target_of(label: str, running: RunningSubject, service: Entry[Service], operations: Mapping[str, str]) -> Target:
    """The target of a subject; `operations` has the operation of each name of requests in the corpus, in the service's own
    format."""
    subject = running.subject
    entry = subject.in_own_format(service)
    return Target(
        subject=label,
        host=running.host,
        port=running.front.port,
        secure=subject.front.secure,
        tls=tls_of(running),
        path=subject.path(),
        headers=subject.headers,
        operation_headers={
            in_format(name, subject.form): headers
            for name, operation in sorted(operations.items())
            if (headers := _operation_headers(subject, service, entry, operation))
        },
        http2=http2_of(entry),
        rmi=rmi_of(entry),
        keepers=[KeeperChannel(control=str(part.control), may_freeze=subject.may_freeze) for part in running.parts],
    )


def _operation_headers(
    subject: Subject, service: Entry[Service], in_own_format: Entry[Service], operation: str
) -> dict[str, str]:
    """The headers of an operation's requests: the contract's, and those that the study gives this subject. Requests of a user's own
    service contain the contract's already."""
    by_contract = {} if service.model.is_own else contract.request_headers(in_own_format.model, operation)
    return {**by_contract, **subject.operation_headers.get(operation, {})}


def tls_of(running: RunningSubject) -> Tls:
    """How the certificate of a TLS subject is checked."""
    authority = running.access.authority
    return Tls() if authority is None else Tls(ca=str(authority))


def _slice(schedule: Schedule, cell: Cell, plan: SlicePlan, form: str) -> LoadSlice:
    kind = kind_of(cell)
    seconds = warm_up_load_seconds(schedule) if plan.phase == "warm-up" else schedule.slice_seconds
    load = kind.measured_profile if plan.phase == "measure" else kind.warm_up_profile
    shared = plan.pair if plan.pair is not None else f"warm-up {plan.number}"
    mix = cell.request_mix if plan.phase == "measure" else _warm_up_mix(schedule, cell)
    return LoadSlice(
        subject=plan.subject,
        phase=plan.phase,
        profile=load(cell.for_subject(plan.subject), seconds),
        mix={in_format(name, form): weight for name, weight in mix.items()},
        deck=f"{plan.cell} {shared}",
        lead_in_ms=kind.lead_in_ms,
    )


def _warm_up_mix(schedule: Schedule, cell: Cell) -> dict[str, float]:
    """The cell's mix, with shortened sessions."""
    sessions = sessions_of([cell], schedule.sessions)
    return {name + HURRIED if name in sessions else name: weight for name, weight in cell.request_mix.items()}
