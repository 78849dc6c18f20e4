"""The pilot that finds the number of engine threads before a run: the cells that it drives, and for how long."""

from __future__ import annotations

from collections.abc import Sequence

from ..models.records import Cell, Schedule
from .kinds import kind_of

SLICES = 4  # of each cell; the last one counts
SLICE_SECONDS = 1.0
_CELLS = 3


def has_pilot(schedule: Schedule, engine_processors: int) -> bool:
    """Whether a run begins with a pilot: not where the engine has one processor, or the number of threads is known."""
    unknown = not schedule.engine_threads and schedule.at_once == 1
    return engine_processors > 1 and unknown and bool(heaviest_cells(schedule.cells))


def heaviest_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Of each mix of requests the cell with the most users, those with the most users first."""
    by_mix: dict[str, Cell] = {}
    for cell in sorted(cells, key=lambda cell: cell.users):
        if not kind_of(cell).breaks:
            by_mix[str(sorted(cell.mix.items()))] = cell
    return sorted(by_mix.values(), key=lambda cell: -cell.users)[:_CELLS]
