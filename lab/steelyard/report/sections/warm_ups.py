"""The warm-up of each fork, on the first cell with a warm-up."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...models.records import Cell
from ...plan.kinds import unbroken, warm_up_cells
from ...results.stored_run import Run
from ..charts.curves import warm_up_chart, warm_up_points
from ..drawing import Picture
from ..section import Section
from ..subjects import cells, present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no warm-up was stored."""
    pictures = _warm_ups(analysis.run)
    return {"warm_ups": pictures, "warm_up_cell": _cell_heading(_cell(analysis.run))} if pictures else None


def _cell_heading(cell: Cell) -> str:
    """The heading of a sentence about the cell."""
    return f"Test {cell.name} ({cell.operation})" if cell.kind == "block" else cell.where


def _cell(run: Run) -> Cell:
    """The first cell with a warm-up."""
    chosen = warm_up_cells(run.schedule.cells)
    return next(cell for cell in cells(run) if cell in chosen)


def _warm_ups(run: Run) -> tuple[Picture, ...]:
    """The curves of that cell, all on one scale."""
    cell = _cell(run)
    whole = unbroken(run.schedule, cell)
    points = [point for trial in run.trials for point in warm_up_points(trial, cell, unbroken=whole)]
    highest = 1.05 * max((point.throughput_per_s for point in points), default=1.0)
    return present(warm_up_chart(trial, run, cell, max(highest, 1.0)) for trial in run.trials)


SECTION = Section("warm_ups", content)
