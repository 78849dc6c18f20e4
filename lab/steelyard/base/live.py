"""The state of a running command, for the terminal and for the run folder."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEPT_SECONDS = 120
KEPT_STAGES = 12
_NOTHING = (0.0, 0, 0)


@dataclass
class LiveSubject:
    """A subject under load.

    `throughput_per_s` and `response_ms` hold its last seconds, oldest first. A response time is None in a second
    without a right answer. Since the trial began, `seconds` counts time under load and `failures` wrong answers and
    failed requests. `p99_ms` is of the last slice that ended.
    """

    label: str
    throughput_per_s: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_SECONDS))
    response_ms: deque[float | None] = field(default_factory=lambda: deque(maxlen=KEPT_SECONDS))
    seconds: int = 0
    failures: int = 0
    p99_ms: float | None = None


@dataclass(frozen=True)
class LiveInterval:
    """The ratio of subject a to b over all forks up to `forks`, with its interval from two forks on."""

    forks: int
    ratio: float
    low: float | None
    high: float | None


@dataclass
class LiveComparison:
    """Subject a against b in a cell on its judged measure: one interval for each fork, at `confidence`, oldest
    first."""

    a: str
    b: str
    cell: str
    measure: str
    confidence: float
    intervals: list[LiveInterval] = field(default_factory=list)


@dataclass(frozen=True)
class LiveStage:
    """A stage of the command, and when it began (`time.monotonic`)."""

    name: str
    begun: float


@dataclass
class Live:
    """The displayed state: the `subjects` of the current trial by label, and the `comparisons` so far. `stages` are the
    last ones, oldest first."""

    stage: str = ""
    stages: deque[LiveStage] = field(default_factory=lambda: deque(maxlen=KEPT_STAGES))
    subjects: dict[str, LiveSubject] = field(default_factory=dict)
    comparisons: list[LiveComparison] = field(default_factory=list)
    _ticked: dict[tuple[str, int], tuple[float, int, int]] = field(default_factory=dict)

    def note_stage(self) -> None:
        """Append the current stage to `stages`, unless it is the last one there."""
        if self.stage and (not self.stages or self.stages[-1].name != self.stage):
            self.stages.append(LiveStage(self.stage, time.monotonic()))

    def begin_trial(self) -> None:
        """Forget the subjects of the previous trial: processes, slices and failures are new."""
        self.subjects.clear()
        self._ticked.clear()

    def second(self, tick: Mapping[str, Any]) -> None:
        """Add a second of a slice from the engine (contracts/job.md, `tick`).

        Its counts are totals of the slice so far.
        """
        elapsed, completed = float(tick["elapsed_s"]), int(tick["completed"])
        failed = int(tick["failed"]) + int(tick["wrong"])
        label = str(tick["subject"])
        before = self._ticked.get((label, tick["slice"]), _NOTHING)
        if elapsed < before[0]:
            before = _NOTHING  # another engine's slice with the same number
        self._ticked[label, tick["slice"]] = (elapsed, completed, failed)
        subject = self.subjects.setdefault(label, LiveSubject(label))
        subject.failures += failed - before[2]
        if elapsed > before[0]:
            subject.seconds += 1
            subject.throughput_per_s.append((completed - before[1]) / (elapsed - before[0]))
            subject.response_ms.append(tick["response_ms"])

    def slices_ended(self, p99_ms: Mapping[str, float]) -> None:
        """Set the 99th percentile of the response times, in ms, of the slices that just ended, by subject."""
        for label, milliseconds in p99_ms.items():
            self.subjects.setdefault(label, LiveSubject(label)).p99_ms = milliseconds

    def add_intervals(self, comparisons: list[LiveComparison]) -> None:
        """Append the last interval of each of `comparisons` to its history."""
        known = {(known.a, known.b, known.cell): known for known in self.comparisons}
        for comparison in comparisons:
            kept = known.get((comparison.a, comparison.b, comparison.cell))
            if kept is None:
                self.comparisons.append(comparison)
            else:
                kept.intervals += [new for new in comparison.intervals if new.forks > kept.intervals[-1].forks]
