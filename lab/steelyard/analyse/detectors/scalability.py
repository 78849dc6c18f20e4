"""Scalability: the law of throughput by number of users, over held levels."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.job import Steps
from ...models.records import Cell
from ...plan import shapes
from ...statistics import scalability
from .. import blocks
from ..blocks import Series
from .detector import Detector


def _describe_forks(name: str, forks: Sequence[Series], cell: Cell) -> str:
    assert isinstance(cell.profile, Steps)
    levels = shapes.levels_of(cell.profile)
    held = [blocks.level_means(fork, levels) for fork in forks]
    fits = [scalability.fit(list(users), list(throughput)) for users, throughput, _ in held]
    return scalability.scalability_sentence(name, scalability.over_forks(fits))


DETECTOR = Detector("scalability", frozenset({"steps"}), "which scalability law {} follows", _describe_forks)
