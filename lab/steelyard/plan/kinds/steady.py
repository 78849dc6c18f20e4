"""Steady load in slices that alternate between the subjects; only one such cell of a run is judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from ...models.job import BigBang, Profile, Rate
from ...models.records import Cell, Schedule
from ..designs import Design
from ..designs.design import Ordering, SliceToCome
from .kind import Kind


class Steady(Kind):
    """Slices of constant load."""

    name: ClassVar[str] = "steady"
    sliced: ClassVar[bool] = True
    alone: ClassVar[bool] = False
    rest_seconds: ClassVar[float] = 0.0
    lead_in_ms: ClassVar[float] = 200.0
    overload_is_a_result: ClassVar[bool] = False

    def measured_profile(self, cell: Cell, seconds: float) -> Profile:
        profile = cell.profile
        if isinstance(profile, BigBang):
            return profile.model_copy(update={"seconds": seconds})
        if isinstance(profile, Rate) and len(profile.stages) == 1:
            return profile.model_copy(update={"stages": [profile.stages[0].model_copy(update={"seconds": seconds})]})
        return profile

    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        return self.measured_profile(cell, seconds)

    def warm_up_cells(self, cells: Sequence[Cell]) -> list[Cell]:
        """All cells; but of cells that differ only in users and payload, the two with the most users and the smallest
        and largest payload, and of several loads of an operation a closed one.

        Code that runs per request runs most often in the former, code that runs per element in the latter, and
        compilers compile what runs often. A slice of another cell in which a compiler still works is voided as usual.
        """
        alike: dict[str, list[Cell]] = {}
        for cell in cells:
            alike.setdefault(cell.operation if cell.family or cell.payload or cell.load else cell.name, []).append(cell)
        chosen = [end for group in alike.values() for end in (max(group, key=_weight_key), max(group, key=_weight))]
        return [cell for cell in cells if cell in chosen]

    def order(self, design: Design, ordering: Ordering) -> list[SliceToCome]:
        return design.order(ordering)

    def least_pairs(self, schedule: Schedule, measured: int) -> int:
        """Half of the planned pairs, or of the measured ones if those are more."""
        return max(1, math.ceil(max(schedule.pairs_per_cell, measured) / 2))

    def stage(self, cell: Cell, subject: str, pair: int, pairs: int) -> str:
        if pair >= pairs:
            return f"measuring {cell.name}, spare pair {pair + 1 - pairs}"
        return f"measuring {cell.name}, pair {pair + 1} of {pairs}"


def _weight(cell: Cell) -> tuple[bool, int, int]:
    return cell.profile.kind != "rate", cell.users, sum(cell.payload.values())


def _weight_key(cell: Cell) -> tuple[bool, int, int]:
    return cell.profile.kind != "rate", cell.users, -sum(cell.payload.values())
