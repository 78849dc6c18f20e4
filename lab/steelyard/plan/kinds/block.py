"""A block: load with a shape, unbroken, on one subject at a time with the others frozen, once a fork; each is judged."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar

from ...models.job import BigBang, Profile
from ...models.records import Cell, Schedule, TrialPlan
from ..designs import Design
from .kind import Kind, Turn

WARM_UP_USERS = 8  # enough to compile, too few to overload


class Block(Kind):
    """One stretch with a beginning and an end; it begins with warm code and after a rest."""

    name: ClassVar[str] = "block"
    sliced: ClassVar[bool] = False
    alone: ClassVar[bool] = True
    rest_seconds: ClassVar[float] = 2.0  # what the one before left over has ended
    lead_in_ms: ClassVar[float] = 0.0
    overload_is_a_result: ClassVar[bool] = True

    def measured_profile(self, cell: Cell, seconds: float) -> Profile:
        return cell.profile

    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        return BigBang(users=min(cell.users, WARM_UP_USERS), seconds=seconds)

    def warmed(self, cells: Sequence[Cell]) -> list[Cell]:
        """The first of each mix."""
        firsts = {str(sorted(cell.mix.items())): cell for cell in reversed(cells)}
        return [cell for cell in cells if cell in firsts.values()]

    def order(
        self,
        design: Design,
        schedule: Schedule,
        trial: TrialPlan,
        drawn: Sequence[str],
        draw: random.Random,
        cells: Sequence[Cell],
    ) -> list[Turn]:
        """Blocks in an order drawn anew for each fork; who begins in a block moves on from fork to fork."""
        places = {cell.name: place for place, cell in enumerate(cells)}
        blocks = list(cells)
        draw.shuffle(blocks)
        subjects = sorted(trial.start_order, key=schedule.subjects.index)
        ordered = []
        for cell in blocks:
            turned = (trial.number + places[cell.name]) % len(subjects)
            ordered += [(0, cell, subject) for subject in subjects[turned:] + subjects[:turned]]
        return ordered

    def least_pairs(self, schedule: Schedule, measured: int) -> int:
        return 1

    def stage(self, cell: Cell, subject: str, pair: int, pairs: int) -> str:
        return f"test {cell.name} on {subject}"
