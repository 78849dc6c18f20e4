"""The run folder of running subjects: study.toml, schedule.json, and a folder with a record for each trial."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import tomli_w

from ...base.csvfiles import write_text
from ...base.errors import KeeperError
from ...base.progress import Progress
from ...hosts import doctor, processes
from ...hosts.cpus import Shares
from ...hosts.keeper import Keeper, ProcessUse
from ...models.job import BigBang, FixedWork, Rate, UserStages
from ...models.records import (
    Cell,
    Check,
    Failure,
    Schedule,
    SlicePlan,
    SubjectRecord,
    TrialPlan,
    TrialRecord,
    TrialStatus,
    WrongSample,
)
from ...plan.shapes import most_users
from ...workload.planned_load import Stretch
from ..trial.context import trial_folder

LOAD, LIMIT, COMPARISON = "load", "find-limit", "compare"  # the name of the study in each schedule
_ONE_PROCESS = "The figures hold for this process and this hour: it was not restarted."
_QUESTIONS = {
    LOAD: f"How fast does it answer under this load? {_ONE_PROCESS}",
    LIMIT: f"Up to which load does it meet its goal? {_ONE_PROCESS}",
    COMPARISON: "By how much do they differ under this load? The figures hold for these processes and this hour.",
}
_LOOK_SECONDS = 0.5  # seconds of watching the machine before the first trial
_SHOWN_OPERATIONS = 3  # operations in the name of a cell
_P95 = {
    "name": "response_time_p95",
    "title": "95th percentile of response time",
    "short": "p95",
    "unit": "ms",
    "better": "lower",
    "source": "histograms",
    "formula": "percentile(response, 95) / 1000",
}


@dataclass(frozen=True)
class RunningTarget:
    """A running subject: its label, title and address, and the number of its verified answers. `keeper` is set where the load
    started the subject."""

    label: str
    title: str
    address: str
    verified: int
    keeper: Keeper | None = None

    def record(self) -> SubjectRecord:
        """The subject's entry in a trial's record."""
        return SubjectRecord(
            label=self.label,
            server=self.title,
            title=self.title,
            version="",
            stack="",
            url=self.address,
            start_seconds=0.0,
            exchanges_verified=self.verified,
            ran_already=self.keeper is None,
        )


@dataclass(frozen=True)
class Invocation:
    """How the user asked for a measurement: the command as typed, its progress, and the folder for run folders (None: runs). The
    values of `secret_headers` are never stored."""

    command: Sequence[str]
    progress: Progress
    out: Path | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> Path:
        """The folder in which the run folder is made."""
        return self.out or Path("runs")


@dataclass(frozen=True)
class RunFolder:
    """A run folder with its schedule, which grows when a search decides on its next stage."""

    folder: Path
    schedule: Schedule
    shares: Shares

    def keep(self) -> None:
        """Write study.toml and schedule.json; raises StoreError."""
        write_text(self.folder / "study.toml", tomli_w.dumps(_study(self.schedule)))
        write_text(self.folder / "schedule.json", self.schedule.model_dump_json(indent=1) + "\n")

    def with_cell(self, cell: Cell) -> RunFolder:
        """The same folder with one more trial, for its own cell."""
        number = len(self.schedule.trials) + 1
        trial = TrialPlan(
            number=number, seed=self.schedule.seed, start_order=list(self.schedule.subjects), cell=cell.name
        )
        update = {"cells": [*self.schedule.cells, cell], "trials": [*self.schedule.trials, trial]}
        return RunFolder(self.folder, self.schedule.model_copy(update=update), self.shares)


@dataclass
class TrialNotes:
    """Notes of a trial while it is driven; `stopped` is the reason for an early end."""

    folder: Path
    slices: list[SlicePlan] = field(default_factory=list)
    stopped: str | None = None
    samples_checked: int = 0
    wrong_samples: list[WrongSample] = field(default_factory=list)


def cell_of(planned: Stretch, name: str = "", *, primary: bool = True) -> Cell:
    """The cell of a stretch of load, named by its operations unless `name` is given."""
    operations = list(planned.mix)
    shown = "+".join(operations) if len(operations) <= _SHOWN_OPERATIONS else f"{len(operations)} operations"
    return Cell(
        name=name or shown,
        mix=dict(planned.mix),
        users=most_users(planned.profile),
        profile=planned.profile,
        primary=primary,
        kind="steady" if isinstance(planned.profile, BigBang | Rate | FixedWork) else "block",
        judged_by="throughput",
    )


def plan_trial(study: str, service: str, labels: Sequence[str], cells: Sequence[Cell], seed: int) -> Schedule:
    """The schedule of one trial in which all subjects run all of these cells; without cells, a schedule without a trial."""
    seconds = max((_seconds(cell) for cell in cells), default=0.0)
    return Schedule(
        study=study,
        service=service,
        seed=seed,
        design="as-it-runs",
        subjects=list(labels),
        reference=labels[-1],
        cells=list(cells),
        trials=[TrialPlan(number=1, seed=seed, start_order=list(labels))] if cells else [],
        pairs_per_cell=1,
        slice_seconds=seconds,
        warm_up_limit_seconds=0.0,
        parameters={},
    )


def _seconds(cell: Cell) -> float:
    profile = cell.profile
    if isinstance(profile, Rate | UserStages):
        return sum(stage.seconds for stage in profile.stages)
    if isinstance(profile, FixedWork):
        return profile.most_seconds
    if profile.kind == "steps":
        return (profile.hold_seconds + profile.ramp_seconds + profile.pause_seconds) * len(profile.levels)
    return profile.seconds


def _study(schedule: Schedule) -> dict[str, object]:
    """The content of study.toml: the question, in the form of a study."""
    labels = schedule.subjects
    operations = list(dict.fromkeys(name for cell in schedule.cells for name in cell.mix)) or [schedule.service]
    titles = {LOAD: f"{schedule.service} under load", LIMIT: f"The limit of {schedule.service}"}
    return {
        "name": schedule.study,
        "title": titles.get(schedule.study, " and ".join(labels)),
        "question": _QUESTIONS[schedule.study],
        "service": schedule.service,
        "reference": schedule.reference,
        "operations": operations,
        "primary": operations[0],
        "subjects": list(labels),
        "measures": [_P95],
    }


@contextmanager
def record_trial(run: RunFolder, plan: TrialPlan, targets: Sequence[RunningTarget]) -> Iterator[TrialNotes]:
    """A trial while its body drives it; its record, with the reason for its end, is written in any case."""
    notes = TrialNotes(trial_folder(run.folder, plan.number))
    notes.folder.mkdir(parents=True, exist_ok=True)
    machine = doctor.examine(_LOOK_SECONDS) if plan.number == 1 else []
    begun, clock = _now(), time.monotonic()
    status: TrialStatus = "failed"
    failure: Failure | None = None
    try:
        yield notes
        status = "complete" if notes.stopped is None else "interrupted"
        failure = None if notes.stopped is None else Failure(kind="interrupted", message=notes.stopped)
    except KeyboardInterrupt:
        status, failure = "interrupted", Failure(kind="interrupted", message="stopped by the user")
        raise
    except BaseException as error:
        failure = Failure(kind="target", message=str(error))
        raise
    finally:
        record = _record(run, plan, targets, notes, machine)
        update = {
            "status": status,
            "failure": failure,
            "begun": begun,
            "ended": _now(),
            "clock_offset_ns": time.time_ns() - time.monotonic_ns(),
            "seconds": round(time.monotonic() - clock, 3),
        }
        write_text(notes.folder / "trial.json", record.model_copy(update=update).model_dump_json(indent=1) + "\n")


def _record(
    run: RunFolder, plan: TrialPlan, targets: Sequence[RunningTarget], notes: TrialNotes, machine: list[Check]
) -> TrialRecord:
    return TrialRecord(
        number=plan.number,
        seed=plan.seed,
        status="failed",
        begun="",
        ended="",
        seconds=0.0,
        server_cpus=run.shares.server,
        engine_cpus=run.shares.engine,
        subjects=[target.record() for target in targets],
        slices=notes.slices,
        samples_checked=notes.samples_checked,
        wrong_samples=notes.wrong_samples,
        machine=machine,
        warnings=doctor.warnings(machine),
    )


@contextmanager
def observe_slice(observer: processes.Observer, number: int, target: RunningTarget) -> Iterator[None]:
    """A slice while its body drives it: observes the machine, and the target's processes where known."""
    before = processes.reading_of(_use(target))
    yield
    observer.record(number, target.label, before, processes.reading_of(_use(target)))


def _use(target: RunningTarget) -> dict[str, list[ProcessUse]]:
    try:
        return {} if target.keeper is None else {"server": target.keeper.use()}
    except KeeperError:  # the target has ended; the load reports it
        return {}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
