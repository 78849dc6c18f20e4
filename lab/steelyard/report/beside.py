"""Two stored runs side by side: what each measured, and never a verdict, for they were not measured together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..analyse.analysis import examined
from ..models.outputs import Beside, BesideOutput
from ..models.verdict import Figure
from ..store.setup import setup_differences
from ..store.stored_run import Run, read_run

NOT_PAIRED = (
    "not paired: the two were measured at different times, and the machine may have had other things to do; "
    "`steelyard check OLD NEW` measures both now"
)


def beside(first: Path, second: Path) -> BesideOutput:
    """All figures that both runs have, with second / first as a ratio, and all that differs in how they were made.

    Nothing is written. Raises StoreError where a run cannot be read.
    """
    old, new = read_run(first), read_run(second)
    found = {_key(figure): figure for figure in examined(new).verdicts.figures}
    rows = [_row(one, found[_key(one)]) for one in examined(old).verdicts.figures if _key(one) in found]
    return BesideOutput(
        first=str(first),
        second=str(second),
        why_not_paired=NOT_PAIRED,
        differences=list(_differences(old, new)),
        figures=rows,
    )


def _key(figure: Figure) -> tuple[str, str, str]:
    return figure.cell, figure.subject, figure.measure


def _row(first: Figure, second: Figure) -> Beside:
    ratio = second.value / first.value if first.value and second.value is not None else None
    return Beside(
        subject=first.subject,
        cell=first.cell,
        operation=first.operation,
        measure=first.measure,
        unit=first.unit,
        first=first.value,
        first_interval=first.interval,
        second=second.value,
        second_interval=second.interval,
        ratio=ratio,
    )


def _differences(old: Run, new: Run) -> Iterator[str]:
    """The setup's, then the loads'."""
    yield from setup_differences(old.environment, new.environment)
    loads = {cell.name: cell for cell in new.schedule.cells}
    for cell in old.schedule.cells:
        other = loads.get(cell.name)
        if other is not None and (cell.mix, cell.users, cell.profile) != (other.mix, other.users, other.profile):
            yield f"the load of {cell.name} is another one"
    if old.schedule.parameters != new.schedule.parameters:
        yield f"parameters were {old.schedule.parameters} and are {new.schedule.parameters}"
