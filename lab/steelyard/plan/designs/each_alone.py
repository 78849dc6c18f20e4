"""Each cell of each subject in a separate start: how it ends is the result, and a failure affects only itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .alternating import Alternating


class EachAlone(Alternating):
    """One continuous stretch per start, after a warm-up of fixed length; nothing is compared."""

    name: ClassVar[str] = "each-alone"
    unbroken: ClassVar[bool] = True
    takes_turns: ClassVar[bool] = False
    cell_by_cell: ClassVar[bool] = True
    why_undecided: ClassVar[str] = "loaded until it fails, so the result is how it ended, not how fast it was"

    def pairs(self, wanted: int) -> int:
        return 1

    def groups(self, labels: Sequence[str], reference: str | None) -> list[list[str]]:
        return [[label] for label in labels]
