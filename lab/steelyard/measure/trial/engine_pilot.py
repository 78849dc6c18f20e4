"""The pilot of a run: each subject is driven for seconds, so that the engine has as many threads as it needs before anything is
measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from ...base.errors import SteelyardError
from ...base.text import plural
from ...catalogue.formats import rmi_of
from ...hosts.cpus import kept_awake, pin_thread
from ...hosts.running import RunningSubject
from ...models.job import BigBang, Profile, Rate, Stage
from ...models.records import Cell, TrialPlan, in_format
from ...plan.cells import lead_out_seconds
from ...plan.engine_pilot import SLICE_SECONDS, SLICES, has_pilot, heaviest_cells
from ...plan.shapes import most_users
from ...results.tables import SliceRow, read_slices
from . import own_answers
from .bring_up import start_all
from .context import TrialContext, TrialLog
from .engine import Engine
from .engine_job import LoadSlice
from .engine_threads import choose_threads
from .jobs import job_of_loads

FOLDER = "pilot"  # of a run's folder
_PATIENCE_SECONDS = 60.0


def with_engine_threads(setting: TrialContext) -> TrialContext:
    """The setting with the number of engine threads that its subjects need at the height of its loads.

    Nothing is driven where the engine has one processor, or the number is known already. A subject that does not start or
    answer is left to the trials, which report it; the driver of RMI has threads of its own.
    """
    pilot = replace(setting, shares=setting.shares.half(0))
    processors = len(pilot.shares.engine)
    labels = [
        label
        for label, subject in setting.subjects.items()
        if subject.same_as is None and rmi_of(subject.in_own_format(setting.service)) is None
    ]
    if not labels or not has_pilot(setting.schedule, processors):
        return setting
    threads, cells = 1, heaviest_cells(setting.schedule.cells)
    with kept_awake(pilot.shares):
        for label in labels:
            with suppress(SteelyardError):
                threads = max(threads, _threads_for(pilot, label, cells))
    setting.progress.print_line(
        f"the load engine has {plural(threads, 'thread')} on its {processors} processors, as a pilot showed"
    )
    return replace(setting, schedule=setting.schedule.model_copy(update={"engine_threads": threads}))


def peak_profile(profile: Profile, seconds: float) -> Profile:
    """Constant load for `seconds`, as much as the profile has at its height."""
    if isinstance(profile, Rate):
        rate = max(max(stage.from_rate, stage.to_rate) for stage in profile.stages)
        stage = Stage(from_rate=rate, to_rate=rate, seconds=seconds)
        return profile.model_copy(update={"stages": [stage]})
    return BigBang(users=most_users(profile), seconds=seconds)


def _threads_for(setting: TrialContext, label: str, cells: Sequence[Cell]) -> int:
    """The number of engine threads that a subject needs, which is started for this alone."""
    plan = TrialPlan(number=0, seed=setting.schedule.seed, start_order=[label])
    own = [cell for cell in cells if not cell.subjects or label in cell.subjects]
    log = TrialLog(setting.folder / FOLDER / label)
    log.folder.mkdir(parents=True, exist_ok=True)
    most = min(len(setting.shares.engine), max((cell.users for cell in own), default=1))
    with ExitStack() as stack:
        running = start_all(setting, plan, log, stack, all_spellings=False)
        stack.enter_context(pin_thread(setting.shares.engine))
        for subject in running.values():
            subject.pin(setting.shares)
        setting.progress.show(setting.stage(plan, f"how many engine threads {label} needs"))
        return choose_threads(lambda threads: _drive(setting, running, own, log.folder, threads), most)


def _drive(
    setting: TrialContext, running: Mapping[str, RunningSubject], cells: Sequence[Cell], folder: Path, threads: int
) -> list[SliceRow]:
    """Drive the slices of a pilot with so many threads; the last one of each cell."""
    [(label, up)] = running.items()
    loads = [
        LoadSlice(
            subject=label,
            phase="pilot",
            profile=peak_profile(cell.profile, SLICE_SECONDS),
            mix={in_format(name, up.subject.form): weight for name, weight in cell.request_mix.items()},
            deck=f"pilot {cell.name} {place}",
        )
        for cell in cells
        for place in range(SLICES)
    ]
    place = folder / f"threads-{threads}"
    place.mkdir()
    job = job_of_loads(setting, setting.schedule.seed, loads, running, place, threads)
    patience = lead_out_seconds(job.sessions) + setting.schedule.drain_limit_seconds + _PATIENCE_SECONDS
    with Engine(job, place, own_answers.secrets(setting)) as engine:
        for number in range(len(loads)):
            engine.drive_slice(number, patience, setting.progress.second)
    rows = read_slices(place / "slices.csv", True)
    return [rows[number] for number in range(SLICES - 1, len(loads), SLICES)]
