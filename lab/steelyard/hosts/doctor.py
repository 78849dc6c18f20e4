"""Checks this machine for causes of false measurements, with advice on each."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from ..models.records import Check
from . import cpus, pace
from .environment import reference_spin
from .placement import Placement
from .process_table import Process, descends, processes
from .processors import CpuTimes, machine_times

BUSY_SHARE = 0.01
BUSY_ELSEWHERE_SHARE = 0.05  # share of a processor on another host, where the check itself uses some
STEAL_SHARE = 0.01
# Variables of server runtimes and start scripts that no factor sets. They would silently change the measured server.
_READ_BY_SERVERS = frozenset(
    {
        *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "JAVA_OPTS", "CATALINA_OPTS", "JVM_ARGS"),
        *("GODEBUG", "GOMEMLIMIT", "NODE_OPTIONS", "LD_PRELOAD", "GLIBC_TUNABLES"),
    }
)
_READ_BY_SERVERS_BEGIN = ("MALLOC_", "MONO_")


def examine(seconds: float = 1.0, ours: Collection[int] = ()) -> list[Check]:
    """Check the machine for `seconds`. Processes in `ours` and their descendants are not counted as others."""
    shares = cpus.share()
    before, machine_before = processes(), machine_times()
    time.sleep(seconds)
    after, machine_after = processes(), machine_times()
    return [
        _other_processes(before, after, seconds, {os.getpid(), *ours}),
        _steal(machine_before, machine_after),
        _governor(_governors()),
        _swap(_read(Path("/proc/meminfo"))),
        _clock_source(_read(Path("/sys/devices/system/clocksource/clocksource0/current_clocksource"))),
        _processors(shares),
        _quota(shares, len(os.sched_getaffinity(0))),
        _inherited_variables(os.environ),
        pace.check(reference_spin()),
    ]


def examine_host(site: Placement, seconds: float = 0.5) -> list[Check]:
    """Check the subjects' machine for `seconds` before they run; empty where it is this machine, or the connection is lost."""
    seen = site.reach.condition(seconds)
    if seen is None:
        return []
    before, after = (machine_times(stat) for stat in (seen.stat_before, seen.stat_after))
    checks = [
        _other_work(before, after, seconds),
        _steal(before, after),
        _governor(set(seen.governors.split())),
        _swap(seen.memory),
        _clock_source(seen.clock_source.strip()),
    ]
    return [check.model_copy(update={"name": f"{check.name} on {site.name}"}) for check in checks]


def warnings(checks: list[Check]) -> list[str]:
    """One line for each check that failed: its name, the finding, and what to do."""
    return [f"{check.name}: {check.found}; {check.advice}" for check in checks if not check.good]


def _other_processes(before: dict[int, Process], after: dict[int, Process], seconds: float, ours: set[int]) -> Check:
    """The busy processes. Kernel threads are left out: nobody can end them, and any load keeps them busy."""
    busy: list[str] = []
    for pid, process in after.items():
        used = (process.cpu_ns - (before[pid].cpu_ns if pid in before else 0)) / 1e9
        if used / seconds > BUSY_SHARE and not process.kernel and not descends(process, ours, after):
            busy.append(f"{process.name} (process {pid}) {used / seconds:.0%}")
    return Check(
        name="other processes",
        found=", ".join(busy) or f"none above {BUSY_SHARE:.0%} of a processor",
        good=not busy,
        advice="end them, or wait for their end",
    )


def _other_work(before: dict[int, CpuTimes], after: dict[int, CpuTimes], seconds: float) -> Check:
    """The load of a machine without processes of ours."""
    used = sum(
        times.user_s + times.system_s - before[cpu].user_s - before[cpu].system_s
        for cpu, times in after.items()
        if cpu in before
    )
    return Check(
        name="other processes",
        found=f"{used / seconds:.0%} of a processor was used",
        good=used / seconds <= BUSY_ELSEWHERE_SHARE,
        advice="end them, or wait for their end",
    )


def _steal(before: dict[int, CpuTimes], after: dict[int, CpuTimes]) -> Check:
    def total(times: CpuTimes) -> float:
        return times.user_s + times.system_s + times.idle_s + times.steal_s

    stolen = sum(after[cpu].steal_s - before[cpu].steal_s for cpu in after if cpu in before)
    passed = sum(total(after[cpu]) - total(before[cpu]) for cpu in after if cpu in before)
    share = stolen / passed if passed > 0 else 0.0
    return Check(
        name="steal",
        found=f"{share:.1%} of the processors' time was taken by the host",
        good=share <= STEAL_SHARE,
        advice="use a dedicated machine, or more forks",
    )


def _governors() -> set[str]:
    paths = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    return {_read(path) for path in paths} - {""}


def _governor(governors: set[str]) -> Check:
    return Check(
        name="frequency governor",
        found=", ".join(sorted(governors)) or "not shown by this machine",
        good=governors <= {"performance"},
        advice="set it with `cpupower frequency-set -g performance`",
    )


def _swap(meminfo: str) -> Check:
    values = {
        name: value.split()[0] for name, _, value in (line.partition(":") for line in meminfo.splitlines()) if value
    }
    used = int(values.get("SwapTotal", 0)) - int(values.get("SwapFree", 0))
    return Check(
        name="swap in use", found=f"{used / 1024:.0f} MiB", good=used < 1024, advice="free memory, then `swapoff -a`"
    )


def _clock_source(source: str) -> Check:
    return Check(
        name="clock source",
        found=source or "not shown by this machine",
        good=source in {"tsc", "kvm-clock", "arch_sys_counter", ""},
        advice="boot with clocksource=tsc: reading the time is slow with this clock source",
    )


def _processors(shares: cpus.Shares) -> Check:
    count = len({*shares.server, *shares.engine})
    return Check(
        name="processors",
        found=f"{count}, all threads of one core" if shares.same_core else str(count),
        good=shares.is_separate and not shares.same_core,
        advice="the engine and the servers compete for one core: add a second one"
        if shares.same_core
        else "the engine and the servers compete for the one processor",
    )


def _quota(shares: cpus.Shares, available: int) -> Check:
    granted = shares.quota
    return Check(
        name="processor quota",
        found="none" if granted is None else f"the time of {granted:g} of {available} processors",
        good=granted is None,
        advice="a process above its quota is halted: bind to processors instead (`docker run --cpuset-cpus 0-3`, not `--cpus`)",
    )


def _inherited_variables(variables: Iterable[str]) -> Check:
    """Variables by name only, since a value may hold a secret."""
    read = sorted(name for name in variables if name in _READ_BY_SERVERS or name.startswith(_READ_BY_SERVERS_BEGIN))
    return Check(
        name="environment",
        found=", ".join(read) or "no variable that changes how servers run",
        good=not read,
        advice="unset it, or state it with every result: servers read it at their start",
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
