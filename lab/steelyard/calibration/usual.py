"""`make usual-way`: benchmark runs of the usual kind on the calibration's server and slow-down, on the same day."""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from ..base import paths
from ..base.errors import StoreError
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..catalogue import entries
from ..hosts import subject
from ..measure.trial import trial as drive
from ..measure.trial.context import TrialContext, trial_folder
from ..models.records import TrialPlan
from ..models.study import Study, SubjectSpec
from ..plan.kinds import kind_of
from ..results.stored_run import read_trial
from . import bank as banking
from . import planted, usual_runs
from .collecting import setting_of
from .page_figures import USUAL_LEVEL
from .program import run_program
from .usual_runs import MEASURED_SECONDS, WARM_UP_SECONDS, UsualRun

PLAIN, SLOWED = "plain", "slowed"


def study_of(levels: Study, cpu_us_per_request: float) -> Study:
    """The two compared servers: the calibration's artifact, and the same slowed down by USUAL_LEVEL."""
    specs = {spec.label: spec for spec in planted.specs(planted.with_planted_levels(levels, cpu_us_per_request))}
    parts = specs[planted.REFERENCE].parts
    faces = ((PLAIN, specs[planted.REFERENCE]), (SLOWED, specs[planted.face(USUAL_LEVEL)]))
    subjects = [
        SubjectSpec(label=label, parts=parts, headers=spec.headers, slowed=spec.slowed) for label, spec in faces
    ]
    update = {"subjects": subjects, "reference": PLAIN, "budget": None, "warm_up_limit_seconds": WARM_UP_SECONDS}
    return levels.model_copy(update=update)


def collect(bank: Path, work: Path, runs: int, progress: Progress) -> list[UsualRun]:
    """Drive further runs of each server, alternately, each in a new process, and store each beside the bank.

    Raises SteelyardError, and KeyboardInterrupt when stopped: finished runs are kept.
    """
    if not (bank / banking.FORKS).exists():
        raise StoreError(
            f"{bank} is empty, so the cost of a request is unknown", hint="run `make calibrate-study` first"
        )
    levels = entries.study(str(bank / banking.STUDY)).model
    study = study_of(levels, float(banking.read(bank).setup["cpu_us_per_request"]))
    kept = usual_runs.read(bank)
    with machine_lock("make usual-way"):
        setting = _setting(study, work, runs, progress)
        levels_of = {spec.label: spec.slowed or 0.0 for spec in planted.specs_of(study)}
        for plan in setting.schedule.trials[len(kept) :]:
            label = plan.start_order[0]
            shutil.rmtree(trial_folder(setting.folder, plan.number), ignore_errors=True)
            record = drive.run_trial(setting, plan, all_spellings=plan.number <= len(levels_of))
            trial = read_trial(plan, trial_folder(setting.folder, plan.number))
            rate = fmean(row.throughput_per_s for row in trial.slices.values() if row.phase == "measure")
            kept.append(UsualRun(plan.number, label, levels_of[label], round(record.seconds, 3), round(rate, 3)))
            usual_runs.write(kept, bank)
            progress.print_line(f"run {plan.number}: {label}, {rate:,.0f} requests/s, {record.seconds:.0f} s")
    return kept


def _setting(study: Study, work: Path, runs: int, progress: Progress) -> TrialContext:
    subjects = subject.all_provided(planted.specs_of(study), entries.service(study.service), progress)
    setting = setting_of(study, [PLAIN, SLOWED], 1, 2 * runs, subjects, work, progress)
    trials = [
        TrialPlan(number=number, seed=plan.seed, start_order=[(PLAIN, SLOWED)[(number + number // 2) % 2]])
        for number, plan in enumerate(setting.schedule.trials, 1)
    ]
    cells = [
        cell.model_copy(update={"profile": kind_of(cell).measured_profile(cell, MEASURED_SECONDS)})
        for cell in setting.schedule.cells
    ]
    kept = {"trials": trials, "cells": cells, "design": "as-published", "turn_ms": 0, "slice_seconds": MEASURED_SECONDS}
    schedule = setting.schedule.model_copy(
        update={**kept, "pairs_per_cell": 1, "warm_up_limit_seconds": WARM_UP_SECONDS}
    )
    return replace(setting, schedule=schedule, warm_up_within=None)


def main() -> int:
    """Collect; 0 when all runs are kept, 130 when stopped, 1 on an error."""
    wishes = argparse.ArgumentParser(description=__doc__)
    wishes.add_argument("--runs", type=int, default=10, help="total runs of each of the two servers")
    wishes.add_argument("--bank", type=Path, default=paths.root() / "docs" / "results" / "calibration")
    wishes.add_argument("--work", type=Path, default=Path("runs") / "usual", help="folder for the runs' large files")
    arguments = wishes.parse_args()

    def collect_runs(progress: Progress) -> str:
        kept = collect(arguments.bank, arguments.work.resolve(), arguments.runs, progress)
        return f"{len(kept)} runs are stored in {arguments.bank}"

    return run_program(collect_runs, "finished runs are kept")


if __name__ == "__main__":
    sys.exit(main())
