"""Slices of the subjects alternate within a trial, so changes of the machine affect all subjects alike."""

from __future__ import annotations

from typing import ClassVar

from .design import Design, Ordering, SliceToCome

MOST_IN_TURN = 3


class Alternating(Design):
    """A B, B A for two; rotated and reversed in turn for more."""

    name: ClassVar[str] = "alternating"
    takes_turns: ClassVar[bool] = True

    def order(self, ordering: Ordering) -> list[SliceToCome]:
        """Each subject has each position equally often, and follows each other subject (Williams 1949 for three).

        Beyond three, which only faces of a subject make possible, each round is shuffled.
        """
        first = list(ordering.drawn)
        ordered: list[SliceToCome] = []
        for pair in range(ordering.schedule.pairs_per_cell):
            turned = pair // 2 % len(first)
            order = first[turned:] + first[:turned]
            if len(first) > MOST_IN_TURN:
                ordering.draw.shuffle(order)
            elif pair % 2:
                order.reverse()
            ordered += [(pair, cell, subject) for cell in ordering.cells for subject in order]
        return ordered


class AlternatingFrozen(Alternating):
    """As `alternating`, but idle subjects are stopped with SIGSTOP for a whole slice."""

    name: ClassVar[str] = "alternating-frozen"
    freezes: ClassVar[bool] = True
    takes_turns: ClassVar[bool] = False
