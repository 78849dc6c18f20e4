"""The rates of cells in which each subject is loaded at a share of its own throughput, from the first fork that measured it."""

from __future__ import annotations

from ..base.rounding import significant
from ..models.records import Cell, Schedule
from ..results.stored_run import Run
from .pairing import counted_slices, measured_slices


def with_subject_rates(schedule: Schedule, run: Run) -> Schedule:
    """The schedule with the rates that the stored trials allow to know; a rate that is known stays as it is."""
    cells = [_with_rates(cell, schedule, run) if cell.share else cell for cell in schedule.cells]
    return schedule.model_copy(update={"cells": cells})


def lacks_rates(schedule: Schedule) -> bool:
    """Whether a cell still needs the rate of a subject."""
    return any(cell.share and not {*schedule.subjects} <= cell.subject_rates.keys() for cell in schedule.cells)


def _with_rates(cell: Cell, schedule: Schedule, run: Run) -> Cell:
    throughputs = {
        label: rate
        for label in schedule.subjects
        if label not in cell.subject_rates and (rate := _throughput(run, cell.share_of, label)) is not None
    }
    rates = {**cell.subject_rates, **{label: significant(cell.share * rate) for label, rate in throughputs.items()}}
    return cell.model_copy(update={"subject_rates": rates})


def _throughput(run: Run, cell: str, label: str) -> float | None:
    """Right answers per second of a subject in a cell of the first fork with any: of its counted slices, or else of all."""
    for trial in run.trials:
        if trial.status == "failed":
            continue
        numbers = counted_slices(trial, cell, label, unbroken=False) or measured_slices(trial, cell, label).values()
        rows = [trial.slices[number] for number in numbers if number in trial.slices]
        completed = sum(row.completed for row in rows)
        if completed:
            return completed / sum(row.seconds for row in rows)
    return None
