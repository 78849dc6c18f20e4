"""A fault: a block with an injected fault; the results of the work are counted, and its times are not judged."""

from __future__ import annotations

import random
from typing import ClassVar

from ...models.records import Cell, Schedule
from ..designs import Design
from ..designs.design import Ordering, SliceToCome
from ..faults import occasions
from .block import Block


class FaultBlock(Block):
    """A block for each occasion of each fault of the test; every subject has it before the next begins."""

    name: ClassVar[str] = "fault"
    breaks: ClassVar[bool] = True

    def blocks(self, schedule: Schedule, cell: Cell) -> int:
        return len(occasions(schedule, cell))

    def order(self, design: Design, ordering: Ordering) -> list[SliceToCome]:
        """Faults in a random order for each trial; the first subject rotates from fault to fault.

        Trials of a fork share a seed. With the same order, their servers would be killed, and restart, at the same time.
        """
        met = [(number, cell) for cell in ordering.cells for number in occasions(ordering.schedule, cell)]
        random.Random(f"faults {ordering.trial.seed} {ordering.trial.number}").shuffle(met)
        subjects = sorted(ordering.trial.start_order, key=ordering.schedule.subjects.index)
        ordered: list[SliceToCome] = []
        for place, (number, cell) in enumerate(met):
            turned = (ordering.trial.number + place) % len(subjects)
            ordered += [(number, cell, subject) for subject in subjects[turned:] + subjects[:turned]]
        return ordered

    def stage(self, cell: Cell, subject: str, pair: int, pairs: int) -> str:
        return f"test {cell.name} on {subject}, fault {pair + 1} of {pairs}"
