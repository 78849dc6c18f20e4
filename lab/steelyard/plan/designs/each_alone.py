"""Each cell of each subject in a start of its own: how it ends there is the result, and what breaks, breaks alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .alternating import Alternating


class EachAlone(Alternating):
    """One unbroken stretch a start, after a warm-up of a fixed length; there is nothing to compare it with."""

    name: ClassVar[str] = "each-alone"
    unbroken: ClassVar[bool] = True
    takes_turns: ClassVar[bool] = False
    cell_by_cell: ClassVar[bool] = True
    why_undecided: ClassVar[str] = "driven until it breaks, so how it ended is the result, and not how fast it was"

    def pairs(self, wanted: int) -> int:
        return 1

    def groups(self, labels: Sequence[str], reference: str | None) -> list[list[str]]:
        return [[label] for label in labels]
