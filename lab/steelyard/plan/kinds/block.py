"""A block: load with a shape, continuous, on one subject while the others are paused, once per fork; each is judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...models.job import BigBang, Profile
from ...models.records import Cell, Schedule
from ..designs import Design
from ..designs.design import Ordering, SliceToCome
from .kind import Kind

WARM_UP_USERS = 8  # enough to compile, too few to overload


class Block(Kind):
    """One continuous stretch that begins with warm code, after a rest."""

    name: ClassVar[str] = "block"
    sliced: ClassVar[bool] = False
    alone: ClassVar[bool] = True
    rest_seconds: ClassVar[float] = 2.0  # work left over from the block before has ended
    lead_in_ms: ClassVar[float] = 0.0
    overload_is_a_result: ClassVar[bool] = True

    def measured_profile(self, cell: Cell, seconds: float) -> Profile:
        return cell.profile

    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        return BigBang(users=min(cell.users, WARM_UP_USERS), seconds=seconds)

    def warm_up_cells(self, cells: Sequence[Cell]) -> list[Cell]:
        """The first cell of each mix; of cells with sized requests, the first with the same requests."""
        firsts = {str(sorted(cell.mix) if cell.payload else sorted(cell.mix.items())): cell for cell in reversed(cells)}
        return [cell for cell in cells if cell in firsts.values()]

    def order(self, design: Design, ordering: Ordering) -> list[SliceToCome]:
        """Blocks in a random order for each fork; the first subject of a block rotates from fork to fork."""
        places = {cell.name: place for place, cell in enumerate(ordering.cells)}
        blocks = list(ordering.cells)
        ordering.draw.shuffle(blocks)
        subjects = sorted(ordering.trial.start_order, key=ordering.schedule.subjects.index)
        ordered: list[SliceToCome] = []
        for cell in blocks:
            turned = (ordering.trial.number + places[cell.name]) % len(subjects)
            ordered += [(0, cell, subject) for subject in subjects[turned:] + subjects[:turned]]
        return ordered

    def least_pairs(self, schedule: Schedule, measured: int) -> int:
        return 1

    def stage(self, cell: Cell, subject: str, pair: int, pairs: int) -> str:
        return f"test {cell.name} on {subject}"
