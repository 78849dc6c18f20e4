"""The end of a stress test: the level of users at which requests fail, answers are missing, or answers take too long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...models.job import Steps
from ...models.records import Cell
from ...models.study import Until
from ...plan.shapes import levels_of


class Stress:
    """Reads a stress test's seconds as they arrive, and reports when a limit is passed."""

    def __init__(self, profile: Steps, until: Until) -> None:
        self._until = until
        self._levels = levels_of(profile)
        self._answered = self._failed = 0
        self._spent_ms = 0.0
        self._before = (0, 0)

    def is_over_limit(self, tick: Mapping[str, Any]) -> bool:
        """Take one second of the engine's (contracts/job.md, `tick`); true after a held level that passed a limit.

        A second at a level's edge counts for neither of its neighbours.
        """
        now, counts = float(tick["elapsed_s"]), (int(tick["completed"]), int(tick["failed"]) + int(tick["wrong"]))
        answered, failed = (new - old for new, old in zip(counts, self._before, strict=True))
        self._before = counts
        level = next((stage for stage in self._levels if stage[1] <= now - 0.9 and now <= stage[2] + 0.1), None)
        if level is None:
            return False
        self._answered += answered
        self._failed += failed
        self._spent_ms += answered * float(tick["response_ms"] or 0.0)
        if now < level[2] - 0.9:
            return False
        passed = self._has_passed()
        self._answered = self._failed = 0
        self._spent_ms = 0.0
        return passed

    def _has_passed(self) -> bool:
        ended = self._answered + self._failed
        if ended == 0 or self._failed / ended > self._until.failed_share:
            return True
        return self._answered > 0 and self._spent_ms / self._answered > self._until.response_ms


def stress_of(cell: Cell) -> Stress | None:
    """The watcher of a cell's load; None where the load has no limit."""
    if cell.until is None or not isinstance(cell.profile, Steps):
        return None
    return Stress(cell.profile, cell.until)
