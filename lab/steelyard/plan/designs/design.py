"""The interface of a design; the other files of this folder are the designs."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...models.records import Cell, Schedule, TrialPlan

MOST_IN_A_TRIAL = 4
LEAST_PAIRS = 3
SliceToCome = tuple[int, Cell, str]  # pair, cell, subject


@dataclass(frozen=True)
class Ordering:
    """The input for ordering a trial's measured slices: those of `cells`, all of one kind.

    `drawn` are the trial's subjects in a random order; `draw` is seeded by the trial, for further random choices.
    """

    schedule: Schedule
    trial: TrialPlan
    cells: Sequence[Cell]
    drawn: Sequence[str]
    draw: random.Random


class Design(ABC):
    """How the subjects of a comparison share trials and time.

    `unbroken`: a subject's load in a cell is one stretch, not slices. `freezes`: idle subjects of a trial are stopped.
    `takes_turns`: the slices of a pair may be cut into turns. `halves`: the slices of a pair run at the same time, each subject
    on its own half of the processors. `cell_by_cell`: each trial has one cell, and the way the
    subject ends there is its result. `starts`: the run starts the subjects. `one_runs`: a subject starts after the one
    before it stopped. `why_undecided` is the reason why there is never a verdict; empty if there can be one.
    """

    name: ClassVar[str]
    unbroken: ClassVar[bool] = False
    freezes: ClassVar[bool] = False
    takes_turns: ClassVar[bool] = False
    halves: ClassVar[bool] = False
    cell_by_cell: ClassVar[bool] = False
    starts: ClassVar[bool] = True
    one_runs: ClassVar[bool] = False
    why_undecided: ClassVar[str] = ""

    def forks(self, wanted: int) -> int:
        """The number of forks, given the wanted number."""
        return wanted

    def pairs(self, wanted: int) -> int:
        """The number of pairs (a measured slice of each subject) per fork and cell, given the wanted number."""
        return max(LEAST_PAIRS, wanted)

    def groups(self, labels: Sequence[str], reference: str | None) -> list[list[str]]:
        """The groups of subjects that share a trial: all, or as many as fit, with the reference if they are compared
        with one."""
        if len(labels) <= MOST_IN_A_TRIAL:
            return [list(labels)]
        beside = [] if reference is None else [reference]
        others = [label for label in labels if label not in beside]
        per_trial = MOST_IN_A_TRIAL - len(beside)
        return [[*beside, *others[index : index + per_trial]] for index in range(0, len(others), per_trial)]

    @abstractmethod
    def order(self, ordering: Ordering) -> list[SliceToCome]:
        """All slices of the cells that are cut into slices, in the order in which they run."""
