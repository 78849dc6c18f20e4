"""All slices of one subject, then all of the next: the order of most comparisons, kept to show its cost."""

from __future__ import annotations

from typing import ClassVar

from .design import Design, Ordering, SliceToCome


class Sequential(Design):
    """Subjects share a trial, but run in different minutes of it."""

    name: ClassVar[str] = "sequential"

    def order(self, ordering: Ordering) -> list[SliceToCome]:
        pairs = range(ordering.schedule.pairs_per_cell)
        return [(pair, cell, subject) for subject in ordering.drawn for cell in ordering.cells for pair in pairs]
