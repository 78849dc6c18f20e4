"""Recovery: how soon after the start of a burst the response time returns to the undisturbed level."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.job import Bursts
from ...models.records import Cell
from ...plan import shapes
from ...statistics.recovery import recoveries, recovery_sentence
from ..blocks import Series
from .detector import Detector


def _describe_forks(name: str, forks: Sequence[Series], cell: Cell) -> str:
    assert isinstance(cell.profile, Bursts)
    begins, ends = shapes.bursts_of(cell.profile)
    return recovery_sentence(name, [recoveries(fork.second, fork.response_ms, begins, ends) for fork in forks])


DETECTOR = Detector("recovery", frozenset({"bursts"}), "how {} takes bursts", _describe_forks)
