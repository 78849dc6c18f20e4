"""All slices of one subject, then all of the next: what most comparisons do, kept to show what it costs."""

from __future__ import annotations

from typing import ClassVar

from .design import Design, Ordering, SliceToCome


class Sequential(Design):
    """Subjects share a trial, but not its minutes."""

    name: ClassVar[str] = "sequential"

    def order(self, ordering: Ordering) -> list[SliceToCome]:
        pairs = range(ordering.schedule.pairs_per_cell)
        return [(pair, cell, subject) for subject in ordering.drawn for cell in ordering.cells for pair in pairs]
