"""Resuming a stopped run: its completed trials, its remaining trials, and whether the setup is still the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..analyse.endings import is_expected_result
from ..base.csvfiles import read_document
from ..base.errors import StoreError
from ..models.records import Schedule
from ..results.setup import setup_differences
from ..results.stored_run import Run, read_run

# A failed start is final for a subject; a failure under load may be chance, and the next fork tries again.
NEVER_STARTED = frozenset({"not-ready", "contract"})


@dataclass(frozen=True)
class ResumeState:
    """The state of a run so far: trials that stay, subjects that could not be started, and seconds spent.

    `damaged` has a sentence for each trial that is repeated because its files cannot be read.
    """

    done: frozenset[int] = frozenset()
    broken: Mapping[str, str] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    seconds: float = 0.0
    damaged: tuple[str, ...] = ()


def resume_state(folder: Path) -> tuple[Schedule, ResumeState]:
    """The schedule of a stopped run and its state. Raises StoreError."""
    run = read_run(folder)
    standing = _standing(run)
    if _has_all(run, standing):
        raise StoreError(
            f"{folder} is complete: nothing is left to resume", hint="`steelyard report` rebuilds its report"
        )
    return run.schedule, standing


def is_complete(folder: Path) -> bool:
    """Whether no trial of a run remains. Raises StoreError."""
    run = read_run(folder)
    return _has_all(run, _standing(run))


def _has_all(run: Run, standing: ResumeState) -> bool:
    return len(standing.done) >= len(run.schedule.trials)


def set_aside_trials(folder: Path, standing: ResumeState) -> None:
    """Rename the folders of incomplete trials, so that their numbers are free."""
    for trial in read_run(folder).trials:
        if trial.number not in standing.done:
            _set_aside(trial.folder)


def _standing(run: Run) -> ResumeState:
    ended = [trial.record for trial in run.trials if trial.record is not None and trial.status != "interrupted"]
    failed = [record.failure for record in ended if record.failure is not None]
    return ResumeState(
        done=frozenset(record.number for record in ended),
        broken={
            failure.subject: failure.message
            for failure in failed
            if failure.kind in NEVER_STARTED and failure.subject is not None
        },
        failures=tuple(failure.message for failure in failed if not is_expected_result(run.schedule, failure)),
        seconds=sum(record.seconds for record in ended),
        damaged=tuple(
            f"trial {trial.number} is damaged and repeated: {trial.damage}"
            for trial in run.trials
            if trial.damage is not None
        ),
    )


def _set_aside(trial: Path) -> None:
    number = 1
    while (aside := trial.with_name(f"{trial.name}.stopped-{number}")).exists():
        number += 1
    trial.rename(aside)


def require_same_setup(folder: Path, now: Mapping[str, Any]) -> None:
    """Raise StoreError with the first difference between the setup now and at the start of the run."""
    path = folder / "environment.json"
    try:
        then = read_document(path)
    except StoreError as error:
        raise StoreError(f"the setup at the start of the run is unknown: {error.message}") from None
    for difference in setup_differences(then, json.loads(json.dumps(now))):  # converted as for storage
        raise StoreError(
            f"{folder.name} was started with another setup: {difference}",
            hint="forks of two setups are not one sample, so start a new run",
        )
