"""The processes of this machine from /proc: names, parents, and the processor time of each."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_KERNEL_THREAD = 0x00200000  # PF_KTHREAD of the flags in /proc/PID/stat
_LAST_CPU = 36  # indices of fields after a process's name
_PROCESS_CLOCK = 2  # CPUCLOCK_SCHED: the scheduler's own count, in ns


@dataclass(frozen=True)
class Process:
    """A process. `cpu_ns` is its processor time, `children_ns` that of children that have ended and were waited for.

    Both are read in clock ticks. In `name` a "?" replaces an unprintable character. `start_ticks` distinguishes processes with
    the same id. `kernel` marks a kernel thread, and `last_cpu` is the processor of its last run.
    """

    pid: int
    start_ticks: int
    name: str
    parent: int
    cpu_ns: int
    children_ns: int
    kernel: bool
    last_cpu: int


def processes(root: Path = Path("/proc")) -> dict[int, Process]:
    """Every process by its id, including kernel threads."""
    by_pid: dict[int, Process] = {}
    for folder in root.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # the process ended meanwhile
        name, _, rest = text.partition("(")[2].rpartition(")")
        fields = rest.split()
        if len(fields) <= _LAST_CPU:
            continue  # a kernel with fewer fields
        pid = int(folder.name)
        by_pid[pid] = Process(
            pid=pid,
            start_ticks=int(fields[19]),
            name="".join(letter if letter.isprintable() else "?" for letter in name),
            parent=int(fields[1]),
            cpu_ns=(int(fields[11]) + int(fields[12])) * _TICK_NS,
            children_ns=(int(fields[13]) + int(fields[14])) * _TICK_NS,
            kernel=bool(int(fields[6]) & _KERNEL_THREAD),
            last_cpu=int(fields[_LAST_CPU]),
        )
    return by_pid


def descends(process: Process, roots: Collection[int], among: Mapping[int, Process]) -> bool:
    """Whether a process is one of `roots` or descends from one."""
    return any(ancestor in roots for ancestor in (process.pid, *ancestors(process.parent, among)))


def ancestors(pid: int, among: Mapping[int, Process]) -> Iterator[int]:
    """The process of that id and its ancestors, each once: reused ids must not cause a cycle."""
    met: set[int] = set()
    while pid in among and pid not in met:
        met.add(pid)
        yield pid
        pid = among[pid].parent


def clock_ns(pid: int) -> int | None:
    """The processor time of a living process in ns, more precise than in /proc; None where it has ended."""
    try:
        return time.clock_gettime_ns(~pid << 3 | _PROCESS_CLOCK)
    except OSError:
        return None


def processors_of(thread: int) -> frozenset[int]:
    """The processors that a thread may run on; empty where it has ended."""
    try:
        return frozenset(os.sched_getaffinity(thread))
    except OSError:
        return frozenset()


def threads_ns(pid: int, cpus: Collection[int]) -> int:
    """The processor time in ns of the living threads of a process that may run on one of `cpus`."""
    total = 0
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return 0
    for thread in threads:
        if processors_of(int(thread.name)).isdisjoint(cpus):
            continue
        try:
            total += int((thread / "schedstat").read_text(encoding="ascii").split()[0])
        except (OSError, IndexError, ValueError):
            continue
    return total
