"""The main job, from a study to a report. `run` reads as the way of the data."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from . import analyse, catalogue, corpus, cpus, design, drive, environment, measures, report, subject
from .agents import find_agents
from .catalogue import Entry
from .drive import Setting, TrialFailedError
from .errors import SteelyardError, StoreError
from .lock import machine_lock
from .models.records import TrialPlan
from .models.service import Service
from .models.study import Study
from .models.verdict import Verdicts
from .progress import Progress
from .stopping import stopping_of
from .subject import Subject


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
    measures.registry(study.model.model_dump())  # a wrong measure of the study is an error now, not after the load
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
        )
        try:
            failures = _drive_all(setting, study.model)
        except KeyboardInterrupt:
            progress.say(_partial(folder))
            raise
    progress.show("analysing")
    if not any((folder / "trials").glob("*/slices.csv")):
        return Outcome(folder, None, None, failures or ["nothing was measured"])
    return Outcome(folder, analyse.analyse(folder), report.write_report(folder), failures)


def _provide(study: Study, request: design.Request, service: Entry[Service], progress: Progress) -> list[Subject]:
    return subject.all_provided(design.subjects_of(study, request.only), service, progress)


def _drive_all(setting: Setting, study: Study) -> list[str]:
    """Drive every trial; a failed one is a result, and the next one is started fresh. Returns what failed, in words."""
    failures: list[str] = []
    verified: set[str] = set()
    broken: dict[str, str] = {}
    begun = time.monotonic()
    enough = stopping_of(study, setting.schedule, lambda: _decided(setting.folder))
    setting.progress.plan(study.budget.seconds if study.budget else design.planned_seconds(setting.schedule))
    done = 0
    while done < len(setting.schedule.trials):
        plan = _without(setting.schedule.trials[done], broken)
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
        changed = enough(setting.schedule, done, spent)
        if changed != setting.schedule:
            _store(setting.folder / "schedule.json", changed.model_dump_json(indent=1))
            setting = replace(setting, schedule=changed)
        setting.progress.plan(spent / done * (len(setting.schedule.trials) - done))
    return failures


def _without(plan: TrialPlan, broken: dict[str, str]) -> TrialPlan | None:
    """The plan without subjects that cannot be started; None where nothing is left to compare."""
    left = [label for label in plan.start_order if label not in broken]
    if len(left) == len(plan.start_order):
        return plan
    return plan.model_copy(update={"start_order": left}) if len(left) >= 2 else None


def _decided(folder: Path) -> bool:
    """Whether what is stored so far decides every primary comparison."""
    found = analyse.analyse(folder)
    primaries = [one for one in found.comparisons if one.primary]
    return found.valid and all(one.verdict not in (None, "undecided") for one in primaries)


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
