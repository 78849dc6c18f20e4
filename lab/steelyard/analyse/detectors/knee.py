"""The knee: the number of users from which throughput no longer grows, over held levels."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.job import Steps
from ...models.records import Cell
from ...plan import shapes
from ...statistics.knee import knee
from .. import blocks
from ..blocks import Series
from .detector import Detector


def _describe_forks(name: str, forks: Sequence[Series], cell: Cell) -> str:
    """Over the levels that all forks reached: a stress test may end at another level in each fork."""
    assert isinstance(cell.profile, Steps)
    levels = shapes.levels_of(cell.profile)
    measured = [blocks.level_means(fork, levels) for fork in forks]
    come_to = min(len(users) for users, _, _ in measured)
    users, _, seconds = (column[:come_to] for column in measured[0])
    at_most = knee(users, [throughput[:come_to] for _, throughput, _ in measured], seconds)
    return at_most.sentence(name, "throughput" if forks[0].finished is None else f"throughput of {cell.judged_by}")


DETECTOR = Detector("knee", frozenset({"steps"}), "where {} has its knee", _describe_forks)
