"""Load that may be too much: one stretch of constant users on one subject, of which how it ends is what is asked."""

from __future__ import annotations

from typing import ClassVar

from ...models.job import BigBang, Profile
from ...models.records import Cell
from .steady import Steady

WARM_UP_USERS = 2  # enough to compile; a subject that breaks is to break under its load


class ReliabilityStretch(Steady):
    """As steady load, but that refusals and late answers are counted; the warm-up asks for the same by few users."""

    name: ClassVar[str] = "reliability"
    lead_in_ms: ClassVar[float] = 0.0
    overload_is_a_result: ClassVar[bool] = True

    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        return BigBang(users=min(cell.users, WARM_UP_USERS), seconds=seconds)
