"""Load that may be too high: one stretch of constant users on one subject, whose ending is the result."""

from __future__ import annotations

from typing import ClassVar

from ...models.job import BigBang, Profile
from ...models.records import Cell
from .steady import Steady

WARM_UP_USERS = 2  # enough to compile; a subject should fail only under its measured load


class ReliabilityStretch(Steady):
    """As steady load, but refusals and late answers are counted; the warm-up sends the same requests with few users."""

    name: ClassVar[str] = "reliability"
    lead_in_ms: ClassVar[float] = 0.0
    overload_is_a_result: ClassVar[bool] = True

    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        return BigBang(users=min(cell.users, WARM_UP_USERS), seconds=seconds)
