"""What the companions of subjects used, apart from the judged figures, in which they are not counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...base.text import value_text
from ...models.records import Cell
from ...store.stored_run import Run
from ...store.tables import Observation, SliceRow
from ..section import Section
from ..subjects import called, cells


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Left out where no subject has a companion."""
    rows = tuple(row for cell in cells(analysis.run) for row in _rows(analysis.run, cell))
    return {"rows": rows} if rows else None


def _rows(run: Run, cell: Cell) -> Iterator[tuple[str, ...]]:
    """Cell, subject, companion, its processor time a request in us, and its highest resident memory in MiB."""
    for subject in run.schedule.subjects:
        measured = list(_measured(run, cell, subject))
        requests = sum(row.completed + row.lead_in_completed + row.wrong for row, _ in measured)
        for part in dict.fromkeys(process.part for _, seen in measured for process in seen if not process.judged):
            used = [[process for process in seen if process.part == part] for _, seen in measured]
            cost = sum(process.cpu_ns for seen in used for process in seen) / max(1, requests) / 1000
            highest = max(sum(process.rss_bytes for process in seen) for seen in used) / 2**20
            yield cell.name, called(run, subject), part, value_text(cost), value_text(highest)


def _measured(run: Run, cell: Cell, subject: str) -> Iterator[tuple[SliceRow, Sequence[Observation]]]:
    """Each measured slice, with what was observed in it."""
    for trial in run.trials:
        for number in trial.measured.get((cell.name, subject), {}).values():
            if number in trial.slices:
                yield trial.slices[number], trial.observations.get(number, ())


SECTION = Section("companions", content)
