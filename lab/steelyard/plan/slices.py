"""The number of slices of a trial by purpose, and the time of each, for planning and for driving a run."""

from __future__ import annotations

import math

from ..models.records import Cell, Schedule
from .cells import usual_lead_out_seconds
from .designs import design_named
from .kinds import kind_of, warm_up_cells

HEAD_START_SECONDS = 8.0  # on all processors, of subjects with a JIT compiler
PAUSE_SECONDS = 0.2  # before each warm-up slice: a JIT compiler starves under unbroken load
BETWEEN_SECONDS = 0.3  # from a measured slice's end to the start of the next
QUIET_AT_REST = 0.01  # of a processor: a subject that uses more when idle takes no turns
TURN_SHARE = 0.2  # of a slice's time, for the last answers of each turn and for switching


def head_start_slices(schedule: Schedule) -> int:
    """The head-start slices of a subject in each warm-up cell; 0 if it warms up in one stretch."""
    if design_named(schedule.design).unbroken:
        return 0
    cells = len(warm_up_cells(schedule.cells))
    seconds = min(HEAD_START_SECONDS, schedule.warm_up_limit_seconds * cells)
    return math.ceil(seconds / schedule.slice_seconds / max(1, cells))


def most_head_start_slices(schedule: Schedule) -> int:
    """The maximum of head-start slices.

    More than usual if sizes are compared: so few large documents are processed that compilers reach the code of a
    request only after minutes, within the measurement.
    """
    usual = head_start_slices(schedule)
    sized = any(cell.payload for cell in warm_up_cells(schedule.cells))
    return max(usual, most_warm_up_slices(schedule)) if usual and sized else usual


def most_warm_up_slices(schedule: Schedule) -> int:
    """The maximum of warm-up slices of a subject in each warm-up cell, without its head start; it uses as many as it
    needs."""
    if design_named(schedule.design).unbroken:
        return 1
    return math.ceil(schedule.warm_up_limit_seconds / schedule.slice_seconds)


def spare_pairs(schedule: Schedule) -> int:
    """The spare pairs: as many as planned pairs if slices alternate.

    The number of voided pairs alone decides how many are driven.
    """
    design = design_named(schedule.design)
    return schedule.pairs_per_cell if design.takes_turns or design.halves else 0


def slices_in_sequence(schedule: Schedule, subjects: int) -> int:
    """The slices of a pair of these subjects that run one after the other: one where each has half of the processors."""
    return 1 if design_named(schedule.design).halves else subjects


def warm_up_load_seconds(schedule: Schedule) -> float:
    """The seconds of load in a warm-up slice."""
    return schedule.warm_up_limit_seconds if design_named(schedule.design).unbroken else schedule.slice_seconds


def seconds_of_warm_up_slice(schedule: Schedule, cell: Cell) -> float:
    """The time of a warm-up slice in a cell, with the pause before it and its lead-in."""
    return PAUSE_SECONDS + kind_of(cell).lead_in_ms / 1000 + warm_up_load_seconds(schedule)


def seconds_of_slice(schedule: Schedule) -> float:
    """The time of a measured slice of steady load, with its pauses and switches between turns, and the end of its sessions."""
    beside = TURN_SHARE * schedule.slice_seconds if schedule.turn_ms else BETWEEN_SECONDS
    return schedule.slice_seconds + beside + usual_lead_out_seconds(schedule.sessions)
