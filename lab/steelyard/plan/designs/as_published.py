"""As in the papers: each subject alone, with one continuous warm-up and one continuous measurement, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .alternating import Alternating


class AsPublished(Alternating):
    """One process per subject and one pair, so there is a ratio, but no information on chance."""

    name: ClassVar[str] = "as-published"
    unbroken: ClassVar[bool] = True
    takes_turns: ClassVar[bool] = False
    why_undecided: ClassVar[str] = "run as published, once each, so it is unknown how much of the ratio is chance"

    def forks(self, wanted: int) -> int:
        return 1

    def pairs(self, wanted: int) -> int:
        return 1

    def groups(self, labels: Sequence[str], reference: str | None) -> list[list[str]]:
        return [[label] for label in labels]
