"""One trial of a run that another machine directs: driven here like any trial, in a folder that is sent back afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..base.csvfiles import read_document, write_document
from ..base.errors import SteelyardError, StoreError
from ..base.lock import machine_lock
from ..base.progress import Progress
from ..base.validation import problem_text
from ..catalogue import entries
from ..catalogue.entries import Entry
from ..hosts import cpus, environment, subject
from ..hosts.placement import LOOPBACK
from ..models.records import Schedule
from ..models.service import Service
from ..plan.run_parameters import Request, merge_parameters
from ..plan.subjects import subjects_of
from ..results.live_file import LiveFile
from ..results.setup import setup_differences
from .hosting import share_processors
from .main_job import service_of, setting_of
from .trial import trial as drive
from .trial.engine_pilot import with_engine_threads

# The versions that must be equal on all machines of a run; the machines themselves may differ.
_ALIKE = ("steelyard", "git", "engine", "service")


class UnfitError(SteelyardError):
    """This machine cannot drive trials of that run."""


def required_versions(service: Entry[Service]) -> dict[str, Any]:
    """The versions of the directing machine that a worker must also have."""
    described = environment.describe([], cpus.share(), [], service=service)
    return {name: json.loads(json.dumps(described[name])) for name in _ALIKE if name in described}


def drive_handed(
    folder: Path, same: Mapping[str, Any], command: Sequence[str], progress: Progress, *, all_spellings: bool
) -> None:
    """Drive the one trial of the schedule in `folder`, which holds a run's study.toml and schedule.json; `same` must be equal
    here.

    The machine is locked meanwhile. Raises LockError where it is locked already, UnfitError where it has another version,
    TrialFailedError where the trial failed and is stored as failed, and any other error that prevents trials here.
    """
    study = entries.study(str(folder / "study.toml"))
    schedule = _schedule(folder)
    service = service_of(study.model)
    with machine_lock(" ".join(command)):
        _require_alike(same, required_versions(service))
        specs = subjects_of(study.model, schedule.asked or schedule.subjects)
        shares = share_processors(specs, schedule, None, LOOPBACK)
        subjects = subject.all_provided(specs, service, progress)
        service = subject.service_as_run(service, subjects)
        described = environment.describe(subjects, shares, command, study.model.name, service)
        write_document(folder / "environment.json", described)
        settings = merge_parameters(study.model, Request(settings=schedule.parameters))
        setting = setting_of(study.model, schedule, service, subjects, settings, folder, shares, progress)
        with LiveFile(folder, progress, shares.server) as live_file, progress.followed_by(live_file):
            drive.run_trial(with_engine_threads(setting), schedule.trials[0], all_spellings=all_spellings)


def _schedule(folder: Path) -> Schedule:
    try:
        return Schedule.model_validate(read_document(folder / "schedule.json"))
    except ValidationError as error:
        raise StoreError(f"{folder / 'schedule.json'}: {problem_text(error.errors()[0])}") from None


def _require_alike(wanted: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Raise UnfitError with the first difference between two machines' versions."""
    for difference in setup_differences(wanted, here):
        raise UnfitError(f"it has another setup than the run: {difference}", hint="install the same version there")
