"""Fixed work: slices in which each user sends a number of requests or sessions, and which end when all are done."""

from __future__ import annotations

from typing import ClassVar

from ...models.job import BigBang, Profile
from ...models.records import Cell
from .steady import Steady


class FixedWorkSlices(Steady):
    """Slices of constant load in the order and number of steady ones; the result is how long each takes."""

    name: ClassVar[str] = "fixed-work"
    lead_in_ms: ClassVar[float] = 0.0  # a lead-in would be part of the work

    def measured_profile(self, cell: Cell, seconds: float) -> Profile:
        return cell.profile

    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        return BigBang(users=cell.users, seconds=seconds)
