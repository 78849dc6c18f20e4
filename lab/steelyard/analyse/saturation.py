"""Whether the users of a closed load kept several processors of a server busy: else more users may have got more answers."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from ..base.text import plural
from ..models.records import Cell
from ..plan.designs import design_named
from ..plan.kinds import kind_of
from ..results.stored_run import Run
from .instrument import Finding, Level
from .second_witness import counted_of
from .server_processors import processors_of

SATURATED = 0.75
CHECK = "Server's processors"


def examine_saturation(run: Run) -> Iterator[Finding]:
    """A finding for each cell and subject under steady closed load on more than one processor."""
    if not design_named(run.schedule.design).starts:
        return
    for cell in run.schedule.cells:
        if kind_of(cell).name != "steady" or cell.profile.kind != "big-bang":
            continue
        for subject in run.schedule.subjects_in(cell):
            yield from _finding(run, cell, subject)


def _finding(run: Run, cell: Cell, subject: str) -> Iterator[Finding]:
    processors = processors_of(run, subject)
    busy = [each.processors for trial in run.trials if (each := counted_of(trial, cell, subject)) is not None]
    if processors is None or processors < 2 or not any(busy):
        return
    share = fmean(busy) / processors
    reason = (
        f"{subject} on {cell.where}: {plural(cell.users, 'user')} kept {share:.0%} of its {processors} processors busy, so it may "
        "answer more with more users (--users)"
    )
    yield Finding(
        CHECK,
        cell.name,
        subject,
        Level.OK if share >= SATURATED else Level.WARNING,
        f"{share:.0%} of {processors} busy",
        f"at least {SATURATED:.0%}",
        "" if share >= SATURATED else reason,
    )
