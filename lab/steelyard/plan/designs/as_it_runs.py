"""Subjects that already run and keep running: nothing is started, paused or pinned, so figures hold for these processes
only."""

from __future__ import annotations

from typing import ClassVar

from .alternating import Alternating


class AsItRuns(Alternating):
    """One fork, since nothing is started; slices of several subjects alternate in an order from the seed."""

    name: ClassVar[str] = "as-it-runs"
    takes_turns: ClassVar[bool] = False
    starts: ClassVar[bool] = False
    why_undecided: ClassVar[str] = (
        "no subject was started for this run, so its figures hold for these processes and this hour"
    )

    def forks(self, wanted: int) -> int:
        return 1
