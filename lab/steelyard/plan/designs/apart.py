"""The subjects of a trial are loaded at once, each on its own half of the processors, for machines with cores to spare."""

from __future__ import annotations

from typing import ClassVar

from .alternating import Alternating


class Apart(Alternating):
    """Two subjects, whose halves are swapped from trial to trial; nothing is paused."""

    name: ClassVar[str] = "apart"
    takes_turns: ClassVar[bool] = False
    halves: ClassVar[bool] = True
