"""What a design decides; the other files of this folder are the designs there are."""

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
    """What a trial's measured slices are put in order by: those of `cells`, which are of one kind.

    `drawn` are the trial's subjects in an order drawn for it; `draw` is seeded by the trial, for all that is drawn further.
    """

    schedule: Schedule
    trial: TrialPlan
    cells: Sequence[Cell]
    drawn: Sequence[str]
    draw: random.Random


class Design(ABC):
    """How the subjects of a comparison share trials and time.

    `unbroken`: a subject's load in a cell is one stretch, not slices. `freezes`: the idle subjects of a trial are stopped.
    `takes_turns`: the slices of a pair may be cut finer still. `cell_by_cell`: each trial is for one cell, and how its subject ends
    there is its result, whatever that is. `starts`: the subjects are started for the run. `one_runs`: a subject is started when the
    one before it was stopped. `why_undecided` says why no verdict can come of it; empty if one can.
    """

    name: ClassVar[str]
    unbroken: ClassVar[bool] = False
    freezes: ClassVar[bool] = False
    takes_turns: ClassVar[bool] = False
    cell_by_cell: ClassVar[bool] = False
    starts: ClassVar[bool] = True
    one_runs: ClassVar[bool] = False
    why_undecided: ClassVar[str] = ""

    def forks(self, wanted: int) -> int:
        """How many fresh starts of every subject there are, of those wanted."""
        return wanted

    def pairs(self, wanted: int) -> int:
        """How many pairs (a measured slice of each subject) there are a fork and cell, of those wanted."""
        return max(LEAST_PAIRS, wanted)

    def groups(self, labels: Sequence[str], reference: str | None) -> list[list[str]]:
        """Which subjects share a trial: all, or as many as fit, beside the reference where they are compared with one."""
        if len(labels) <= MOST_IN_A_TRIAL:
            return [list(labels)]
        beside = [] if reference is None else [reference]
        others = [label for label in labels if label not in beside]
        per_trial = MOST_IN_A_TRIAL - len(beside)
        return [[*beside, *others[index : index + per_trial]] for index in range(0, len(others), per_trial)]

    @abstractmethod
    def order(self, ordering: Ordering) -> list[SliceToCome]:
        """All slices of cells that are cut into slices, in the order driven."""
