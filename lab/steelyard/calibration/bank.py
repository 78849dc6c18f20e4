"""The bank: every slice of every fork of a calibration, in tables small enough to keep.

All figures are rebuilt from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from ..analyse.pairing import slice_voids
from ..base.csvfiles import Row, read_document, write_document
from ..base.typed_rows import read_rows, write_rows
from ..models.records import SlicePlan, TrialRecord
from ..models.study import Study, SubjectSpec
from ..results.stored_run import Trial
from ..results.tables import Observation, SliceRow

SLICES, FORKS, TAILS, SETUP, STUDY = "slices.csv", "forks.csv", "tails.csv", "environment.json", "study.toml"
LEAST_BEYOND = 10  # answers needed beyond a percentile to report it


@dataclass(frozen=True)
class SliceEntry:
    """One slice. `subject` is the process that took the load, `label` the face of it, `level` the planted slow-down
    (0.05 is 5%).

    `begin_ns` and `end_ns` (CLOCK_MONOTONIC) bound the measured time; `measured_ns` is the slice's own part of it if
    the slices of a round took turns. `spent_ns` is the total cost with pause, lead-in and drain (a share of the round's
    with turns). `cpu_ns` and `jit_ns` are the process's over `observed_ns`, which includes lead-in, drain and the turns
    of other levels. `cpu_own_ns` is the CPU time in the slice's own complete turns, which answered `completed` requests
    (-1: unknown). `voided` is the reason why the slice does not count (empty if it counts); `steal_s` is summed over
    processors. `round` is -1 outside the measured phase.
    """

    fork: int
    slice: int
    round: int
    subject: str
    label: str
    level: float
    phase: str
    begin_ns: int
    end_ns: int
    measured_ns: int
    spent_ns: int
    completed: int
    lead_in_completed: int
    response_ns_sum: int
    observed_ns: int
    cpu_ns: int
    jit_ns: int
    engine_cpu_ns: int
    voided: str
    steal_s: float
    lateness_p99_ns: int
    cpu_own_ns: int = -1

    @property
    def throughput_per_s(self) -> float:
        """Right answers per second of the measured time."""
        return self.completed / self.measured_ns * 1e9


@dataclass(frozen=True)
class ForkEntry:
    """One fork, with the seconds for starting both processes, warm-up, measuring, and the rest.

    `steady` is 1 if both reached a steady state; `not_good` lists what doctor found wrong with the machine before it.
    `planted_for_us` is the CPU time of a request, in microseconds, to which its levels refer (0: the setup's).
    """

    fork: int
    seed: int
    begun: str
    status: str
    why_not: str
    seconds: float
    start_seconds: float
    warm_up_seconds: float
    measured_seconds: float
    other_seconds: float
    steady: int
    not_good: str
    planted_for_us: float = 0.0


@dataclass(frozen=True)
class TailEntry:
    """The 99th percentile of response time of one process in one fork under open load, over all its valid slices."""

    fork: int
    label: str
    requests: int
    p99_us: float


@dataclass(frozen=True)
class Bank:
    """All forks so far in order, with the setup that they share. `tails` exist only for open load."""

    setup: Mapping[str, Any]
    forks: Sequence[ForkEntry]
    slices: Sequence[SliceEntry]
    tails: Sequence[TailEntry] = ()

    @property
    def complete(self) -> list[ForkEntry]:
        """The forks that ended as planned, in order."""
        return [fork for fork in self.forks if fork.status == "complete"]

    def planted_us(self, fork: ForkEntry, level: float) -> float:
        """The CPU time in microseconds that a level added to each request of a fork."""
        return level * (fork.planted_for_us or float(self.setup["cpu_us_per_request"]))

    def sitting_of(self, fork: ForkEntry) -> int:
        """The number of the sitting, from 1, in which a fork was measured."""
        return sum(sitting.get("begun", "") <= fork.begun for sitting in self.setup["sittings"])

    def with_fork(self, fork: ForkEntry, slices: Sequence[SliceEntry], tails: Sequence[TailEntry] = ()) -> Bank:
        """The bank and one more fork."""
        return Bank(self.setup, [*self.forks, fork], [*self.slices, *slices], [*self.tails, *tails])


def entries(trial: Trial, study: Study) -> tuple[ForkEntry, list[SliceEntry]]:
    """The entries of a finished trial; raises StoreError if its files are damaged."""
    record = trial.record
    assert record is not None
    known = {subject.label: subject for subject in study.subjects if isinstance(subject, SubjectSpec)}
    slices: list[SliceEntry] = []
    spent = _spent_ns(trial)
    for plan in record.slices:
        row, seen = trial.slices.get(plan.number), trial.observations.get(plan.number, ())
        if row is None or not seen:
            continue
        slices.append(_slice_entry(trial, plan, known[plan.subject], row, seen, spent[plan.number]))
    return _fork_entry(trial, record, slices), slices


def tails(trial: Trial, study: Study, slices: Sequence[SliceEntry]) -> list[TailEntry]:
    """The tails of a trial under open load, from rounds in which all slices count; empty under closed load."""
    if study.rate is None:
        return []
    measured = [entry for entry in slices if entry.phase == "measure"]
    voided = {entry.round for entry in measured if entry.voided}
    entries_of_tails = []
    for label in sorted({entry.label for entry in measured}):
        kept = [entry.slice for entry in measured if entry.label == label and entry.round not in voided]
        histogram = trial.histogram(kept, "response")
        if histogram.total * 0.01 >= LEAST_BEYOND:
            entries_of_tails.append(TailEntry(trial.number, label, histogram.total, round(histogram.percentile(99), 3)))
    return entries_of_tails


def _slice_entry(
    trial: Trial, plan: SlicePlan, spec: SubjectSpec, row: SliceRow, seen: Sequence[Observation], spent_ns: int
) -> SliceEntry:
    return SliceEntry(
        fork=trial.number,
        slice=plan.number,
        round=-1 if plan.pair is None else plan.pair,
        subject=spec.same_as or spec.label,
        label=spec.label,
        level=spec.slowed or 0.0,
        phase=plan.phase,
        begin_ns=row.begin_ns,
        end_ns=row.end_ns,
        measured_ns=row.measured_ns,
        spent_ns=spent_ns,
        completed=row.completed,
        lead_in_completed=row.lead_in_completed,
        response_ns_sum=row.response_ns_sum,
        observed_ns=seen[0].end_ns - seen[0].begin_ns,
        cpu_ns=sum(process.cpu_ns for process in seen if process.judged),
        jit_ns=sum(process.jit_ns for process in seen),
        engine_cpu_ns=row.engine_user_ns + row.engine_system_ns,
        voided="+".join(slice_voids(trial, plan.number)) if plan.phase == "measure" else "",
        steal_s=round(sum(processor.steal_s for processor in trial.machine.get(plan.number, ())), 2),
        lateness_p99_ns=row.lateness_p99_ns,
        cpu_own_ns=-1 if row.cpu_own_ns is None else row.cpu_own_ns,
    )


def _fork_entry(trial: Trial, record: TrialRecord, slices: Sequence[SliceEntry]) -> ForkEntry:
    starting = sum(subject.start_seconds for subject in record.subjects)
    measured = sum(piece.spent_ns for piece in slices if piece.phase == "measure") / 1e9
    warming = sum(piece.spent_ns for piece in slices if piece.phase != "measure") / 1e9
    return ForkEntry(
        fork=trial.number,
        seed=trial.planned.seed,
        begun=record.begun,
        status=record.status,
        why_not=record.failure.message if record.failure else "",
        seconds=record.seconds,
        start_seconds=round(starting, 3),
        warm_up_seconds=round(warming, 3),
        measured_seconds=round(measured, 3),
        other_seconds=round(record.seconds - starting - warming - measured, 3),
        steady=int(bool(record.steady) and all(steady.met for steady in record.steady)),
        not_good="+".join(check.name for check in record.machine if not check.good),
    )


def _spent_ns(trial: Trial) -> dict[int, int]:
    """By slice, the time from the end of the previous one to its own end; slices that took turns share it evenly."""
    assert trial.record is not None
    spent: dict[int, int] = {}
    seen = [plan for plan in trial.record.slices if plan.number in trial.slices and trial.observations.get(plan.number)]
    previous: int | None = None
    for _, group in groupby(seen, lambda plan: trial.slices_in_turns_with(plan.number)):
        numbers = [plan.number for plan in group]
        looks = [trial.observations[number][0] for number in numbers]
        ended = max(look.end_ns for look in looks)
        begun = min(look.begin_ns for look in looks) if previous is None else previous
        spent |= dict.fromkeys(numbers, (ended - begun) // len(numbers))
        previous = ended
    return spent


def write(bank: Bank, folder: Path) -> None:
    """Write the tables and environment.json, each atomically, the slices compressed; raises StoreError."""
    folder.mkdir(parents=True, exist_ok=True)
    write_document(folder / SETUP, bank.setup)
    write_rows(folder / SLICES, SliceEntry, bank.slices, packed=True)
    # Remove the plain file: readers would prefer it, and it is older.
    (folder / SLICES).unlink(missing_ok=True)
    if bank.tails:
        write_rows(folder / TAILS, TailEntry, bank.tails)
    write_rows(folder / FORKS, ForkEntry, bank.forks)


def read(folder: Path) -> Bank:
    """The bank in a folder, without forks that are in only one table (after a lab was killed between the two
    writes)."""
    forks = [fork for _, fork in read_rows(folder / FORKS, ForkEntry)]
    known = {fork.fork for fork in forks}
    unknown = {name: partial(_whole_or_unknown, name=name) for name in ("round", "cpu_own_ns")}
    slices = [entry for _, entry in read_rows(folder / SLICES, SliceEntry, derive=unknown) if entry.fork in known]
    tails = read_rows(folder / TAILS, TailEntry) if (folder / TAILS).exists() else ()
    return Bank(read_document(folder / SETUP), forks, slices, [entry for _, entry in tails if entry.fork in known])


def _whole_or_unknown(row: Row, name: str) -> int:
    """A field that is -1 where its number is unknown; older banks lack some."""
    return -1 if row.fields.get(name, "-1") == "-1" else row.whole(name)
