"""Subjects that ran before and go on running: nothing is started, paused or pinned, so figures hold for these processes alone."""

from __future__ import annotations

from typing import ClassVar

from .alternating import Alternating


class AsItRuns(Alternating):
    """One fork, for nothing is started anew; the slices of several subjects alternate in seeded order."""

    name: ClassVar[str] = "as-it-runs"
    takes_turns: ClassVar[bool] = False
    starts: ClassVar[bool] = False
    why_undecided: ClassVar[str] = (
        "no subject was started for this run, so its figures hold for these processes and this hour"
    )

    def forks(self, wanted: int) -> int:
        return 1
