"""A comparison in several sessions of one machine, with rest between them: the session is the highest level of replication."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..analyse import measures
from ..base.csvfiles import is_stored
from ..base.errors import StoreError
from ..base.progress import Progress, duration
from ..base.text import plural
from ..catalogue.entries import Entry
from ..models.cluster import ClusterRun, Machine
from ..models.study import Study
from ..plan.replicated import forks_each, planned_for_one
from ..plan.run_parameters import Request, merge_parameters
from ..plan.schedule import on_machines
from ..results.cluster_folder import MACHINES, machine_folder, read_cluster, write_cluster, write_machine_schedule
from . import main_job
from .resume import is_complete


def run(
    study: Entry[Study],
    request: Request,
    sessions: int,
    *,
    rest_seconds: float,
    out: Path | None,
    command: Sequence[str],
    progress: Progress,
    hosts: Path | None = None,
) -> Path:
    """Run a study in several sessions; returns the run's folder, which holds a run folder for each session.

    A session drives as many forks as the study has for a run, or with a budget as many as a verdict needs; the budget covers all
    sessions and their rests. No process of a session runs during the rest. Raises SteelyardError where nothing can be planned or
    measured, and KeyboardInterrupt when stopped: the measurements are kept, and `resume` continues.
    """
    settings = merge_parameters(study.model, request)
    folder = main_job.place_of(study.name, settings, out)
    rests = (sessions - 1) * rest_seconds
    fits = planned_for_one(study.model, request, settings, "session", sessions, rests)
    measures.registry(study.model.model_dump())
    for message in fits.messages:
        progress.print_line(f"each session: {message}")
    forks = forks_each(fits.schedule, request)
    schedule, numbers = on_machines(fits.schedule, sessions, forks, with_makeups=True)
    machines = [
        Machine(name=f"session-{place}", identity=f"session-{place}", trials=trials)
        for place, trials in enumerate(numbers, 1)
    ]
    main_job.make_folder(folder, MACHINES)
    main_job.keep_inputs(folder, study.file, hosts)
    cluster = ClusterRun(level="session", rest_seconds=rest_seconds, schedule=schedule, machines=machines)
    write_cluster(folder, cluster)
    for machine in machines:
        place = machine_folder(folder, machine.name)
        main_job.make_folder(place)
        main_job.keep_inputs(place, study.file, hosts)
        write_machine_schedule(folder, cluster, machine, {})
    progress.print_line(f"{plural(sessions, 'session')} of {plural(len(numbers[0]), 'trial')} each: {folder}")
    _drive(folder, cluster, command, progress)
    return folder


def resume(folder: Path, *, command: Sequence[str], progress: Progress) -> Path:
    """Resume a stopped run: complete sessions stay, a stopped session continues, the rest is driven after a rest each.

    Raises StoreError where nothing remains, else the errors of `run`.
    """
    cluster = read_cluster(folder)
    if all(is_complete(machine_folder(folder, machine.name)) for machine in cluster.machines):
        raise StoreError(
            f"{folder} is complete: nothing is left to resume", hint="`steelyard report` rebuilds its report"
        )
    _drive(folder, cluster, command, progress)
    return folder


def _drive(folder: Path, cluster: ClusterRun, command: Sequence[str], progress: Progress) -> None:
    """Drive the remaining sessions, one after the other."""
    names = [machine.name for machine in cluster.machines]
    left = [name for name in names if not is_complete(machine_folder(folder, name))]
    try:
        for place, name in enumerate(left):
            if place:
                wait_between(cluster.rest_seconds, f"{name} of {len(names)}", progress)
            progress.print_line(f"{name} of {len(names)}")
            session = machine_folder(folder, name)
            begins = not is_stored(session / "environment.json")
            main_job.resume(session, command=command, progress=progress, begins=begins)
    except KeyboardInterrupt:
        progress.print_line(f"stopped; `steelyard run --resume {folder}` continues it")
        raise


def wait_between(seconds: float, before: str, progress: Progress, sleep: Callable[[float], None] = time.sleep) -> None:
    """Wait between two sessions, in steps of a second at most, so that an interruption acts at once."""
    progress.show(f"resting {duration(seconds)} before {before}")
    left = seconds
    while left > 0:
        step = min(1.0, left)
        sleep(step)
        progress.refresh()
        left -= step
