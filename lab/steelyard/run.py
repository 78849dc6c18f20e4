"""The main job, from a study to a report. `run` reads as the way of the data."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from . import analyse, catalogue, corpus, cpus, design, drive, environment, report, subject
from .agents import find_agents
from .catalogue import Entry
from .drive import Setting, TrialFailedError
from .errors import SteelyardError, StoreError
from .lock import machine_lock
from .models.records import TrialPlan
from .models.service import Service
from .models.study import Budget, Study
from .models.verdict import Verdicts
from .progress import Progress
from .subject import Subject

Seconds = float


@dataclass(frozen=True)
class Outcome:
    """What a run came to: its folder, its verdicts and report (None where nothing was measured), and what failed."""

    folder: Path
    verdicts: Verdicts | None
    report: Path | None
    failures: list[str]


def run(
    study: Entry[Study],
    request: design.Request,
    *,
    out: Path | None,
    command: Sequence[str],
    progress: Progress,
) -> Outcome:
    """study -> design -> provision -> corpus -> drive + observe -> store -> analyse -> report.

    Raises SteelyardError where nothing can be measured, KeyboardInterrupt after a partial report was written.
    """
    settings = design.settle(study.model, request)
    service = catalogue.service(study.model.service)
    with machine_lock(" ".join(command)):
        shares = cpus.share()
        subjects = _provide(study.model, request, service, progress)
        folder = _make_folder(study.name, settings, out)
        shutil.copyfile(study.file, folder / "study.toml")
        users = settings.users or find_agents(service, subjects, settings, folder, shares, progress)
        schedule = design.schedule_of(study.model, service.model, request, settings, users)
        _store(folder / "schedule.json", schedule.model_dump_json(indent=1))
        _store(folder / "environment.json", json.dumps(environment.describe(subjects, shares, command), indent=1))
        progress.show("making the requests")
        made = corpus.make(
            service,
            folder / "corpus",
            sorted({operation for cell in schedule.cells for operation in cell.mix}),
            seed=request.seed,
            count=study.model.corpus_entries,
            parameters=settings.service,
        )
        setting = Setting(
            schedule=schedule,
            service=service,
            subjects={one.label: one for one in subjects},
            corpus=made,
            folder=folder,
            shares=shares,
            progress=progress,
            forks=len(schedule.trials),
        )
        try:
            failures = _drive_all(setting, study.model.budget if request.forks is None else None)
        except KeyboardInterrupt:
            progress.say(_partial(folder))
            raise
    progress.show("analysing")
    if not any((folder / "trials").glob("*/slices.csv")):
        return Outcome(folder, None, None, failures or ["nothing was measured"])
    return Outcome(folder, analyse.analyse(folder), report.write_report(folder), failures)


def _provide(study: Study, request: design.Request, service: Entry[Service], progress: Progress) -> list[Subject]:
    return [subject.provided(spec, service, progress) for spec in design.subjects_of(study, request.only)]


def _drive_all(setting: Setting, budget: Budget | None) -> list[str]:
    """Drive every trial; a failed one is a result, and the next one is started fresh. Returns what failed, in words."""
    failures: list[str] = []
    verified: set[str] = set()
    broken: dict[str, str] = {}
    begun = time.monotonic()
    trials = list(setting.schedule.trials)
    setting.progress.plan(budget.seconds if budget else design.planned_seconds(setting.schedule))
    done = 0
    while done < len(trials):
        plan = _without(trials[done], broken)
        done += 1
        if plan is None:
            continue
        fresh = not set(plan.start_order) <= verified
        try:
            drive.run_trial(setting, plan, all_spellings=fresh)
            verified.update(plan.start_order)
        except TrialFailedError as error:
            failures.append(str(error))
            setting.progress.say(f"trial {plan.number} failed: {error.message}")
            if error.failure.kind in {"not-ready", "contract"} and error.failure.subject is not None:
                broken[error.failure.subject] = error.message
        spent = time.monotonic() - begun
        if done == 1 and budget is not None:
            setting, trials = _replanned(setting, budget, spent)
        setting.progress.plan(spent / done * (len(trials) - done))
    return failures


def _without(plan: TrialPlan, broken: dict[str, str]) -> TrialPlan | None:
    """The plan without subjects that cannot be started; None where nothing is left to compare."""
    left = [label for label in plan.start_order if label not in broken]
    if len(left) == len(plan.start_order):
        return plan
    return plan.model_copy(update={"start_order": left}) if len(left) >= 2 else None


def _replanned(setting: Setting, budget: Budget, first_fork: Seconds) -> tuple[Setting, list[TrialPlan]]:
    """As many forks as the budget holds at the first fork's cost; where even the least do not fit, fewer pairs a fork.

    The number of forks comes from what they cost, never from what they showed, so the interval keeps its meaning.
    """
    old = setting.schedule
    forks = min(len(old.trials), max(budget.least_forks, int(budget.seconds / first_fork)))
    pairs = old.pairs_per_cell
    excess = first_fork * forks - budget.seconds
    if excess > 0:
        cost_of_pair = len(old.cells) * len(old.subjects) * (old.slice_seconds + 0.25)
        pairs = max(design.LEAST_PAIRS, pairs - round(excess / (forks - 1) / cost_of_pair + 0.5))
    trials = old.trials[:forks]
    new = old.model_copy(update={"trials": trials, "pairs_per_cell": pairs})
    _store(setting.folder / "schedule.json", new.model_dump_json(indent=1))
    changed = Setting(**{**vars(setting), "schedule": new, "forks": len(trials)})
    return changed, trials


def _partial(folder: Path) -> str:
    """Report on what an interrupted run has, as a line for the user."""
    try:
        analyse.analyse(folder)
        return f"stopped; what was measured is in {report.write_report(folder)}"
    except SteelyardError as error:
        return f"stopped; what was measured is in {folder} ({error.message})"


def _make_folder(study: str, settings: design.Settings, out: Path | None) -> Path:
    base = out or (Path(settings.out) if settings.out else Path("runs"))
    name = f"{settings.out_prefix or study}-{datetime.now():%Y-%m-%d-%H%M%S}"
    folder = base / name
    try:
        (folder / "trials").mkdir(parents=True)
    except OSError as error:
        raise StoreError(
            f"the run's folder {folder} cannot be made: {error.strerror}", hint="--out names another place"
        ) from None
    return folder


def _store(path: Path, text: str) -> None:
    try:
        part = path.with_name(path.name + ".part")
        part.write_text(text + "\n", encoding="utf-8")
        part.rename(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}", hint="is the disk full?") from None
