"""All slices of one subject, then all of the next: what most comparisons do, kept to show what it costs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar

from ...models.records import Cell
from .design import Design


class Sequential(Design):
    """Subjects share a trial, but not its minutes."""

    name: ClassVar[str] = "sequential"

    def order(
        self, pairs: int, cells: Sequence[Cell], drawn: Sequence[str], draw: random.Random
    ) -> list[tuple[int, Cell, str]]:
        return [(pair, cell, subject) for subject in drawn for cell in cells for pair in range(pairs)]
