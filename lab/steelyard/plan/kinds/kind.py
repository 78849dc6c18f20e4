"""The interface of a kind of cell; the other files of this folder are the kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ...models.job import Profile
from ...models.records import Cell, Schedule
from ..designs import Design
from ..designs.design import Ordering, SliceToCome


class Kind(ABC):
    """How a cell is loaded, in which order its slices run, and what counts.

    A `sliced` cell is cut into slices that alternate between the subjects; any other is one continuous stretch per
    subject and fork. `alone`: the other subjects are paused meanwhile, whatever the design. `rest_seconds` precede each
    measured slice, which begins with `lead_in_ms` of unmeasured load. `overload_is_a_result`: a subject that refuses
    requests or is late is counted, and the trial goes on. `breaks`: faults are injected, so counts of the subject's
    processes are incomplete.
    """

    name: ClassVar[str]
    sliced: ClassVar[bool]
    alone: ClassVar[bool]
    rest_seconds: ClassVar[float]
    lead_in_ms: ClassVar[float]
    overload_is_a_result: ClassVar[bool]
    breaks: ClassVar[bool] = False

    def blocks(self, schedule: Schedule, cell: Cell) -> int:
        """The number of continuous stretches of load per subject in a trial of the cell."""
        return 1

    @abstractmethod
    def measured_profile(self, cell: Cell, seconds: float) -> Profile:
        """The load of a measured slice; `seconds` is the schedule's length of a slice."""

    @abstractmethod
    def warm_up_profile(self, cell: Cell, seconds: float) -> Profile:
        """The load of a warm-up slice of the cell, `seconds` long."""

    @abstractmethod
    def warm_up_cells(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells of this kind to warm up in, which represent the others."""

    @abstractmethod
    def order(self, design: Design, ordering: Ordering) -> list[SliceToCome]:
        """The measured slices of the ordering's cells, all of this kind, in the order in which they run."""

    @abstractmethod
    def least_pairs(self, schedule: Schedule, measured: int) -> int:
        """The number of valid pairs that a fork needs to count, given the number measured."""

    @abstractmethod
    def stage(self, cell: Cell, subject: str, pair: int, pairs: int) -> str:
        """The progress text while a slice is measured; `pair` counts from 0, of `pairs`."""
