"""The kinds of cells: how each is loaded, driven and counted. To add one, add a file, and its name to `KINDS`."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.records import Cell, Schedule
from ..designs import design_named
from .block import Block
from .fault import FaultBlock
from .fixed_work import FixedWorkSlices
from .kind import Kind
from .reliability import ReliabilityStretch
from .steady import Steady

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Steady(), Block(), FaultBlock(), FixedWorkSlices(), ReliabilityStretch())
}


def warm_up_cells(cells: Sequence[Cell]) -> list[Cell]:
    """The cells to warm up in, in the order of `cells`; each kind chooses which of its cells represent the others."""
    chosen = [
        cell
        for kind in KINDS.values()
        for cell in kind.warm_up_cells(
            [candidate for candidate in cells if kind_of(candidate) is kind and not candidate.cold]
        )
    ]
    return [cell for cell in cells if cell in chosen]


def unbroken(schedule: Schedule, cell: Cell) -> bool:
    """Whether a subject's load in the cell is one stretch, not slices that alternate with other subjects."""
    return not kind_of(cell).sliced or design_named(schedule.design).unbroken


def may_take_turns(schedule: Schedule, cell: Cell) -> bool:
    """Whether a pair's slices of the cell may be cut into turns if answers are fast enough.

    Sessions may not: a turn's end would cut their pauses.
    """
    if schedule.sessions.keys() & cell.mix.keys():
        return False
    return bool(schedule.turn_ms) and not unbroken(schedule, cell) and cell.profile.kind == "big-bang"


def kind_of(cell: Cell) -> Kind:
    """The kind of a cell."""
    return KINDS[cell.kind]
