"""A grid's throughput as indices: each subject's over the reference's, cell by cell, with what it used and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..models.outputs import GridRow
from ..models.records import Cell
from ..store.stored_run import Run, Trial
from ..store.tables import stored_sizes
from .analysis import Analysis
from .figures import ForkFigure

TPS = "throughput"


def rows(analysis: Analysis) -> tuple[GridRow, ...]:
    """A row for each cell of a grid and each subject, in the schedule's order; none where the study has no grid."""
    run = analysis.run
    cells = [cell for cell in run.schedule.cells if cell.payload or cell.family]
    if not cells:
        return ()
    sizes = stored_sizes(run.folder / "corpus")
    return tuple(_row(analysis, cell, subject, sizes) for cell in cells for subject in run.schedule.subjects)


def figure(analysis: Analysis, cell: Cell, subject: str, measure: str) -> ForkFigure | None:
    """A subject's value of a measure in a cell over all forks; None where the registry has no such measure."""
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
    """The interval of a subject's ratio to the reference, on a measure in a cell; None where there is none."""
    reference = analysis.run.schedule.reference
    for judgement in analysis.judgements:
        compared = judgement.compared
        if (compared.cell.name, compared.a, compared.b, compared.measure.name) == (
            cell.name,
            subject,
            reference,
            measure,
        ):
            return None if compared.interval is None else (compared.interval.low, compared.interval.high)
    return None


def _row(analysis: Analysis, cell: Cell, subject: str, sizes: Mapping[str, float]) -> GridRow:
    own, reference = (figure(analysis, cell, label, TPS) for label in (subject, analysis.run.schedule.reference))
    tps = own.value if own is not None else None
    due = reference.value if reference is not None else None
    used = [share for trial in analysis.run.trials for share in _processor_shares(trial, cell, subject)]
    spent, elapsed = sum(cpu for cpu, _ in used), sum(ns for _, ns in used)
    asked = [sizes[name] for name in cell.asked if name in sizes]
    return GridRow(
        use_case=cell.operation,
        payload=cell.payload,
        users=cell.users,
        subject=subject,
        tps=tps,
        index=tps / due if tps is not None and due else None,
        interval=interval(analysis, cell, subject, TPS),
        bytes=asked[0] if len(asked) == 1 else None,
        cpu_mean=100 * spent / elapsed if elapsed else None,
        cpu_max=max((100 * cpu / ns for cpu, ns in used), default=None),
        ended=_ended(analysis.run, subject),
    )


def _processor_shares(trial: Trial, cell: Cell, subject: str) -> Iterator[tuple[int, int]]:
    """Of each measured slice, the processor time that the judged processes used, and how long it was, in ns."""
    for number in trial.measured.get((cell.name, subject), {}).values():
        elapsed = trial.observed_ns(number)
        spent = sum(process.cpu_ns for process in trial.observations.get(number, ()) if process.judged)
        if elapsed:
            yield spent, elapsed


def _ended(run: Run, subject: str) -> str:
    """`complete`, or the kind of the first failure that the subject had, or that no subject had to itself."""
    for trial in run.trials:
        failure = trial.record.failure if trial.record is not None else None
        if failure is not None and failure.subject in (subject, None):
            return failure.kind
    return "complete" if any(trial.status == "complete" for trial in run.trials) else "interrupted"
