"""Pauses of a user between requests, as the pauses of a session's steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_MS = 86_400_000


@dataclass(frozen=True)
class ThinkTime:
    """A pause that is drawn uniformly from `least` to `most` ms; `note` says how it differs from the plan's."""

    least: float = 0
    most: float = 0
    note: str = ""

    def think(self) -> dict[str, object]:
        """The pause as in a service file; empty for none."""
        if self.most == 0:
            return {}
        if self.least == self.most:
            return {"kind": "constant", "ms": _number(self.least)}
        return {"kind": "uniform", "ms": _number(self.least), "to_ms": _number(self.most)}


def _number(ms: float) -> float | int:
    return int(ms) if ms == int(ms) else round(ms, 3)


def sum_of(pauses: Sequence[ThinkTime]) -> ThinkTime:
    """Several pauses one after the other."""
    return ThinkTime(sum(pause.least for pause in pauses), min(MOST_MS, sum(pause.most for pause in pauses)))
