"""Settling: how long throughput takes to come close to its final level under constant load."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.records import Cell
from ...statistics.settling import settling, settling_sentence
from ..blocks import Series
from .detector import Detector


def _describe_forks(name: str, forks: Sequence[Series], _: Cell) -> str:
    return settling_sentence(name, [settling(fork.throughput_per_s) for fork in forks])


DETECTOR = Detector("settling", frozenset({"big-bang"}), "when {} settles", _describe_forks)
