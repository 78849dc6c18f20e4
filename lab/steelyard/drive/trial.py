"""One trial: fresh processes, verified answers, warm-up until steady, then slices that alternate between the subjects."""

from __future__ import annotations

import csv
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from ..base.errors import ContractError, EngineError, KeeperError, ProvisionError, SteelyardError
from ..base.progress import Progress
from ..catalogue.entries import Entry
from ..exchange import contract, corpus
from ..exchange.corpus import Corpus
from ..exchange.soap import meaning as soap
from ..models.job import Turn
from ..models.records import (
    Check,
    Counted,
    Distress,
    Failure,
    Schedule,
    SlicePlan,
    Steady,
    SubjectRecord,
    TrialPlan,
    TrialRecord,
    WrongSample,
)
from ..models.service import Service
from ..observe import doctor, processes
from ..plan.designs import design_named
from ..plan.kinds import kind_of
from ..plan.stopping import warm_up_is_over
from ..provision.cpus import Shares, kept_awake
from ..provision.subject import RunningSubject, Subject, started
from ..statistics.steady import WarmUpSlice, steady_since
from .engine import Engine, Tick
from .jobs import TrialSlices, make_job, plan_slices, turn_of
from .stress import stress_of
from .watch import Watch, self_wait

PAUSE_SECONDS = 0.2  # between warm-up slices: a JIT compiler starves under unbroken load


class TrialFailedError(SteelyardError):
    """A trial ended early; what it measured until then is stored, with the reason in its record."""

    def __init__(self, failure: Failure, hint: str = "") -> None:
        super().__init__(failure.message, hint)
        self.failure = failure


@dataclass
class _Log:
    """What a trial has come to so far; becomes its TrialRecord whatever happens."""

    subjects: list[SubjectRecord] = field(default_factory=list)
    slices: list[SlicePlan] = field(default_factory=list)
    steady: list[Steady] = field(default_factory=list)
    machine: list[Check] = field(default_factory=list)
    wrong_samples: list[WrongSample] = field(default_factory=list)
    counted: list[Counted] = field(default_factory=list)
    samples_checked: int = 0
    distress: list[Distress] = field(default_factory=list)


@dataclass(frozen=True)
class Setting:
    """What all trials of a run share. `folder` is the run's.

    `warm_up_within` are the seconds from a trial's begin by which a budget wants its warm-up to end, steady or not.
    """

    schedule: Schedule
    service: Entry[Service]
    subjects: Mapping[str, Subject]
    corpus: Corpus
    folder: Path
    shares: Shares
    progress: Progress
    warm_up_within: float | None = None


def trial_folder(run: Path, number: int) -> Path:
    """Where a trial's files are."""
    return run / "trials" / f"{number:02d}"


def run_trial(setting: Setting, plan: TrialPlan, *, all_spellings: bool) -> TrialRecord:
    """Drive one trial and store its record; raises TrialFailedError, or KeyboardInterrupt after storing what there is."""
    folder = trial_folder(setting.folder, plan.number)
    folder.mkdir(parents=True, exist_ok=True)
    log = _Log()
    begun, clock = _now(), time.monotonic()
    status: Literal["complete", "failed", "interrupted"] = "complete"
    failure: Failure | None = None
    try:
        _drive(setting, plan, folder, log, clock, all_spellings)
    except KeyboardInterrupt:
        status, failure = "interrupted", Failure(kind="interrupted", message="stopped by the user")
        raise
    except TrialFailedError as error:
        status, failure = "failed", error.failure
        raise
    except (SteelyardError, OSError) as error:
        status, failure = "failed", Failure(kind="lab", message=str(error))
        raise
    finally:
        record = TrialRecord(
            number=plan.number,
            seed=plan.seed,
            status=status,
            failure=failure,
            begun=begun,
            ended=_now(),
            seconds=round(time.monotonic() - clock, 3),
            server_cpus=setting.shares.server,
            engine_cpus=setting.shares.engine,
            subjects=log.subjects,
            slices=log.slices,
            steady=log.steady,
            counted=log.counted,
            samples_checked=log.samples_checked,
            wrong_samples=log.wrong_samples,
            distress=log.distress,
            machine=log.machine,
            warnings=doctor.warnings(log.machine),
        )
        (folder / "trial.json").write_text(record.model_dump_json(indent=1), encoding="utf-8")
    return record


def _drive(setting: Setting, plan: TrialPlan, folder: Path, log: _Log, begun: float, all_spellings: bool) -> None:
    setting.progress.show(_stage(setting, plan, "looking at the machine"))
    log.machine = doctor.examine(0.5)
    with ExitStack() as stack:
        stack.enter_context(kept_awake(setting.shares))
        running = _start_all(setting, plan, folder, log, stack, all_spellings)
        unpinned = {
            label: any(part.server.model.jvm for part in setting.subjects[label].parts) for label in plan.start_order
        }
        faces = {
            label: subject.subject.same_as for label, subject in running.items() if subject.subject.same_as is not None
        }
        slices = plan_slices(setting.schedule, plan, unpinned, faces)
        job = make_job(
            setting.schedule, plan, slices, running, setting.service.model, setting.corpus, folder, setting.shares
        )
        affinity = os.sched_getaffinity(0)
        os.sched_setaffinity(0, setting.shares.engine)  # the lab must not run where the servers do
        stack.callback(os.sched_setaffinity, 0, affinity)
        try:
            served_before = {label: subject.requests_served() for label, subject in running.items()}
            with Engine(job, folder) as engine, processes.Observer(folder) as observer:
                driver = _Driver(setting, plan, folder, log, running, engine, observer)
                log.distress = driver.watch.distress
                driver.warm_up(slices, begun)
                driver.measure(slices)
            log.counted = _counted(running, served_before, folder, driver.watch, log.slices[-1])
        except EngineError as error:
            raise TrialFailedError(Failure(kind="engine", message=error.message), error.hint) from None
        except (ProvisionError, KeeperError) as error:
            raise TrialFailedError(Failure(kind="died", message=error.message), error.hint) from None
        finally:
            _check_samples(setting, folder, log)


def _start_all(
    setting: Setting, plan: TrialPlan, folder: Path, log: _Log, stack: ExitStack, all_spellings: bool
) -> dict[str, RunningSubject]:
    draw = random.Random(f"ports {plan.seed}")
    running: dict[str, RunningSubject] = {}
    faces = [label for label in plan.start_order if setting.subjects[label].same_as is not None]
    for label in plan.start_order:
        if label in faces:
            continue
        subject = setting.subjects[label]
        setting.progress.show(_stage(setting, plan, f"starting {label}"))
        try:
            up = stack.enter_context(started(subject, folder, setting.shares.server, draw, setting.progress))
        except ProvisionError as error:
            raise TrialFailedError(
                Failure(kind="not-ready", subject=label, message=error.message), error.hint
            ) from None
        setting.progress.show(_stage(setting, plan, f"verifying the answers of {label}"))
        try:
            verified = contract.verify(
                setting.service,
                up.url,
                seed=plan.seed % 1000,
                all_spellings=all_spellings,
                who=label,
                deviations=subject.front.server.model.deviations,
                floor=subject.front.server.model.floor,
            )
        except ContractError as error:
            waiting = self_wait(up)
            message = up.death() or (f"{error.message}; {waiting}" if waiting else error.message)
            raise TrialFailedError(
                Failure(kind="contract", subject=label, message=message),
                hint=f"`steelyard servers check {label}` shows more",
            ) from None
        server = subject.front.server.model
        log.subjects.append(
            SubjectRecord(
                label=label,
                server=server.name,
                title=server.title,
                version=server.version,
                stack=server.stack,
                url=up.url,
                start_seconds=round(up.start_seconds, 3),
                exchanges_verified=verified,
                factors=subject.front.factors,
                floor=server.floor,
            )
        )
        running[label] = up
    for label in faces:
        host = setting.subjects[label].same_as or label
        running[label] = RunningSubject(setting.subjects[label], running[host].parts)
        record = next(one for one in log.subjects if one.label == host)
        log.subjects.append(record.model_copy(update={"label": label, "start_seconds": 0.0, "same_as": host}))
    return running


class _Driver:
    """Drives slices one at a time, and records and judges each."""

    def __init__(
        self,
        setting: Setting,
        plan: TrialPlan,
        folder: Path,
        log: _Log,
        running: dict[str, RunningSubject],
        engine: Engine,
        observer: processes.Observer,
    ) -> None:
        self._setting = setting
        self._plan = plan
        self._folder = folder
        self._log = log
        self._running = running
        self._engine = engine
        self._observer = observer
        self._freezes = design_named(setting.schedule.design).freezes
        self._cells = {cell.name: cell for cell in setting.schedule.cells}
        self._response_ms: dict[tuple[str, str], float] = {}  # mean of the last slice, by subject and cell
        self.watch = Watch(
            running,
            self._cells,
            corpus.mean_request_bytes(setting.corpus.folder),
            setting.schedule.drain_limit_seconds,
            folder,
        )

    def warm_up(self, slices: TrialSlices, begun: float) -> None:
        """Head starts on all processors, then pinned slices in turn until each subject is steady in each cell.

        All end at the limit, or earlier for the budget's sake; the trial was begun at `begun` on the monotonic clock.
        """
        for (label, _), plans in slices.head_start.items():
            for plan in plans:
                self._drive_slice(plan, f"head start of {label}", PAUSE_SECONDS)
        for subject in self._running.values():
            subject.pin(self._setting.shares.server)
        seen: dict[tuple[str, str], list[WarmUpSlice]] = {key: [] for key in slices.warm_up}
        spent = dict.fromkeys(slices.warm_up, 0.0)
        for turn in range(max(len(plans) for plans in slices.warm_up.values())):
            pending = [key for key in slices.warm_up if steady_since(seen[key]) is None]
            if warm_up_is_over(self._setting.warm_up_within, time.monotonic() - begun, [spent[key] for key in pending]):
                break
            for key in pending:
                before = time.monotonic()
                plan = slices.warm_up[key][turn]
                seen[key].append(self._drive_slice(plan, f"warming up {plan.subject}", PAUSE_SECONDS))
                spent[key] += time.monotonic() - before
        self._log.steady = [
            Steady(
                subject=label,
                cell=cell,
                met=steady_since(so_far) is not None,
                slices=len(so_far),
                seconds=round(spent[label, cell], 3),
            )
            for (label, cell), so_far in seen.items()
        ]

    def measure(self, slices: TrialSlices) -> None:
        """All measured slices in their order."""
        total = max(plan.pair or 0 for plan in slices.measure) + 1
        for (cell, pair), group in groupby(slices.measure, lambda plan: (plan.cell, plan.pair or 0)):
            plans = list(group)
            kind = kind_of(self._cells[cell])
            slowest = max(self._response_ms.get((plan.subject, cell), 0.0) for plan in plans)
            turn = turn_of(self._setting.schedule, self._cells[cell], len(plans), slowest)
            if turn is not None:
                stage = kind.stage(self._cells[cell], plans[0].subject, pair, total)
                self._drive_in_turns(plans, turn, stage)
                continue
            for plan in plans:
                self._drive_slice(plan, kind.stage(self._cells[cell], plan.subject, pair, total), kind.rest_seconds)

    def _drive_in_turns(self, plans: Sequence[SlicePlan], turn: Turn, stage: str) -> None:
        self._setting.progress.show(_stage(self._setting, self._plan, stage))
        numbers = [plan.number for plan in plans]
        refresh = self._setting.progress.refresh
        self._observed(plans, lambda: self._engine.take_turns(numbers, turn, self._patience(), lambda _: refresh()))

    def _drive_slice(self, plan: SlicePlan, stage: str, pause: float) -> WarmUpSlice:
        self._setting.progress.show(_stage(self._setting, self._plan, stage))
        if pause:
            time.sleep(pause)
        self._freeze_others(plan)
        [found] = self._observed([plan], lambda: self._engine.go(plan.number, self._patience(), self._on_tick(plan)))
        return found

    def _observed(self, plans: Sequence[SlicePlan], drive: Callable[[], None]) -> list[WarmUpSlice]:
        """Record what the subjects of these slices use while they are driven, and judge how each went."""
        before = [processes.read(self._running[plan.subject]) for plan in plans]
        self._log.slices.extend(plans)
        drive()
        after = [processes.read(self._running[plan.subject]) for plan in plans]
        rows = _last_rows(self._folder / "slices.csv", len(plans))
        found = []
        for plan, row, begun, ended in zip(plans, rows, before, after, strict=True):
            jit_share = self._observer.record(plan.number, plan.subject, begun, ended)
            self._look(plan, row)
            self._remember_response(plan, row)
            found.append(WarmUpSlice(int(row["completed"]) / int(row["measured_ns"]) * 1e9, jit_share))
        return found

    def _remember_response(self, plan: SlicePlan, row: Mapping[str, str]) -> None:
        completed = int(row["completed"])
        self._response_ms[plan.subject, plan.cell] = int(row["response_ns_sum"]) / completed / 1e6 if completed else 0.0

    def _look(self, plan: SlicePlan, row: Mapping[str, str]) -> None:
        failure = self.watch.look(plan, row)
        if failure is not None:
            raise TrialFailedError(failure, f"see samples/ and the logs of {failure.subject} in {self._folder}")

    def _on_tick(self, plan: SlicePlan) -> Tick:
        """What a second of the slice's means: progress, and for a stress test perhaps enough of it."""
        stress = stress_of(self._cells[plan.cell]) if plan.phase == "measure" else None

        def second(tick: dict[str, Any]) -> None:
            self._setting.progress.refresh()
            if stress is not None and stress.enough(tick):
                self._engine.enough(plan.number)

        return second

    def _freeze_others(self, plan: SlicePlan) -> None:
        """Some kinds have the processor for themselves, whatever the design."""
        if not self._freezes and not kind_of(self._cells[plan.cell]).alone:
            return
        label = plan.subject
        for subject in self._running.values():
            if subject.parts is not self._running[label].parts and subject.subject.may_freeze:
                subject.freeze()
        self._running[label].thaw()

    def _patience(self) -> float:
        """Seconds after which a silent engine is given up; it ticks every second and drains within its limit."""
        return self._setting.schedule.drain_limit_seconds + 60.0


def _counted(
    running: Mapping[str, RunningSubject],
    served_before: Mapping[str, int],
    folder: Path,
    watch: Watch,
    last: SlicePlan,
) -> list[Counted]:
    """The services' own counts against the engine's: every kind of answer that a request may have reached the service for."""
    answers = (
        *("completed", "wrong", "status", "fault"),
        *("lead_in_completed", "outside_wrong", "outside_status", "outside_fault"),
    )
    hosts = {label: subject.subject.same_as or label for label, subject in running.items()}
    by_engine = dict.fromkeys(hosts.values(), 0)
    for row in _rows(folder / "slices.csv"):
        by_engine[hosts[row["subject"]]] += sum(int(row[answer]) for answer in answers)
    found = []
    for label in by_engine:
        subject = running[label]
        subject.thaw()
        try:
            served = subject.requests_served() - served_before[label]
        except ProvisionError as error:
            raise TrialFailedError(watch.unreachable(last, label, error.message), error.hint) from None
        found.append(Counted(subject=label, by_service=served, by_engine=by_engine[label]))
    return found


def _check_samples(setting: Setting, folder: Path, log: _Log) -> None:
    """Compare every kept answer in full with the one expected; the engine's own check is a cheap one."""
    index = folder / "samples" / "index.csv"
    if not index.is_file():
        return
    meaning = soap.Meaning(setting.service.folder / setting.service.model.schema_file)
    expected = corpus.expected_answers(setting.corpus.folder)
    with index.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["outcome"] != "right":
                continue
            answer = (folder / "samples" / f"{row['sample']}.answer").read_bytes()
            difference = meaning.difference(answer, expected[int(row["entry"])])
            log.samples_checked += 1
            if difference is not None:
                wrong = WrongSample(
                    slice=int(row["slice"]), subject=row["subject"], operation=row["operation"], message=difference
                )
                log.wrong_samples.append(wrong)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _last_rows(path: Path, count: int) -> list[dict[str, str]]:
    """The last rows of a CSV file with a header; the engine has flushed them before it says that it is drained."""
    try:
        rows = _rows(path)[-count:]
    except OSError as error:
        raise EngineError(f"the engine's rows in {path} cannot be read: {error}") from None
    if len(rows) < count:
        raise EngineError(f"the engine wrote {len(rows)} of {count} rows to {path}")
    return rows


def _stage(setting: Setting, plan: TrialPlan, what: str) -> str:
    return f"trial {plan.number} of {len(setting.schedule.trials)} · {what}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
