"""When a measured slice counts, on the monotonic clock: all of it, or while levels of users were held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...models.job import Steps
from ...models.records import Schedule, SlicePlan
from ...plan.shapes import levels_of
from .context import TrialLog

_NS = 1_000_000_000
Window = tuple[int, int]  # start and end instants, the end excluded


@dataclass(frozen=True)
class DrivenSlice:
    """A measured slice: its instants in ns, and those of its parts that count."""

    plan: SlicePlan
    whole: Window
    held: tuple[Window, ...]

    def covers(self, instant: int) -> bool:
        """Whether the instant lies in the slice."""
        return self.whole[0] <= instant < self.whole[1]

    def counts(self, instant: int) -> bool:
        """Whether the instant lies in a part that counts."""
        return any(begin <= instant < end for begin, end in self.held)


def driven_slices(schedule: Schedule, log: TrialLog, rows: Iterable[Mapping[str, str]]) -> Iterator[DrivenSlice]:
    """The driven measured slices in order, from the rows of slices.csv."""
    slices = {int(row["slice"]): (int(row["begin_ns"]), int(row["end_ns"])) for row in rows}
    cells = {cell.name: cell for cell in schedule.cells}
    for plan in log.slices:
        if plan.phase == "measure" and plan.number in slices:
            whole, profile = slices[plan.number], cells[plan.cell].profile
            held = levels_of(profile) if isinstance(profile, Steps) else None
            parts = ((whole[0] + round(a * _NS), whole[0] + round(b * _NS)) for _, a, b in held or ())
            yield DrivenSlice(plan, whole, tuple(parts) if held is not None else (whole,))
