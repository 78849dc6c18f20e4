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

MOST_TRIALS = 8  # with a picture each; the section on each fork has the slices of all


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where no warm-up was stored."""
    pictures, left_out = _warm_ups(analysis.run)
    heading = _cell_heading(_cell(analysis.run))
    return {"warm_ups": pictures, "left_out": left_out, "warm_up_cell": heading} if pictures else None


def _cell_heading(cell: Cell) -> str:
    """The heading of a sentence about the cell."""
    return f"Test {cell.name} ({cell.operation})" if cell.kind == "block" else cell.where


def _cell(run: Run) -> Cell:
    """The first cell with a warm-up."""
    chosen = warm_up_cells(run.schedule.cells)
    return next(cell for cell in cells(run) if cell in chosen)


def _warm_ups(run: Run) -> tuple[tuple[Picture, ...], int]:
    """The curves of that cell in the first trials with a warm-up, on one scale, and the number of further such trials."""
    cell = _cell(run)
    whole = unbroken(run.schedule, cell)
    points = {trial.number: list(warm_up_points(trial, cell, unbroken=whole)) for trial in run.trials}
    with_points = [trial for trial in run.trials if points[trial.number]]
    rates = [point.throughput_per_s for trial in with_points for point in points[trial.number]]
    highest = 1.05 * max(rates, default=1.0)
    drawn = with_points[:MOST_TRIALS]
    pictures = present(warm_up_chart(trial, run, cell, max(highest, 1.0)) for trial in drawn)
    return pictures, len(with_points) - len(drawn)


SECTION = Section("warm_ups", content)
