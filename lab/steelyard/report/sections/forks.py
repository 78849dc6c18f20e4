"""Fork by fork: start, warm-up, compilation, collector, and voided slices with reasons.

For the page's script: every slice over time, and tests that are one slice in intervals of some seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from ...analyse.analysis import Analysis
from ...analyse.blocks import Series, series_of
from ...analyse.pairing import Void, slice_voids
from ...base.text import plural, short_text, value_text
from ...models.records import SlicePlan, SubjectRecord
from ...plan.kinds import unbroken
from ...results.collector_log import CollectorLog
from ...results.stored_run import Run, Trial
from ...results.tables import SliceRow
from ..drawing import COLOURS
from ..script import data_block
from ..section import Section
from ..subjects import cells, full_label

DATA = "forks-data"
COLLECTOR_FACTOR = "gc"
# The columns of a slice in the data: cell and subject by place, its start (s after the trial's first slice), and its figures.
COLUMNS = ("cell", "subject", "phase", "at", "throughput", "mean_ms", "cpu_us", "compiler", "collector", "voided")
# The columns of an interval of a test that is one slice: its end (s after the test's start), users at its end, and its figures.
INTERVAL_COLUMNS = ("at", "users", "throughput", "mean_ms", "failed_per_s")
MOST_INTERVALS = 40


@dataclass(frozen=True)
class ForkRow:
    """One subject in one trial, as text; empty where nothing was recorded."""

    trial: int
    subject: str
    ended: str
    up: str
    warm_up: str
    slices: str
    compiler: str
    collector: str
    paused: str
    voided: str


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no trial had any load."""
    run = analysis.run
    rows = [_row(run, trial, label) for trial in run.trials if trial.slices for label in trial.planned.start_order]
    if not rows:
        return None
    return {
        "rows": rows,
        "collectors": any(row.collector for row in rows),
        "pauses": any(row.paused != "-" for row in rows),
        "data": data_block(DATA, data(run)),
    }


def data(run: Run) -> Mapping[str, object]:
    """The data of the script.

    Names by place; every slice of every trial as a list in the order of COLUMNS; and by the places of those that are a whole
    test their intervals, each a list in the order of INTERVAL_COLUMNS.
    """
    return {
        "subjects": [full_label(run, label) for label in run.schedule.subjects],
        "cells": [cell.name for cell in cells(run)],
        "colours": len(COLOURS),
        "columns": COLUMNS,
        "interval_columns": INTERVAL_COLUMNS,
        "trials": [_trial(run, trial) for trial in run.trials if trial.slices],
    }


def _trial(run: Run, trial: Trial) -> Mapping[str, object]:
    driven = [row.slice for row in _planned_slices(run, trial)]
    whole = {cell.name for cell in run.schedule.cells if unbroken(run.schedule, cell)}
    intervals = {
        place: rows
        for place, number in enumerate(driven)
        if trial.plans[number].phase == "measure"
        and trial.plans[number].cell in whole
        and number in trial.ticks_by_slice
        and (rows := list(_intervals(series_of(trial, number))))
    }
    content: dict[str, object] = {"number": trial.number, "slices": list(_slices(run, trial))}
    return content | ({"intervals": intervals} if intervals else {})


def _row(run: Run, trial: Trial, label: str) -> ForkRow:
    record = next((each for each in trial.record_or_empty.subjects if each.label == label), None)
    driven = [plan for plan in trial.plans.values() if plan.subject == label and plan.number in trial.slices]
    measured = [plan for plan in driven if plan.phase == "measure"]
    shares = [share for plan in measured if (share := trial.jit_share(plan.number)) is not None]
    logs = _logs(trial, label)
    paused = sum(_paused_ms(trial, logs, plan.number) for plan in measured)
    voided = Counter(void.value for plan in measured for void in _voids(run, trial, plan)[:1])
    return ForkRow(
        trial=trial.number,
        subject=full_label(run, label),
        ended=trial.status,
        up=value_text(record.start_seconds) if record is not None else "-",
        warm_up=_warm_up(trial, label),
        slices=str(len(measured)),
        compiler=short_text(100 * fmean(shares)) if shares else "-",
        collector=_collector(record, logs),
        paused=value_text(paused) if logs else "-",
        voided=", ".join(f"{plural(count, 'slice')}: {why}" for why, count in sorted(voided.items())),
    )


def _warm_up(trial: Trial, label: str) -> str:
    """Such as "settled after 12.1 s"; the longest of several cells."""
    steady = [each for each in trial.record_or_empty.steady if each.subject == label]
    if not steady:
        return "-"
    seconds = max(each.seconds for each in steady)
    return f"settled after {value_text(seconds)} s" if all(each.met for each in steady) else "did not settle"


def _collector(record: SubjectRecord | None, logs: list[CollectorLog]) -> str:
    """The collector in the log, else in the subject's factor."""
    named = dict.fromkeys(log.collector for log in logs if log.collector)
    factor = record.factors.get(COLLECTOR_FACTOR, "") if record is not None else ""
    return ", ".join(named) or factor


def _logs(trial: Trial, label: str) -> list[CollectorLog]:
    return [log for place, log in trial.collectors.items() if place.startswith(f"{label}.")]


def _paused_ms(trial: Trial, logs: list[CollectorLog], number: int) -> float:
    row = trial.slices[number]
    return sum(log.paused_ns(row.begin_ns, row.end_ns) for log in logs) / 1e6


def _voids(run: Run, trial: Trial, plan: SlicePlan) -> tuple[Void, ...]:
    """Why a slice does not count. Warm-up slices never count and have no reason."""
    if plan.phase != "measure":
        return ()
    cell = next(cell for cell in run.schedule.cells if cell.name == plan.cell)
    return slice_voids(trial, plan.number, unbroken=unbroken(run.schedule, cell))


def _planned_slices(run: Run, trial: Trial) -> list[SliceRow]:
    """The slices that were planned, in order of time."""
    rows = sorted(trial.slices.values(), key=lambda row: (row.begin_ns, row.slice))
    return [row for row in rows if row.slice in trial.plans and trial.plans[row.slice].subject in run.schedule.subjects]


def _intervals(seconds: Series) -> Iterator[list[object]]:
    """Groups of so many seconds that at most MOST_INTERVALS remain."""
    width = max(1, -(-len(seconds.second) // MOST_INTERVALS))
    failed = seconds.failed_per_s * seconds.seconds
    for begin in range(0, len(seconds.second), width):
        part = slice(begin, begin + width)
        length, completed = float(seconds.seconds[part].sum()), float(seconds.completed[part].sum())
        yield [
            round(float(seconds.second[part][-1]), 1),
            int(seconds.users[part][-1]),
            _round_digits(completed / length),
            _round_digits(1000 * float(seconds.spent_s[part].sum()) / completed) if completed else None,
            _round_digits(float(failed[part].sum()) / length),
        ]


def _slices(run: Run, trial: Trial) -> Iterator[list[object]]:
    """In order of time."""
    places = {cell.name: place for place, cell in enumerate(cells(run))}
    subjects = {label: place for place, label in enumerate(run.schedule.subjects)}
    logs = {label: _logs(trial, label) for label in trial.planned.start_order}
    begun = min(row.begin_ns for row in trial.slices.values())
    for row in _planned_slices(run, trial):
        plan = trial.plans[row.slice]
        judged = trial.warm_up_slice(row.slice)
        why = [
            void.value if void is not Void.ENGINE else f"{void.value} ({row.why_not})"
            for void in _voids(run, trial, plan)
        ]
        yield [
            places[plan.cell],
            subjects[plan.subject],
            plan.phase,
            round((row.begin_ns - begun) / 1e9, 1),
            _round_digits(row.throughput_per_s) if row.seconds else None,
            _round_digits(row.response_ns_sum / row.completed / 1e6) if row.completed else None,
            _round_digits(judged.cpu_ns_per_request / 1000) if judged.cpu_ns_per_request is not None else None,
            round(100 * judged.jit_share, 2) if judged.jit_share is not None else None,
            _round_digits(_paused_ms(trial, logs[plan.subject], row.slice)) if logs[plan.subject] else None,
            ", ".join(why),
        ]


def _round_digits(value: float) -> float | int:
    """The value with three or four digits."""
    return round(value) if abs(value) >= 1000 else float(f"{value:.3g}")


SECTION = Section("forks", content)
