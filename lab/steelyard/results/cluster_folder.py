"""The folder of a run on several machines: cluster.json, and in machines/ a folder per machine with its trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from ..base.csvfiles import is_stored, names_in, read_document, write_text
from ..base.errors import ConfigurationError, StoreError
from ..base.validation import named_problem
from ..models.cluster import ClusterRun, Machine
from ..models.records import TrialRecord

CLUSTER, MACHINES = "cluster.json", "machines"
VERDICT = "machines.json"


def is_cluster(folder: Path) -> bool:
    """Whether a folder is that of a run on several machines."""
    return is_stored(folder / CLUSTER)


def read_cluster(folder: Path) -> ClusterRun:
    """The cluster file of a run; raises StoreError, and ConfigurationError where there is no such folder."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is not a folder", hint="name the folder that `steelyard run` wrote")
    try:
        return ClusterRun.model_validate(read_document(folder / CLUSTER))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise StoreError(f"{folder / CLUSTER}: {named_problem(where, first)}") from None


def write_cluster(folder: Path, cluster: ClusterRun) -> None:
    """Write cluster.json whole; raises StoreError."""
    write_text(folder / CLUSTER, cluster.model_dump_json(indent=1) + "\n")


def machine_folder(folder: Path, machine: str) -> Path:
    """The folder of a machine's own run, by the name of the machine."""
    return folder / MACHINES / machine


def ended_trials(folder: Path, machine: str) -> Iterator[TrialRecord]:
    """The records of the trials that a machine returned, complete or failed, in order; damaged ones are left out."""
    trials = machine_folder(folder, machine) / "trials"
    for name in names_in(trials):
        path = trials / name / "trial.json"
        if not is_stored(path):
            continue
        try:
            record = TrialRecord.model_validate(read_document(path))
        except (StoreError, ValidationError):
            continue
        if record.status != "interrupted":
            yield record


def home_of(folder: Path, cluster: ClusterRun) -> dict[int, str]:
    """The name of the machine that ran each returned trial, by the number of the trial."""
    return {
        record.number: machine.name for machine in cluster.machines for record in ended_trials(folder, machine.name)
    }


def write_machine_schedule(folder: Path, cluster: ClusterRun, machine: Machine, home: Mapping[int, str]) -> None:
    """Write a machine's own schedule: its trials, and its planned trials that nobody ran; raises StoreError."""
    own = {number for number in machine.trials if home.get(number, machine.name) == machine.name}
    own |= {number for number, name in home.items() if name == machine.name}
    trials = [trial for trial in cluster.schedule.trials if trial.number in own]
    schedule = cluster.schedule.model_copy(update={"trials": trials})
    write_text(machine_folder(folder, machine.name) / "schedule.json", schedule.model_dump_json(indent=1) + "\n")
