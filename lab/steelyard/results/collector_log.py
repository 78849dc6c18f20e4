"""The garbage collector log of a JVM: its pauses and the bytes allocated between them, by the clock of Steelyard.

The log is HotSpot's own (`-Xlog:gc*` with the decorators timenanos and tags), of any of its collectors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import names_in, read_bytes

SUFFIX = ".gc.log"
_LINE = re.compile(r"\[(\d{1,19})ns\]\s*\[([a-z0-9,]+)\s*\] (.*)")
_INSTANT = re.compile(r"^\[(\d{1,19})ns\]", re.M)
_USING = re.compile(r"Using ([\w ]{1,40})$")
_PAUSE = re.compile(r"GC\(\d+\) (?:[yYoO]: )?(Pause .*?)(?: \d+[KMG](?:\(\d+%\))?->.*?)? (\d+\.\d+)ms$")
_HEAP = re.compile(r"GC\(\d+\) .*?(\d+)([KMG])(?:\(\d+%\))?->(\d+)([KMG])")
_BYTES = {"K": 2**10, "M": 2**20, "G": 2**30}


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of all threads: when it began (CLOCK_MONOTONIC), its length, and its `kind` as in the log."""

    begin_ns: int
    length_ns: int
    kind: str

    @property
    def end_ns(self) -> int:
        """When the threads resumed (CLOCK_MONOTONIC)."""
        return self.begin_ns + self.length_ns


@dataclass(frozen=True)
class CollectorLog:
    """The log of one process.

    `allocated` are the instants of collections, with the bytes allocated since the collection before, rounded as in the log. A
    collector that runs beside the program (Z) does not report what is allocated meanwhile.
    """

    collector: str
    pauses: tuple[Pause, ...]
    allocated: tuple[tuple[int, int], ...]

    def pauses_within(self, begin_ns: int, end_ns: int) -> list[Pause]:
        """The pauses that overlap the time between two instants (CLOCK_MONOTONIC)."""
        return [pause for pause in self.pauses if pause.end_ns > begin_ns and pause.begin_ns < end_ns]

    def paused_ns(self, begin_ns: int, end_ns: int) -> int:
        """How long all threads were paused between two instants."""
        within = self.pauses_within(begin_ns, end_ns)
        return sum(min(pause.end_ns, end_ns) - max(pause.begin_ns, begin_ns) for pause in within)

    def allocated_bytes(self, begin_ns: int, end_ns: int) -> float:
        """The bytes allocated in that time, spread evenly between two collections. Bytes after the last collection are not
        included."""
        total, before = 0.0, None
        for instant, bytes_ in self.allocated:
            if before is not None and instant > before:
                part = min(instant, end_ns) - max(before, begin_ns)
                total += bytes_ * max(0, part) / (instant - before)
            before = instant
        return total


def collector_log_of(trial: Path, subject: str, place: str) -> Path:
    """The path of the collector log of a place's process."""
    return trial / f"{subject}.{place}{SUFFIX}"


def read_collector_logs(trial: Path) -> dict[str, CollectorLog]:
    """The logs of a trial by `subject.place`; raises StoreError where one cannot be read. Truncated lines are ignored."""
    wanted = [name for name in names_in(trial) if name.endswith(SUFFIX)]
    return {name.removesuffix(SUFFIX): parse(read_bytes(trial / name).decode(errors="replace")) for name in wanted}


def by_another_clock(text: str, translated: Callable[[int], int]) -> str:
    """The text of a log with its instants converted to another clock."""
    return _INSTANT.sub(lambda instant: f"[{translated(int(instant[1]))}ns]", text)


def parse(text: str) -> CollectorLog:
    """The collector, its pauses and allocations, from a log's text; other lines are ignored."""
    collector = ""
    pauses: list[Pause] = []
    allocated: list[tuple[int, int]] = []
    used_after: int | None = None
    for line in text.splitlines():
        entry = _LINE.fullmatch(line)
        if entry is None:
            continue
        instant, tags, text = int(entry[1]), entry[2].split(","), entry[3]
        if using := _USING.fullmatch(text):
            collector = collector or using[1]
        if tags not in (["gc"], ["gc", "phases"]):
            continue
        if pause := _PAUSE.fullmatch(text):
            length = round(float(pause[2]) * 1e6)
            pauses.append(Pause(instant - length, length, pause[1]))
        heap = _HEAP.match(text) if tags == ["gc"] else None
        if heap:
            before, after = int(heap[1]) * _BYTES[heap[2]], int(heap[3]) * _BYTES[heap[4]]
            allocated.append((instant, max(0, before - (used_after or 0))))
            used_after = after
    return CollectorLog(collector, tuple(pauses), tuple(allocated))
