"""Run a study on all machines of a cluster, or resume a stopped run."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from ..analyse import measures
from ..base.csvfiles import read_document
from ..base.errors import StoreError, TargetError
from ..base.progress import Progress, duration
from ..base.text import label_names, plural
from ..catalogue import entries, published_tables
from ..catalogue.entries import Entry
from ..measure.handed import required_versions
from ..measure.main_job import keep_inputs, make_folder, place_of, service_of
from ..measure.resume import NEVER_STARTED
from ..measure.trial.context import trial_folder
from ..models.cluster import ClusterRun, Incident, IncidentKind, Machine
from ..models.records import TrialRecord
from ..models.service import Service
from ..models.study import Study
from ..plan.replicated import forks_each, planned_for_one
from ..plan.run_parameters import Request, merge_parameters
from ..plan.schedule import on_machines
from ..results.cluster_folder import (
    MACHINES,
    home_of,
    machine_folder,
    read_cluster,
    write_cluster,
    write_machine_schedule,
)
from ..results.setup import setup_differences
from ..results.tables import read_job
from .dask_workers import DaskWorkers, Where, open_port_warning, workers_of
from .handing import Handing, Kept, Worker, quotas
from .packing import CORPUS, ENVIRONMENT, TRIAL, files_of, unpacked_trial
from .worker import Order

_WAIT_SECONDS = 300.0  # for the first worker
_SETTLED_SECONDS = 2.0  # without a new worker, after which the search ends


def run(
    study: Entry[Study],
    request: Request,
    where: Where,
    *,
    out: Path | None,
    command: Sequence[str],
    progress: Progress,
) -> Path:
    """Run a study on every machine that has a worker now, and return the run folder, with one run folder for each
    machine.

    Every machine drives as many forks as the study has for one machine. With a budget, each drives as many as a verdict
    needs within that budget. Raises SteelyardError if nothing can be planned or started, and KeyboardInterrupt when
    stopped: finished trials are kept.
    """
    settings = merge_parameters(study.model, request)
    folder = place_of(study.name, settings, out)
    planned = planned_for_one(study.model, request, settings, "machine").schedule
    measures.registry(study.model.model_dump())
    service = service_of(study.model)
    stages: dict[str, str] = {}
    if warning := open_port_warning(where):
        progress.print_line(warning)
    with workers_of(where, stages.__setitem__) as workers:
        marks = _present_machines(workers, progress)
        schedule, numbers = on_machines(planned, len(marks), forks_each(planned, request))
        machines = [
            Machine(name=f"machine-{place}", identity=mark, trials=trials)
            for place, (mark, trials) in enumerate(zip(marks, numbers, strict=True), 1)
        ]
        make_folder(folder, MACHINES)
        keep_inputs(folder, study.file, None)
        home = ClusterHome(folder, ClusterRun(schedule=schedule, machines=machines), progress)
        home.begin()
        progress.print_line(
            f"{plural(len(schedule.trials), 'trial')} on {plural(len(machines), 'machine')}, "
            f"{len(numbers[0])} on each: {folder}"
        )
        _hand_out(home, service, workers, stages, command)
    return folder


def resume(folder: Path, where: Where, *, command: Sequence[str], progress: Progress) -> Path:
    """Resume a stopped run on the current workers. Finished trials are kept, the others are driven.

    Raises StoreError if nothing is left, else as `run` does.
    """
    cluster = read_cluster(folder)
    service = service_of(entries.study(str(folder / "study.toml")).model)
    home = ClusterHome(folder, cluster, progress)
    if len(home.where) >= len(cluster.schedule.trials):
        raise StoreError(
            f"{folder} is complete: nothing is left to resume", hint="`steelyard report` rebuilds its report"
        )
    stages: dict[str, str] = {}
    if warning := open_port_warning(where):
        progress.print_line(warning)
    with workers_of(where, stages.__setitem__) as workers:
        _present_machines(workers, progress)
        _hand_out(home, service, workers, stages, command)
    return folder


def _present_machines(workers: DaskWorkers, progress: Progress) -> list[str]:
    """The identities of machines with a worker, each once, when no more workers join.

    Raises TargetError if none joins.
    """
    progress.show("waiting for workers")
    begun, settled, known = time.monotonic(), 0.0, 0
    reported: set[str] = set()
    while True:
        present = workers.present()
        for refusal in set(workers.refused.values()) - reported:
            reported.add(refusal)
            progress.print_line(refusal)
        now = time.monotonic()
        if len(present) != known:
            known, settled = len(present), now
        if known and now - settled >= _SETTLED_SECONDS:
            return list(dict.fromkeys(worker.machine for worker in present))
        if now - begun > _WAIT_SECONDS:
            raise TargetError(
                f"no worker joined within {duration(_WAIT_SECONDS)}",
                hint="start one on each machine: `dask worker ADDRESS --nthreads 1`, where Steelyard is installed",
            )
        workers.next_news(0.2)
        progress.refresh()


def _hand_out(
    home: ClusterHome, service: Entry[Service], workers: DaskWorkers, stages: Mapping[str, str], command: Sequence[str]
) -> None:
    """Drive all remaining trials, and report those that no worker drove."""
    same = json.dumps(required_versions(service))
    study = (home.folder / "study.toml").read_text(encoding="utf-8")
    requests = files_of(home.folder / entries.OWN_REQUESTS)
    plans = {trial.number: trial for trial in home.cluster.schedule.trials}

    def order_of(trial: int, worker: Worker) -> Order:
        threads = home.engine_threads_of(worker.machine)
        schedule = home.cluster.schedule.model_copy(update={"trials": [plans[trial]], "engine_threads": threads})
        return Order(
            trial=trial,
            study=study,
            schedule=schedule.model_dump_json(),
            same=same,
            command=tuple(command),
            all_spellings=not home.has_driven(worker.machine),
            requests=requests,
        )

    workers.order_of = order_of
    handing = Handing(home.missing_trials(), workers, home, time.monotonic)
    try:
        handing.run(lambda handing: home.show(handing, stages))
    finally:
        home.end()
    if handing.owed:
        home.progress.print_line(
            f"no worker was left to drive {label_names('trial', sorted(handing.owed))}; resume with --resume"
        )


@dataclass
class ClusterHome:
    """The run folder that collects trials. `where` maps a trial's number to the machine that drove it."""

    folder: Path
    cluster: ClusterRun
    progress: Progress
    where: dict[int, str] = field(default_factory=dict)
    _labels: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.where.update(home_of(self.folder, self.cluster))
        self._labels.update({machine.identity: machine.name for machine in self.cluster.machines})

    def begin(self) -> None:
        """Write the plan before anything runs."""
        write_cluster(self.folder, self.cluster)
        for machine in self.cluster.machines:
            self._make(machine)

    def end(self) -> None:
        """Write each machine's schedule with its results."""
        for machine in self.cluster.machines:
            write_machine_schedule(self.folder, self.cluster, machine, self.where)

    def missing_trials(self) -> dict[int, str]:
        """The missing trials, each with the identity of its planned machine."""
        whole = quotas({machine.identity: machine.trials for machine in self.cluster.machines})
        return {trial: mark for trial, mark in whole.items() if trial not in self.where}

    def has_driven(self, mark: str) -> bool:
        """Whether a trial from this machine has arrived."""
        return self._labels.get(mark) in self.where.values()

    def engine_threads_of(self, mark: str) -> int:
        """The number of engine threads of a machine's first trial, which a pilot showed there; 0 where none has arrived."""
        name = self._labels.get(mark, "")
        driven = sorted(trial for trial, machine in self.where.items() if machine == name)
        jobs = [trial_folder(machine_folder(self.folder, name), trial) / "job.json" for trial in driven]
        return next((read_job(job, False)[0] for job in jobs if job.is_file()), 0)

    def name_of(self, mark: str) -> str:
        """The machine's name. A machine that joins later gets a folder at this point, and no planned trials."""
        if mark not in self._labels:
            machine = Machine(name=f"machine-{len(self.cluster.machines) + 1}", identity=mark, trials=[])
            self._labels[mark] = machine.name
            self.cluster = self.cluster.model_copy(update={"machines": [*self.cluster.machines, machine]})
            write_cluster(self.folder, self.cluster)
            self._make(machine)
        return self._labels[mark]

    def keep(self, machine: str, trial: int, packed: bytes) -> Kept:
        """Store a trial's folder, atomically. A damaged trial, or one with a changed setup, is rejected."""
        name = self.name_of(machine)
        place = machine_folder(self.folder, name)
        with ExitStack() as stack:
            try:
                arrived = stack.enter_context(unpacked_trial(packed, place))
            except StoreError as error:
                return Kept(False, error.message)
            return self._store_trial(name, trial, arrived)

    def record_event(self, kind: str, machine: str, trial: int | None, message: str) -> None:
        """Record and print an event of a machine or a trial."""
        name = self.name_of(machine)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        incident = Incident(at=at, kind=cast(IncidentKind, kind), machine=name, trial=trial, message=message)
        self.cluster = self.cluster.model_copy(update={"incidents": [*self.cluster.incidents, incident]})
        write_cluster(self.folder, self.cluster)
        of_trial = "" if trial is None else f", trial {trial}"
        self.progress.print_line(f"{name}{of_trial}: {kind}: {message}")

    def show(self, handing: Handing, stages: Mapping[str, str]) -> None:
        """Show what each machine is doing, and how many trials have arrived."""
        parts = []
        for worker, driving in handing.driving.items():
            since = duration(handing.clock() - driving.since)
            stage = stages.get(worker, "").partition(" \u00b7 ")[2]
            parts.append(f"{self.name_of(driving.machine)}: trial {driving.trial}, {stage or 'begun'}, {since}")
        whole = len(self.cluster.schedule.trials)
        self.progress.set_stage(
            f"{len(self.where)} of {plural(whole, 'trial')} received; {'; '.join(parts) or 'no machine is driving'}"
        )

    def _make(self, machine: Machine) -> None:
        place = machine_folder(self.folder, machine.name)
        (place / "trials").mkdir(parents=True, exist_ok=True)
        for name in ("study.toml", *published_tables.KEPT):
            if (self.folder / name).is_file():
                shutil.copyfile(self.folder / name, place / name)
        if (self.folder / entries.OWN_REQUESTS).is_dir():
            shutil.copytree(self.folder / entries.OWN_REQUESTS, place / entries.OWN_REQUESTS, dirs_exist_ok=True)
        write_machine_schedule(self.folder, self.cluster, machine, self.where)

    def _store_trial(self, name: str, trial: int, arrived: Path) -> Kept:
        try:
            record = TrialRecord.model_validate(read_document(arrived / TRIAL / "trial.json"))
        except (StoreError, ValidationError) as error:
            return Kept(False, f"it sent an unreadable trial: {error}")
        if record.number != trial:
            return Kept(False, f"it sent trial {record.number} instead of trial {trial}")
        place = machine_folder(self.folder, name)
        if changed := _setup_change(place / ENVIRONMENT, arrived / ENVIRONMENT):
            return Kept(False, changed, unfit=changed)
        if not (place / ENVIRONMENT).exists():
            (arrived / ENVIRONMENT).replace(place / ENVIRONMENT)
        if not (place / CORPUS).exists() and (arrived / CORPUS).exists():
            (arrived / CORPUS).replace(place / CORPUS)
        to = trial_folder(place, trial)
        shutil.rmtree(to, ignore_errors=True)  # from a process that was killed before it could record it
        (arrived / TRIAL).replace(to)
        self.where[trial] = name
        machine = next(machine for machine in self.cluster.machines if machine.name == name)
        if trial not in machine.trials:
            write_machine_schedule(self.folder, self.cluster, machine, self.where)
        failure = f" failed: {record.failure.message}" if record.failure is not None else ""
        self.progress.print_line(f"{name}: trial {trial}{failure or ' was received'}")
        failed = record.failure
        never = failed is not None and failed.kind in NEVER_STARTED
        return Kept(True, unfit=failed.message if failed is not None and never else "")


def _setup_change(before: Path, now: Path) -> str:
    """Differences between a machine's setup and that of its first trial. Empty if there are none."""
    if not before.exists():
        return ""
    then: Any = read_document(before)
    with suppress(StoreError):
        for difference in setup_differences(then, read_document(now)):
            return f"its setup has changed: {difference}"
    return ""
