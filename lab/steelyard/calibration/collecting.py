"""Collects forks of a calibration in several sittings: a stopped sitting keeps its forks, and the next continues."""

from __future__ import annotations

import math
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ..base.csvfiles import write_text
from ..base.errors import StoreError
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..catalogue import entries
from ..hosts import cpus, environment, subject
from ..measure.hosting import apart_of
from ..measure.requests import made_requests
from ..measure.trial import trial as drive
from ..measure.trial.context import TrialContext, TrialFailedError, trial_folder
from ..models.records import Schedule, TrialPlan
from ..models.study import Study
from ..plan.budget import fit_to_budget
from ..plan.run_parameters import Request, merge_parameters
from ..plan.schedule import schedule_of
from ..plan.stopping import warm_up_within
from ..results.stored_run import read_trial
from . import bank as banking
from . import planted as levels
from .bank import Bank
from .values import request_us

MOST_FAILED_IN_A_ROW = 3
SPARE_FORKS = 20  # in addition to those wanted, to replace failed ones


@dataclass(frozen=True)
class Sitting:
    """One sitting: the bank, the folder of the trials' files, and the wanted total of complete forks.

    `budget_seconds` limits this sitting only: a fork begins only if it should end within it, except for the first
    `least_forks`, the minimum for any result. With `levels_take_turns`, a fork measures one level besides level 0.
    """

    study: Study
    bank: Path
    work: Path
    forks: int
    budget_seconds: float | None
    seed: int
    command: Sequence[str]
    least_forks: int = 0
    levels_take_turns: bool = False


def collect(sitting: Sitting, progress: Progress, after_fork: Callable[[Bank], None] = lambda _: None) -> Bank:
    """Drive forks until there are enough or the budget is used; every complete fork is banked before the next begins.

    `after_fork` is called after each. Raises SteelyardError if forks fail in a row, KeyboardInterrupt when stopped.
    """
    begun = time.monotonic()
    with machine_lock(" ".join(sitting.command)):
        setting, so_far = _set_up(sitting, progress)
        failed_in_a_row = 0
        first = len(so_far.forks)
        while len(so_far.complete) < sitting.forks:
            driven = len(so_far.forks) - first
            spent = time.monotonic() - begun
            expected = max((fork.seconds for fork in so_far.forks[-5:]), default=0.0)  # the first fork shows the cost
            used = sitting.budget_seconds is not None and spent + expected > sitting.budget_seconds
            if used and len(so_far.complete) >= sitting.least_forks:
                break
            progress.plan(_seconds_left(sitting, so_far, expected, spent))
            plan = setting.schedule.trials[len(so_far.forks)]
            cost = last_cost_us(so_far)
            shutil.rmtree(trial_folder(setting.folder, plan.number), ignore_errors=True)  # left over from a killed lab
            try:
                drive.run_trial(_planting(setting, sitting.study, cost), plan, all_spellings=driven == 0)
                failed_in_a_row = 0
            except TrialFailedError as error:
                progress.print_line(f"fork {plan.number} failed: {error.message}")
                failed_in_a_row += 1
                if failed_in_a_row == MOST_FAILED_IN_A_ROW or plan is setting.schedule.trials[-1]:
                    raise
            trial = read_trial(plan, trial_folder(setting.folder, plan.number))
            fork, slices = banking.entries(trial, sitting.study)
            tails = banking.tails(trial, sitting.study, slices)
            so_far = so_far.with_fork(replace(fork, planted_for_us=cost), slices, tails)
            banking.write(so_far, sitting.bank)
            after_fork(so_far)
    return so_far


def last_cost_us(so_far: Bank) -> float:
    """The CPU time of a request in the unslowed processes of the last complete fork, in microseconds; before the first
    fork, the pilot's.

    The host's speed varies from fork to fork, so a fork plants shares of the newest known cost. The share of its own
    cost is computed after its measurement (`values.LevelForks.planted`).
    """
    for fork in reversed(so_far.complete):
        measured = [entry for entry in so_far.slices if entry.fork == fork.fork and entry.phase == "measure"]
        cost = request_us(entry for entry in measured if entry.level == 0)
        if not math.isnan(cost):
            return round(cost, 3)
    return float(so_far.setup["cpu_us_per_request"])


def _planting(setting: TrialContext, study: Study, cost_us: float) -> TrialContext:
    """The setting with every level as a share of this cost."""
    level_of = {spec.label: spec.slowed or 0.0 for spec in levels.specs(study)}
    planted = {
        label: replace(face, headers={**face.headers, **levels.busy_header(level_of[label], cost_us)})
        for label, face in setting.subjects.items()
    }
    return replace(setting, subjects=planted)


def _set_up(sitting: Sitting, progress: Progress) -> tuple[TrialContext, Bank]:
    """Everything that the forks share. The first sitting runs a pilot to measure the cost of a request."""
    study = sitting.study
    service = entries.service(study.service)
    shares = cpus.share()
    so_far = banking.read(sitting.bank) if (sitting.bank / banking.FORKS).exists() else None
    if so_far is None:
        cost, steady = _pilot(sitting, progress)
        setup = {"cpu_us_per_request": round(cost, 3), "pilot_steady": steady, "seed": sitting.seed, "sittings": []}
        so_far = Bank(setup, [], [])
    cost, seed = float(so_far.setup["cpu_us_per_request"]), int(so_far.setup["seed"])
    planted = levels.with_planted_levels(study, cost)
    _require_same_study(sitting.bank / banking.STUDY, levels.text_of(planted))
    subjects = subject.all_provided(levels.specs(planted), service, progress)
    described = environment.describe(subjects, shares, sitting.command)
    described.pop("calibration", None)  # the owner's remarks about the machine do not belong here
    described["begun"] = datetime.now(UTC).isoformat(timespec="seconds")
    so_far = replace(so_far, setup={**so_far.setup, "sittings": [*so_far.setup["sittings"], described]})
    banking.write(so_far, sitting.bank)
    labels = [provided.label for provided in subjects]
    forks = sitting.forks + SPARE_FORKS
    setting = setting_of(planted, labels, seed, forks, subjects, sitting.work, progress)
    return (_with_levels_in_turn(setting, planted) if sitting.levels_take_turns else setting), so_far


def _with_levels_in_turn(setting: TrialContext, study: Study) -> TrialContext:
    trials = [
        trial.model_copy(
            update={
                "start_order": [label for label in trial.start_order if label in levels.of_fork(study, trial.number)]
            }
        )
        for trial in setting.schedule.trials
    ]
    schedule = setting.schedule.model_copy(update={"trials": trials})
    write_text(setting.folder / "schedule.json", schedule.model_dump_json(indent=1))
    return replace(setting, schedule=schedule)


def _pilot(sitting: Sitting, progress: Progress) -> tuple[float, bool]:
    """The CPU time of a request in microseconds, with both processes running, and whether both were steady."""
    pilot = levels.without_faces(sitting.study)
    folder = sitting.work / "pilot"
    shutil.rmtree(folder, ignore_errors=True)
    subjects = subject.all_provided(levels.specs(pilot), entries.service(pilot.service), progress)
    setting = setting_of(pilot, [provided.label for provided in subjects], sitting.seed, 1, subjects, folder, progress)
    progress.show("pilot: measuring the cost of a request")
    record = drive.run_trial(setting, setting.schedule.trials[0], all_spellings=False)
    cost = levels.cpu_us_per_request(read_trial(setting.schedule.trials[0], trial_folder(folder, 1)))
    steady = all(steadiness.met for steadiness in record.steady)
    progress.print_line(
        f"pilot: a request takes {cost:.1f} µs of the server's CPU time{'' if steady else ', not steady yet'}"
    )
    return cost, steady


def setting_of(
    study: Study,
    labels: Sequence[str],
    seed: int,
    forks: int,
    subjects: Sequence[subject.Subject],
    folder: Path,
    progress: Progress,
) -> TrialContext:
    """A setting with one trial per fork, whose seed depends only on its number, so further sittings change nothing."""
    request = Request(seed=seed)
    settings = merge_parameters(study, request)
    service = entries.service(study.service)
    compared = study.model_copy(update={"forks": study.looks[-1]}) if study.looks else study
    plain = schedule_of(compared, service.model, request, settings, settings.users or 8)
    trials = []
    for number in range(1, forks + 1):
        draw = random.Random(f"calibration {seed} {number}")
        order = list(labels)
        draw.shuffle(order)
        trials.append(TrialPlan(number=number, seed=draw.randrange(2**48), start_order=order))
    fits = _plan_as_comparison(plain, subjects)
    kept = {"pairs_per_cell": fits.pairs_per_cell, "slice_seconds": fits.slice_seconds}
    schedule = plain.model_copy(update={**kept, "trials": trials})
    (folder / "trials").mkdir(parents=True, exist_ok=True)
    write_text(folder / "study.toml", levels.text_of(study))
    write_text(folder / "schedule.json", schedule.model_dump_json(indent=1))
    made = made_requests(service, schedule, settings, folder / "corpus", count=study.corpus_entries)
    return TrialContext(
        schedule=schedule,
        service=service,
        subjects={provided.label: provided for provided in subjects},
        corpus=made.corpus,
        folder=folder,
        shares=cpus.share(),
        progress=progress,
        warm_up_within=warm_up_within(fits),
        apart=apart_of(schedule, subjects),
        load_target=made.load_target,
        credentials=made.credentials,
    )


def _plan_as_comparison(plain: Schedule, subjects: Sequence[subject.Subject]) -> Schedule:
    """The plan of a comparison of two such processes within the study's budget: number of pairs, and length of
    slices."""
    hosts = [host for host in subjects if host.same_as is None]
    trial = plain.trials[0].model_copy(update={"start_order": [host.label for host in hosts]})
    alone = plain.model_copy(update={"trials": [trial] * plain.looks[0] if plain.looks else [trial]})
    compiles = {host.label: any(part.server.model.jvm for part in host.parts) for host in hosts}
    return fit_to_budget(alone, compiles, slice_fixed=False).schedule


def _require_same_study(path: Path, text: str) -> None:
    """Store the study beside the bank; raises StoreError if the bank belongs to another study."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    elif path.read_text(encoding="utf-8") != text:
        raise StoreError(
            f"{path.parent} belongs to another study, and forks of two studies cannot be combined",
            hint="use the old study, or another folder",
        )


def _seconds_left(sitting: Sitting, so_far: Bank, expected: float, spent: float) -> float:
    mean = sum(fork.seconds for fork in so_far.forks) / len(so_far.forks) if so_far.forks else expected
    left = (sitting.forks - len(so_far.complete)) * mean
    return left if sitting.budget_seconds is None else min(left, sitting.budget_seconds - spent)
