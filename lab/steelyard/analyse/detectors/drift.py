"""Drift: whether response time rises under constant load."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.records import Cell
from ...statistics.drift import drift
from ...statistics.settling import settling
from ..blocks import Series
from .detector import Detector


def _describe_forks(name: str, forks: Sequence[Series], _: Cell) -> str:
    """The trend after each fork has settled: a slow start would look like a fall."""
    settled_ms = []
    for fork in forks:
        settled = settling(fork.throughput_per_s).seconds
        settled_ms.append(fork.response_ms[int(settled or 0) :])
    return drift(settled_ms).sentence(name)


DETECTOR = Detector("drift", frozenset({"big-bang"}), "whether {} sustains the load", _describe_forks)
