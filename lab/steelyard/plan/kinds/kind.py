"""What a kind of cell decides; the other files of this folder are the kinds there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ...models.job import Profile
from ...models.records import Cell, Schedule
from ..designs import Design
from ..designs.design import Ordering, SliceToCome


class Kind(ABC):
    """How a cell is loaded, in which order its slices come, and what of them counts.

    A `sliced` cell is cut into slices that alternate between the subjects; another is one unbroken stretch a subject and fork.
    `alone`: the other subjects are frozen meanwhile, whatever the design. `rest_seconds` go before each measured slice,
    `lead_in_ms` of unmeasured load open it. `overload_is_a_result`: a subject that refuses or is late is counted, not given up.
    `breaks`: parts of a subject are broken meanwhile, so that its processes count no more what they did before.
    """

    name: ClassVar[str]
    sliced: ClassVar[bool]
    alone: ClassVar[bool]
    rest_seconds: ClassVar[float]
    lead_in_ms: ClassVar[float]
    overload_is_a_result: ClassVar[bool]
    breaks: ClassVar[bool] = False

    def blocks(self, schedule: Schedule, cell: Cell) -> int:
        """How many stretches of load each subject has in the cell in a trial, where they are unbroken."""
        return 1

    @abstractmethod
    def measured_profile(self, cell: Cell, seconds: float) -> Profile:
        """The load of a measured slice; `seconds` is what the schedule gives a slice."""

    @abstractmethod
    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        """The load of a warm-up slice of the cell that is `seconds` long."""

    @abstractmethod
    def warm_up_cells(self, cells: Sequence[Cell]) -> list[Cell]:
        """Of the cells of this kind those to warm up in, which stand for the others."""

    @abstractmethod
    def order(self, design: Design, ordering: Ordering) -> list[SliceToCome]:
        """The measured slices of the ordering's cells, all of this kind, in the order driven."""

    @abstractmethod
    def least_pairs(self, schedule: Schedule, measured: int) -> int:
        """How many pairs a fork must keep to count, of as many as were measured."""

    @abstractmethod
    def stage(self, cell: Cell, subject: str, pair: int, pairs: int) -> str:
        """What the user sees while a slice is measured; `pair` counts from 0, of `pairs`."""
