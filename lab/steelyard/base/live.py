"""What a command is doing right now, as the terminal draws it and as a run's own folder tells it to whoever looks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEPT_SECONDS = 120
_NOTHING = (0.0, 0, 0)


@dataclass
class LiveSubject:
    """A subject under load. `throughput_per_s` and `response_ms` hold its last seconds, oldest first; a response time is None in
    a second without a right answer. `seconds` counts all that it was loaded, `failures` its wrong answers and failed requests,
    both since its trial began; `p99_ms` is of the last slice that ended.
    """

    label: str
    throughput_per_s: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_SECONDS))
    response_ms: deque[float | None] = field(default_factory=lambda: deque(maxlen=KEPT_SECONDS))
    seconds: int = 0
    failures: int = 0
    p99_ms: float | None = None


@dataclass(frozen=True)
class LiveInterval:
    """What all forks up to `forks` say of subject a over b: the ratio, and its interval where there are two forks or more."""

    forks: int
    ratio: float
    low: float | None
    high: float | None


@dataclass
class LiveComparison:
    """Subject a against b in a cell on its judged measure, as it narrowed: an interval a fork at `confidence`, oldest first."""

    a: str
    b: str
    cell: str
    measure: str
    confidence: float
    intervals: list[LiveInterval] = field(default_factory=list)


@dataclass
class Live:
    """What is shown of a command that lasts: `subjects` of the trial that runs, by label, and `comparisons` so far."""

    stage: str = ""
    subjects: dict[str, LiveSubject] = field(default_factory=dict)
    comparisons: list[LiveComparison] = field(default_factory=list)
    _ticked: dict[tuple[str, int], tuple[float, int, int]] = field(default_factory=dict)

    def begin_trial(self) -> None:
        """Forget the subjects of the trial before: processes, slices and failures are new."""
        self.subjects.clear()
        self._ticked.clear()

    def second(self, tick: Mapping[str, Any]) -> None:
        """Take in a second of a slice, as the engine tells it (contracts/job.md, `tick`): its counts are the slice's so far."""
        elapsed, completed = float(tick["elapsed_s"]), int(tick["completed"])
        failed = int(tick["failed"]) + int(tick["wrong"])
        label = str(tick["subject"])
        before = self._ticked.get((label, tick["slice"]), _NOTHING)
        if elapsed < before[0]:
            before = _NOTHING  # another engine's slice of the same number
        self._ticked[label, tick["slice"]] = (elapsed, completed, failed)
        subject = self.subjects.setdefault(label, LiveSubject(label))
        subject.failures += failed - before[2]
        if elapsed > before[0]:
            subject.seconds += 1
            subject.throughput_per_s.append((completed - before[1]) / (elapsed - before[0]))
            subject.response_ms.append(tick["response_ms"])

    def slices_ended(self, p99_ms: Mapping[str, float]) -> None:
        """Take in the 99th percentile of the response times, in ms, of the slices that just ended, by subject."""
        for label, milliseconds in p99_ms.items():
            self.subjects.setdefault(label, LiveSubject(label)).p99_ms = milliseconds

    def narrowed(self, comparisons: list[LiveComparison]) -> None:
        """Take in what the forks so far say: the last interval of each of `comparisons` is added to what was known of it."""
        known = {(known.a, known.b, known.cell): known for known in self.comparisons}
        for comparison in comparisons:
            kept = known.get((comparison.a, comparison.b, comparison.cell))
            if kept is None:
                self.comparisons.append(comparison)
            else:
                kept.intervals += [new for new in comparison.intervals if new.forks > kept.intervals[-1].forks]
