"""Resource use of the subjects and the machine during a slice, read only while the engine is drained."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from ..base.table_writer import TableWriter
from ..base.typed_rows import columns_of
from ..results.tables import Observation, ProcessorTime, Throttled
from . import quota
from .keeper import ProcessUse
from .processors import CpuTimes, machine_times
from .running import RunningSubject


@dataclass(frozen=True)
class Reading:
    """One reading of a subject and the machine; `at_ns` is CLOCK_MONOTONIC; `throttling` is None without a quota.

    `use` is by place; the use of `companions` is not judged. `host` is the subject's host where it is another machine, and
    `theirs` are the times of its processors.
    """

    at_ns: int
    use: dict[str, list[ProcessUse]]
    machine: dict[int, CpuTimes]
    throttling: quota.Throttling | None = None
    companions: frozenset[str] = frozenset()
    host: str = ""
    theirs: Mapping[int, CpuTimes] = field(default_factory=dict)


def read(subject: RunningSubject) -> Reading:
    """The use of the subject's processes and of the machine's processors so far; raises KeeperError."""
    use = subject.use()
    companions = frozenset(part.part.place for part in subject.parts if not part.part.judged)
    site = subject.front.site
    theirs = site.reach.processor_times()
    return Reading(
        time.monotonic_ns(),
        use,
        machine_times(),
        quota.throttling(),
        companions,
        "" if theirs is None else site.name,
        {} if theirs is None else machine_times(theirs),
    )


def reading_of(use: dict[str, list[ProcessUse]]) -> Reading:
    """A reading from `use`, the processes by role, and the machine's processors now; `use` is empty for a subject with unknown
    processes."""
    return Reading(time.monotonic_ns(), use, machine_times(), quota.throttling())


class Observer:
    """Writes the difference between two readings of a slice to observations.csv, machine.csv and throttling.csv of a trial's
    folder."""

    def __init__(self, folder: Path) -> None:
        self._observations = TableWriter(folder / "observations.csv", columns_of(Observation))
        self._machine = TableWriter(folder / "machine.csv", columns_of(ProcessorTime))
        self._throttling = TableWriter(folder / "throttling.csv", columns_of(Throttled))

    def __enter__(self) -> Observer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for table in (self._observations, self._machine, self._throttling):
            table.close()

    def record(self, slice_number: int, subject: str, before: Reading, after: Reading) -> tuple[int, int]:
        """Store the difference of two readings; returns the ns of JIT compilers, and of the judged processes."""
        jit_ns = cpu_ns = 0
        rows = []
        for place, processes in after.use.items():
            # A process that started meanwhile counts fully, even where it has the id of an ended one.
            begun = {(process.pid, process.start_ticks): process for process in before.use.get(place, [])}
            for process in processes:
                first = begun.get((process.pid, process.start_ticks))
                cpu = max(0, process.cpu_ns - (first.cpu_ns if first else 0))
                jit = max(0, process.jit_ns - (first.jit_ns if first else 0))
                jit_ns += jit
                cpu_ns += cpu if place not in after.companions else 0
                rows.append(
                    [
                        slice_number,
                        subject,
                        place,
                        process.pid,
                        process.name,
                        before.at_ns,
                        after.at_ns,
                        cpu,
                        jit,
                        process.rss_bytes,
                        int(place not in after.companions),
                    ]
                )
        self._observations.append(rows)
        self._record_processors(slice_number, "", before.machine, after.machine)
        self._record_processors(slice_number, after.host, before.theirs, after.theirs)
        if after.throttling is not None and before.throttling is not None:
            throttled = after.throttling.since(before.throttling)
            self._throttling.append([[slice_number, throttled.periods, f"{throttled.seconds:.6f}"]])
        return jit_ns, cpu_ns

    def _record_processors(
        self, slice_number: int, host: str, before: Mapping[int, CpuTimes], after: Mapping[int, CpuTimes]
    ) -> None:
        rows = []
        for cpu_number in sorted(after.keys() & before.keys()):  # a processor may be switched off or on meanwhile
            times, first_times = after[cpu_number], before[cpu_number]
            spent = [
                f"{now - then:.2f}"
                for now, then in (
                    (times.user_s, first_times.user_s),
                    (times.system_s, first_times.system_s),
                    (times.idle_s, first_times.idle_s),
                    (times.steal_s, first_times.steal_s),
                )
            ]
            rows.append([slice_number, cpu_number, *spent, host])
        self._machine.append(rows)


def threads(pids: Iterable[int]) -> int:
    """The number of threads of these processes of this machine; ended processes count as 0."""
    count = 0
    for pid in pids:
        with suppress(OSError):
            count += len(list(Path(f"/proc/{pid}/task").iterdir()))
    return count
