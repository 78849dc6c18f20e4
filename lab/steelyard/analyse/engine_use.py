"""How busy the engine was: its busiest thread, and all of its processors together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..base.text import plural
from ..results.stored_run import Trial
from ..results.tables import SliceRow

ENGINE_SHARE_LIMIT = 0.90


@dataclass(frozen=True)
class EngineUse:
    """Shares of the measured time: of the engine's busiest thread (`busiest`), and of all its `processors` (`whole`)."""

    busiest: float
    whole: float
    threads: int
    processors: int

    @property
    def share(self) -> float:
        """The share that is judged: threads that share a processor can be the limit though none of them is full."""
        return max(self.busiest, self.whole) if self.threads > self.processors else self.busiest

    @property
    def threads_text(self) -> str:
        """Which thread the share is of, and which threads share a processor; empty of one thread."""
        if self.threads == 1:
            return ""
        if self.threads > self.processors:
            return f", {self.threads} threads on {plural(self.processors, 'processor')}"
        return f" in the busiest of {self.threads} threads"

    @property
    def limit(self) -> str:
        """What a full thread means: the engine is the limit only where all of its processors are busy."""
        if self.processors == 1 or self.whole > ENGINE_SHARE_LIMIT:
            return "it, not the server, may be the limit"
        return f"one of its threads was full, and its {self.processors} processors were {self.whole:.0%} busy"


def engine_use(rows: Sequence[tuple[Trial, SliceRow]]) -> EngineUse:
    """How busy the engine was over these slices.

    Older runs lack the busiest thread, so all threads together are used. The driver of RMI has a thread for each user, so only
    its processors can be the limit.
    """
    threads = max(trial.engine_threads for trial, _ in rows)
    records = [trial.record_or_empty for trial, _ in rows]
    processors = max(len(record.engine_cpus) // record.engines for record in records) or threads
    measured = sum(row.measured_ns for _, row in rows)
    spent = sum(row.engine_user_ns + row.engine_system_ns for _, row in rows)
    whole = spent / (measured * processors)
    if all(row.thread_sent_most == 0 < row.sent for _, row in rows):
        return EngineUse(whole, whole, 1, processors)
    if all(row.thread_cpu_most_ns for _, row in rows):
        busiest = sum(row.thread_cpu_most_ns for _, row in rows) / measured
    else:
        busiest = spent / sum(row.measured_ns * trial.engine_threads for trial, row in rows)
    return EngineUse(busiest, whole, threads, processors)
