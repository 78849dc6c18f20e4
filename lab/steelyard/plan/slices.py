"""How many slices a trial is offered for each purpose, and what one takes: for what plans a run, and for what drives it."""

from __future__ import annotations

import math

from ..models.records import Cell, Schedule
from .designs import design_named
from .kinds import kind_of, warm_up_cells

HEAD_START_SECONDS = 8.0  # on all processors, of those that compile while they run
PAUSE_SECONDS = 0.2  # before each warm-up slice: a JIT compiler starves under unbroken load
BETWEEN_SECONDS = 0.3  # from a measured slice's end to the next one's begin
QUIET_AT_REST = 0.01  # of a processor: who uses more while nobody asks takes no turns
TURN_SHARE = 0.2  # of a slice's own time, for the last answers of each of its turns and for handing over


def head_start_slices(schedule: Schedule) -> int:
    """Of a subject in each cell that is warmed up in; none where it warms up in one stretch."""
    if design_named(schedule.design).unbroken:
        return 0
    cells = len(warm_up_cells(schedule.cells))
    seconds = min(HEAD_START_SECONDS, schedule.warm_up_limit_seconds * cells)
    return math.ceil(seconds / schedule.slice_seconds / max(1, cells))


def most_head_start_slices(schedule: Schedule) -> int:
    """How many it may have at most. More than the usual ones where sizes are compared: of large documents so few are answered that
    compilers get to what each request needs after minutes, in what is measured."""
    usual = head_start_slices(schedule)
    sized = any(cell.payload for cell in warm_up_cells(schedule.cells))
    return max(usual, most_warm_up_slices(schedule)) if usual and sized else usual


def most_warm_up_slices(schedule: Schedule) -> int:
    """Of a subject in each cell that is warmed up in, its head start left out; it takes what it needs of them."""
    if design_named(schedule.design).unbroken:
        return 1
    return math.ceil(schedule.warm_up_limit_seconds / schedule.slice_seconds)


def spare_pairs(schedule: Schedule) -> int:
    """As many as are planned where slices alternate: which of those are voided decides how many are driven, and nothing else."""
    return schedule.pairs_per_cell if design_named(schedule.design).takes_turns else 0


def warm_up_load_seconds(schedule: Schedule) -> float:
    """The load of a warm-up slice."""
    return schedule.warm_up_limit_seconds if design_named(schedule.design).unbroken else schedule.slice_seconds


def seconds_of_warm_up_slice(schedule: Schedule, cell: Cell) -> float:
    """What a slice of warm-up in a cell costs, with the pause before it and its lead-in."""
    return PAUSE_SECONDS + kind_of(cell).lead_in_ms / 1000 + warm_up_load_seconds(schedule)


def seconds_of_slice(schedule: Schedule) -> float:
    """What a measured slice of steady load costs, with what goes before and after it or comes between its turns."""
    beside = TURN_SHARE * schedule.slice_seconds if schedule.turn_ms else BETWEEN_SECONDS
    return schedule.slice_seconds + beside
