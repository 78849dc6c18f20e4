"""Processor time of foreign processes on the subjects' processors while slices are driven, and the names of these processes.

Foreign time is the processors' time minus idle time, our own processes' clocks and kernel work. It is at most the time that
strangers used by their own clocks, where all of them are visible, since an idle processor handles interrupts in no process's
time. Readings are taken before and after a slice, or after all slices that take turns, never while the engine drives.
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ..base.errors import ConfigurationError
from ..base.table_writer import TableWriter
from ..base.typed_rows import columns_of, fields_of
from ..models.records import Check
from ..results.foreign_table import NAME, STRANGERS, ForeignWork, Stranger
from .process_table import Process, ancestors, clock_ns, descends, processes, processors_of, threads_ns
from .processors import CpuTimes, machine_times

_MOST_STRANGERS = 5  # rows of strangers.csv per reading
_LEAST_SHARE = 0.005  # share of the time between two readings; smaller users are not listed
_COUNTED_SHARE = 0.8  # share of the time that a processor's counters must cover; otherwise its use is unknown
_VARIABLE = "STEELYARD_STRANGERS"
_INTERRUPT_ACCOUNTING = "CONFIG_IRQ_TIME_ACCOUNTING"

Identity = tuple[int, int]  # a process's id and start


@dataclass(frozen=True)
class Used:
    """The time in ns that a stranger has used until a reading, including its ended children."""

    process: Process
    cpu_ns: int


@dataclass(frozen=True)
class KernelThread:
    """The time in ns that a kernel thread has used until a reading, and whether it last ran on the subjects' processors."""

    cpu_ns: int
    there: bool


@dataclass(frozen=True)
class ForeignLook:
    """One reading of the subjects' processors: the times of each, and the use of our processes, of kernel threads and of
    strangers.

    `at_ns` is CLOCK_MONOTONIC. `ours_ns` counts the subjects' processors alone; a stranger's time counts any processor. `kernel`
    are the kernel's threads.
    """

    at_ns: int
    processors: Mapping[int, CpuTimes]
    ours_ns: int
    kernel: Mapping[Identity, KernelThread]
    strangers: Mapping[Identity, Used]

    @property
    def sees_all_processes(self) -> bool:
        """Whether all processes of the machine are visible: a process that sees kernel threads is in no container that hides
        others."""
        return bool(self.kernel)


def look(cpus: Collection[int], roots: Collection[int]) -> ForeignLook:
    """Read the processors `cpus`; processes in `roots` and their descendants are ours."""
    listed = processes()
    ours = [process for process in listed.values() if descends(process, roots, listed)]
    kernel = [process for process in listed.values() if process.kernel]
    known = {process.pid for process in (*ours, *kernel)}
    strangers = {
        (process.pid, process.start_ticks): Used(
            process, (clock_ns(process.pid) or process.cpu_ns) + process.children_ns
        )
        for process in listed.values()
        if process.pid not in known
    }
    # read close together: time between these readings counts as foreign
    times, at_ns = machine_times(), time.monotonic_ns()
    ours_ns = sum(_used_on(process, cpus) for process in ours)
    threads = {
        (process.pid, process.start_ticks): KernelThread(
            clock_ns(process.pid) or process.cpu_ns, process.last_cpu in cpus
        )
        for process in kernel
    }
    return ForeignLook(at_ns, {cpu: times[cpu] for cpu in cpus if cpu in times}, ours_ns, threads, strangers)


def _used_on(process: Process, cpus: Collection[int]) -> int:
    """The time that a process of ours has used on `cpus`; counted by thread where not all threads run there.

    A thread that may run there and elsewhere counts fully, so that no time of ours counts as foreign.
    """
    allowed = processors_of(process.pid)
    if allowed and allowed <= {*cpus}:
        return (clock_ns(process.pid) or 0) + process.children_ns
    return threads_ns(process.pid, cpus) + (0 if allowed.isdisjoint(cpus) else process.children_ns)


def used_between(
    slices: Sequence[int], before: ForeignLook, after: ForeignLook, *, interrupts_in_clocks: bool
) -> ForeignWork | None:
    """The processors' time between two readings by use; None where the kernel does not report it.

    `interrupts_in_clocks`: the clock of a process continues while an interrupt is handled in its time.
    """
    strangers_ns = sum(each.cpu_ns for each in _strangers(slices, before, after, before.processors))
    cpus = before.processors.keys() & after.processors.keys()
    wall_ns = after.at_ns - before.at_ns
    spent = [_elapsed_times(before.processors[cpu], after.processors[cpu]) for cpu in cpus]
    counted = [times.user_s + times.system_s + times.idle_s + times.steal_s for times in spent]
    if not cpus or wall_ns <= 0 or min(counted) < _COUNTED_SHARE * wall_ns / 1e9 - 0.02:
        return None
    interrupts_s = 0.0 if interrupts_in_clocks else sum(times.interrupts_s for times in spent)
    return ForeignWork(
        slices="+".join(map(str, slices)),
        begin_ns=before.at_ns,
        end_ns=after.at_ns,
        processors=len(cpus),
        available_ns=max(0, len(cpus) * wall_ns - _ns(sum(times.steal_s for times in spent))),
        idle_ns=_ns(sum(times.idle_s for times in spent)),
        ours_ns=max(0, after.ours_ns - before.ours_ns),
        kernel_ns=_kernel_ns(before, after) + _ns(interrupts_s),
        strangers_ns=strangers_ns if after.sees_all_processes else None,
    )


def _kernel_ns(before: ForeignLook, after: ForeignLook) -> int:
    """The time between two readings of kernel threads that last ran on the subjects' processors."""
    return sum(
        max(0, thread.cpu_ns - (before.kernel[identity].cpu_ns if identity in before.kernel else 0))
        for identity, thread in after.kernel.items()
        if thread.there
    )


def _elapsed_times(before: CpuTimes, after: CpuTimes) -> CpuTimes:
    return CpuTimes(
        after.user_s - before.user_s,
        after.system_s - before.system_s,
        after.idle_s - before.idle_s,
        after.steal_s - before.steal_s,
        after.interrupts_s - before.interrupts_s,
    )


def _ns(seconds: float) -> int:
    return max(0, round(seconds * 1e9))


def busiest_strangers(
    slices: Sequence[int], before: ForeignLook, after: ForeignLook, cpus: Collection[int]
) -> list[Stranger]:
    """The strangers with the most time between two readings that may run on `cpus`, the busiest first."""
    least_ns = _LEAST_SHARE * (after.at_ns - before.at_ns)
    busy = [stranger for stranger in _strangers(slices, before, after, cpus) if stranger.cpu_ns > least_ns]
    return sorted(busy, key=lambda stranger: -stranger.cpu_ns)[:_MOST_STRANGERS]


def _strangers(
    slices: Sequence[int], before: ForeignLook, after: ForeignLook, cpus: Collection[int]
) -> Iterator[Stranger]:
    """The time between two readings of each stranger that may run on `cpus`, on any processor.

    The time of a process that ended meanwhile counts for its parent that waited for it, or for ended ancestors in between.
    """
    there = {identity[0] for identity in before.strangers if identity in after.strangers}
    before_by_pid = {identity[0]: used.process for identity, used in before.strangers.items()}
    ended: dict[int, int] = {}  # by process: what its descendants that ended since had used before
    for identity, used in before.strangers.items():
        if identity in after.strangers:
            continue
        waits = next((pid for pid in ancestors(used.process.parent, before_by_pid) if pid in there), None)
        if waits is not None:
            ended[waits] = ended.get(waits, 0) + used.cpu_ns
    for identity, used in after.strangers.items():
        earlier = before.strangers.get(identity)
        first_ns = 0 if earlier is None else earlier.cpu_ns + ended.get(identity[0], 0)
        if used.cpu_ns > first_ns and not processors_of(identity[0]).isdisjoint(cpus):
            yield Stranger("+".join(map(str, slices)), identity[0], used.process.name, used.cpu_ns - first_ns)


def interrupts_in_clocks(root: Path = Path("/")) -> bool:
    """Whether the clocks of processes continue while interrupts are handled in their time, by the kernel's configuration.

    False where that cannot be read: then interrupts are at worst subtracted twice, and no time is wrongly called foreign.
    """
    release = os.uname().release
    for place in ("proc/config.gz", f"boot/config-{release}", f"lib/modules/{release}/config"):
        try:
            content = (root / place).read_bytes()
            text = (gzip.decompress(content) if place.endswith(".gz") else content).decode("ascii", "replace")
        except (OSError, EOFError, gzip.BadGzipFile):
            continue
        return f"{_INTERRUPT_ACCOUNTING}=y" not in text.splitlines()
    return False


def may_count_strangers(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether pairs with foreign work count (STEELYARD_STRANGERS=yes); raises ConfigurationError for other values."""
    word = environment.get(_VARIABLE, "")
    if word not in ("", "no", "yes"):
        raise ConfigurationError(f"{_VARIABLE} is '{word}', but must be yes or no")
    return word == "yes"


NOT_LOOKED_FOR = Check(
    name="work of others",
    found=f"not looked for while measuring ({_VARIABLE}=yes)",
    good=False,
    advice=f"unset {_VARIABLE}, or state it with every result",
)


class ForeignObserver:
    """Writes the foreign use between two readings into foreign.csv and strangers.csv of a trial's folder.

    Without `cpus` (the subjects run on another machine, or nothing is timed) it does nothing.
    """

    def __init__(self, folder: Path, cpus: Collection[int], roots: Collection[int]) -> None:
        self._of_pair: list[ForeignWork] = []
        self._pairs = self._disturbed = 0
        self._cpus, self._roots = frozenset(cpus), frozenset(roots)
        self._in_clocks = interrupts_in_clocks()
        kinds = {NAME: ForeignWork, STRANGERS: Stranger} if self._cpus else {}
        self._tables = [TableWriter(folder / name, columns_of(kind)) for name, kind in kinds.items()]

    def __enter__(self) -> ForeignObserver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for table in self._tables:
            table.close()

    def begin_pair(self) -> None:
        """Start the record of the next pair."""
        self._of_pair = []

    def pair_is_disturbed(self) -> bool:
        """Whether foreign work disturbed the pair that just ended."""
        is_disturbed = any(row.is_disturbed for row in self._of_pair)
        self._pairs += 1
        self._disturbed += is_disturbed
        return is_disturbed

    @property
    def busy(self) -> bool:
        """Whether foreign work disturbed most pairs so far."""
        return 2 * self._disturbed > self._pairs

    def look(self) -> ForeignLook | None:
        """The current reading of the subjects' processors; None where nothing is observed."""
        return look(self._cpus, self._roots) if self._cpus else None

    def record(self, slices: Sequence[int], before: ForeignLook | None) -> None:
        """Store the foreign use since `before`, while these slices were driven."""
        after = None if before is None else self.look()
        if before is None or after is None:
            return
        used = used_between(slices, before, after, interrupts_in_clocks=self._in_clocks)
        if used is None:
            return
        self._of_pair.append(used)
        strangers = busiest_strangers(slices, before, after, self._cpus)
        of_foreign, of_strangers = self._tables
        of_foreign.append([fields_of(used)])
        of_strangers.append(map(fields_of, strangers))
