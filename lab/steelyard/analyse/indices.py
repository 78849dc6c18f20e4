"""A grid's throughput as indices to the reference, cell by cell, with resource use and how each subject ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.csvfiles import write_table
from ..models.outputs.run import GridRow
from ..models.records import Cell
from ..results.stored_run import Run, Trial
from ..results.tables import request_bytes, stored_sizes
from .analysis import Analysis
from .endings import Ending, endings
from .figures import ForkFigure
from .pairing import answered_late, measured_slices
from .ratios import fork_slices

TPS = "throughput"
FILE_NAME = "grid.csv"
COLUMNS = tuple(GridRow.model_fields)


@dataclass(frozen=True)
class _Share:
    """A rate: its mean over all slices that count, and its highest value in one of them; None where no slice counts."""

    mean: float | None
    highest: float | None


def rows(analysis: Analysis) -> tuple[GridRow, ...]:
    """One row for each grid cell and subject, in the schedule's order; none where the study has no grid."""
    run = analysis.run
    cells = [cell for cell in run.schedule.cells if cell.in_grid]
    if not cells:
        return ()
    sizes, formats = stored_sizes(run.folder / "corpus"), run.formats
    ended = {(ending.cell.name, ending.subject): ending for ending in endings(run)}
    return tuple(
        _row(
            analysis,
            cell,
            subject,
            request_bytes(cell, sizes, formats.get(subject, "")),
            ended.get((cell.name, subject)),
        )
        for cell in cells
        for subject in run.schedule.subjects
        if not ended or (cell.name, subject) in ended
    )


def write(analysis: Analysis, folder: Path) -> None:
    """Write grid.csv into a folder, the rows as a table; nothing where the study has no grid. Raises StoreError."""
    lines = [row.model_dump() for row in rows(analysis)]
    if lines:
        write_table(folder / FILE_NAME, COLUMNS, ([_text(line[name]) for name in COLUMNS] for line in lines))


def _text(value: object) -> object:
    """A payload as `Lines=10 Sublines=60`, an interval as its ends with a space between, texts with semicolons; empty for None."""
    if isinstance(value, dict):
        return " ".join(f"{name}={size}" for name, size in value.items())
    if isinstance(value, list):
        return "; ".join(value)
    if isinstance(value, tuple):
        return " ".join(str(end) for end in value)
    return "" if value is None else value


def figure(analysis: Analysis, cell: Cell, subject: str, measure: str) -> ForkFigure | None:
    """A subject's value of a measure in a cell over all forks; None for an unknown measure."""
    return next(
        (
            candidate
            for candidate in analysis.figures
            if candidate.fork is None
            and (candidate.cell.name, candidate.subject, candidate.measure.name) == (cell.name, subject, measure)
        ),
        None,
    )


def interval(analysis: Analysis, cell: Cell, subject: str, measure: str) -> tuple[float, float] | None:
    """The interval of a subject's ratio to the reference, for a measure in a cell; None where there is none."""
    reference = analysis.run.schedule.reference
    for judgement in analysis.judgements:
        compared = judgement.compared
        if (compared.cell.name, compared.a, compared.b, compared.measure.name) == (
            cell.name,
            subject,
            reference,
            measure,
        ):
            return compared.bounds
    return None


def carried_bytes_per_s(environment: Mapping[str, Any]) -> float | None:
    """The capacity per direction of the link to the subjects' host, or of loopback without a declared host; None if unknown."""
    link = environment.get("link")
    carried = link.get("bytes_per_s") if isinstance(link, Mapping) else environment.get("loopback_bytes_per_s")
    return float(carried) if isinstance(carried, int | float) else None


def _row(analysis: Analysis, cell: Cell, subject: str, size: float | None, ending: Ending | None) -> GridRow:
    own, reference = (figure(analysis, cell, label, TPS) for label in (subject, analysis.run.schedule.reference))
    tps = own.value if own is not None else None
    due = reference.value if reference is not None else None
    counted = [(trial, number) for trial, numbers in fork_slices(analysis.run, cell, subject) for number in numbers]
    used = _share(_processor_shares(counted))
    driven = [trial.slices[number] for trial, number in counted]
    engine = _share((row.engine_user_ns + row.engine_system_ns, row.measured_ns) for row in driven)
    by_engine = _share((row.bytes_out, row.seconds) for row in driven).mean
    by_server = _share((row.bytes_in, row.seconds) for row in driven).mean
    carried = carried_bytes_per_s(analysis.run.environment)
    return GridRow(
        use_case=cell.operation,
        payload=cell.payload,
        users=cell.users,
        subject=subject,
        tps=tps,
        index=tps / due if tps is not None and due else None,
        interval=interval(analysis, cell, subject, TPS),
        bytes=size,
        cpu_mean=_percent(used.mean),
        cpu_max=_percent(used.highest),
        engine_cpu_mean=_percent(engine.mean),
        engine_cpu_max=_percent(engine.highest),
        engine_bytes_per_s=by_engine,
        server_bytes_per_s=by_server,
        engine_bandwidth=_percent(by_engine, carried),
        server_bandwidth=_percent(by_server, carried),
        ended=_ending_kind(analysis.run, cell, subject),
        printed=cell.printed,
        assumed=cell.assumed,
        **_ending_columns(ending),
    )


def _ending_columns(ending: Ending | None) -> dict[str, Any]:
    """The columns on how a subject ended in a reliability cell."""
    if ending is None:
        return {}
    state = None if ending.state is None else ending.state.value
    return {"state": state, "why": ending.why, "response_ms": ending.response_ms}


def _share(parts: Iterable[tuple[float, float]]) -> _Share:
    """Amounts per duration, slice by slice."""
    known = list(parts)
    elapsed = sum(long for _, long in known)
    mean = sum(spent for spent, _ in known) / elapsed if elapsed else None
    return _Share(mean, max((spent / long for spent, long in known), default=None))


def _percent(value: float | None, of: object = 1) -> float | None:
    return 100 * value / of if value is not None and isinstance(of, int | float) and of > 0 else None


def _processor_shares(counted: Iterable[tuple[Trial, int]]) -> Iterator[tuple[int, int]]:
    """For each slice, the processor time of the judged processes and the observed time, in ns."""
    for trial, number in counted:
        elapsed = trial.observed_ns(number)
        spent = sum(process.cpu_ns for process in trial.observations.get(number, ()) if process.judged)
        if elapsed:
            yield spent, elapsed


def _ending_kind(run: Run, cell: Cell, subject: str) -> str:
    """How the trials with this cell ended for the subject: `complete`, or the kind of the first failure.

    A failure counts if it is the subject's, or that of no single subject. `too-slow`: no trial failed, but all its slices of the
    cell ended before an answer.
    """
    trials = [trial for trial in run.trials if trial.planned.cell in ("", cell.name)]
    for trial in trials:
        failure = trial.record_or_empty.failure
        if failure is not None and failure.subject in (subject, None):
            return failure.kind
    whole = [trial for trial in trials if trial.status == "complete" and subject in trial.planned.start_order]
    if not whole:
        return "interrupted"
    measured = [
        trial.slices[number] for trial in whole for number in measured_slices(trial, cell.name, subject).values()
    ]
    return "too-slow" if measured and all(map(answered_late, measured)) else "complete"
