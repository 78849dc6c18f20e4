"""As the papers did it: each subject alone, one unbroken warm-up and one unbroken measured stretch, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .alternating import Alternating


class AsPublished(Alternating):
    """One process of each and one pair, so there is a ratio, and nothing that says how much chance is in it."""

    name: ClassVar[str] = "as-published"
    unbroken: ClassVar[bool] = True
    takes_turns: ClassVar[bool] = False
    why_undecided: ClassVar[str] = "run as published, once each, so nothing says how much of the ratio is chance"

    def forks(self, wanted: int) -> int:
        return 1

    def pairs(self, wanted: int) -> int:
        return 1

    def groups(self, labels: Sequence[str], reference: str | None) -> list[list[str]]:
        return [[label] for label in labels]
