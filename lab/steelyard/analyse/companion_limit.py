"""Whether a companion, such as a database, was the limit: a ratio of throughput then says nothing about the servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..base.text import join_words
from ..models.records import Cell, ProcessRecord
from ..plan.designs import design_named
from ..plan.kinds import kind_of
from ..results.stored_run import Run, Trial
from ..results.tables import SliceRow
from .instrument import Finding, Level
from .pairing import counted_slices

CHECK = "Companion's processor"
LIMIT = 0.90
_LEAST_PART = 0.10  # of its processors: a companion that uses less is no limit, whatever else runs there


@dataclass(frozen=True)
class _Use:
    """Shares of a companion's processors: its own use, and that of the engine and of the servers where they have the same ones."""

    own: float
    engine: float
    servers: float

    @property
    def whole(self) -> float:
        return self.own + self.engine + self.servers


def examine_companions(run: Run) -> Iterator[Finding]:
    """A finding for each cell, subject and companion under steady load."""
    if not design_named(run.schedule.design).starts:
        return
    for cell in run.schedule.cells:
        for subject in run.schedule.subjects_in(cell) if kind_of(cell).name == "steady" else ():
            for role in _roles(run, subject):
                yield from _finding(run, cell, subject, role)


def _roles(run: Run, subject: str) -> list[str]:
    return list(dict.fromkeys(each.role for trial in run.trials for each in _companions(trial, subject)))


def _companions(trial: Trial, subject: str) -> list[ProcessRecord]:
    """The companions of a subject."""
    records = {record.label: record for record in trial.record_or_empty.subjects}
    record = records.get(subject)
    return [] if record is None else [process for process in record.processes if not process.judged]


def _finding(run: Run, cell: Cell, subject: str, role: str) -> Iterator[Finding]:
    uses = [use for trial in run.trials if (use := _use(trial, cell, subject, role)) is not None]
    if not uses:
        return
    count = len(uses)
    mean = _Use(*(sum(getattr(use, part) for use in uses) / count for part in ("own", "engine", "servers")))
    is_limit = mean.whole > LIMIT and mean.own >= _LEAST_PART
    parts = [f"{role} {mean.own:.0%}"] + [
        f"{name} {share:.0%}" for name, share in (("engine", mean.engine), ("server", mean.servers)) if share
    ]
    reason = (
        f"the {role} was the limit with {subject} on {cell.where}: its processors were {mean.whole:.0%} busy "
        f"({join_words(parts)}), so this is no verdict on servers"
    )
    yield Finding(
        CHECK,
        cell.name,
        subject,
        Level.INVALID if is_limit else Level.OK,
        f"{role} {mean.own:.0%}, all {mean.whole:.0%} busy",
        f"at most {LIMIT:.0%}",
        reason if is_limit else "",
    )


def _use(trial: Trial, cell: Cell, subject: str, role: str) -> _Use | None:
    """How busy a companion's processors were in the counted slices of a trial; None without any, or where they are not known."""
    process = next((each for each in _companions(trial, subject) if each.role == role), None)
    numbers = counted_slices(trial, cell.name, subject, unbroken=False)
    if process is None or not process.processors or process.host or not numbers or trial.status == "failed":
        return None
    observed = sum(trial.observed_ns(number) or 0 for number in numbers)
    if not observed:
        return None
    rows = [row for number in numbers for row in trial.observations.get(number, ())]
    processors, record = {*process.processors}, trial.record_or_empty
    own = sum(row.cpu_ns for row in rows if row.part == role)
    servers = sum(row.cpu_ns for row in rows if row.judged) if processors & {*record.server_cpus} else 0
    engine = _engine_share([trial.slices[number] for number in numbers]) if processors & {*record.engine_cpus} else 0.0
    count = len(processors)
    return _Use(own / observed / count, engine / count, servers / observed / count)


def _engine_share(rows: Sequence[SliceRow]) -> float:
    """Processors that the engine used during these slices."""
    return sum(row.engine_user_ns + row.engine_system_ns for row in rows) / sum(row.measured_ns for row in rows)
