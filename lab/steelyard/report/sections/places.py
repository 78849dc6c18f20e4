"""Resources used by each process of a subject with several; only its own processes are judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...base.text import value_text
from ...models.records import Cell, ProcessRecord
from ...results.stored_run import Run
from ...results.tables import Observation, SliceRow
from ..section import Section
from ..subjects import cells, full_label


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where every subject is one process."""
    run = analysis.run
    used = tuple(row for cell in cells(run) for row in _usage_rows(run, cell))
    if not used:
        return None
    return {"used": used, "states": tuple(_states(run)), "reconciled": tuple(_reconciliation_sentences(run))}


def _usage_rows(run: Run, cell: Cell) -> Iterator[tuple[str, ...]]:
    """Cell, subject, place, program, processors, whether it is judged, CPU per request in µs, and highest memory in MiB."""
    for subject in run.schedule.subjects:
        measured = list(_observed_slices(run, cell, subject))
        requests = sum(row.completed + row.lead_in_completed + row.wrong for row, _ in measured)
        places = {usage.part: usage.judged for _, seen in measured for usage in seen}
        if len(places) < 2:
            continue
        for place, judged in places.items():
            used = [[usage for usage in seen if usage.part == place] for _, seen in measured]
            cost = sum(usage.cpu_ns for seen in used for usage in seen) / max(1, requests) / 1000
            highest = max(sum(usage.rss_bytes for usage in seen) for seen in used) / 2**20
            process = next(
                (process for label, process in _processes(run) if label == subject and process.role == place), None
            )
            program = f"{process.title} {process.version}" if process is not None else ""
            processors = ", ".join(map(str, process.processors)) if process is not None else ""
            numbers = value_text(cost), value_text(highest)
            yield cell.name, full_label(run, subject), place, program, processors, "yes" if judged else "no", *numbers


def _states(run: Run) -> Iterator[str]:
    """The verified initial state of companions, once each."""
    states = {
        f"{full_label(run, label)}, {process.role}: {process.state}": None
        for label, process in _processes(run)
        if process.state
    }
    yield from states


def _reconciliation_sentences(run: Run) -> Iterator[str]:
    """The results of the reconciliation after each trial."""
    for trial in run.trials:
        for reconciliation in trial.record_or_empty.reconciled:
            yield f"trial {trial.number}, {full_label(run, reconciliation.subject)}, {reconciliation.name}: {reconciliation.found}"


def _processes(run: Run) -> Iterator[tuple[str, ProcessRecord]]:
    """Every process of every trial, with the label of its subject."""
    for trial in run.trials:
        for subject in trial.record_or_empty.subjects:
            for process in subject.processes:
                yield subject.label, process


def _observed_slices(run: Run, cell: Cell, subject: str) -> Iterator[tuple[SliceRow, Sequence[Observation]]]:
    """Each measured slice, with its observations."""
    for trial in run.trials:
        for number in trial.measured_slices.get((cell.name, subject), {}).values():
            if number in trial.slices:
                yield trial.slices[number], trial.observations.get(number, ())


SECTION = Section("places", content)
