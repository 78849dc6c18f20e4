"""Divides the machine's processors between subjects and engine, and keeps them from halting."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ..base.children import hold_interrupts, start_child
from ..base.errors import ConfigurationError, EngineError, ProvisionError
from . import quota
from .keeper import binary
from .topology import Topology, parse_list, read_topology

Owner = Literal["server", "engine", "own"]


@dataclass(frozen=True)
class Shares:
    """Processors of the subjects and of the engine, the same list twice where there is only one; those that are kept awake.

    `companions` are those that databases and brokers have for themselves; none where there are none to spare. `elsewhere` says that
    those of the subjects are another machine's.
    `same_core` says that processors of the two are threads of one core, and `quota` how many processors' time we are
    allowed in all, where that is limited. `placement` names the NUMA nodes and the kinds of cores of the subjects' processors;
    empty on a machine with one of each. `halves` are the processors of each of two subjects that run at once, and of its engine;
    empty where all subjects have the same.
    """

    server: list[int]
    engine: list[int]
    awake: list[int] = field(default_factory=list)
    same_core: bool = False
    quota: float | None = None
    companions: list[int] = field(default_factory=list)
    elsewhere: bool = False
    placement: str = ""
    halves: list[Shares] = field(default_factory=list)

    def half(self, place: int) -> Shares:
        """The processors of one subject: the two halves by turns, or all where there are no halves."""
        return self.halves[place % len(self.halves)] if self.halves else self

    @property
    def all(self) -> list[int]:
        """The processors of subjects, companions and engine."""
        return sorted({*self.server, *self.companions, *self.engine})

    def of(self, owner: Owner | None) -> list[int]:
        """The processors of a process; None: a companion's own, or else the engine's. Raises ProvisionError where it asks for
        its own and there are none."""
        if owner == "own" and not self.companions:
            raise ProvisionError(
                "a companion needs its own processors, and none are free",
                hint='set processors = "server" or "engine" on the companion to share theirs',
            )
        shares = {"server": self.server, "engine": self.engine, "own": self.companions}
        if owner is not None and not (self.elsewhere and owner == "engine"):
            return shares[owner]
        return self.companions or (self.server if self.elsewhere else self.engine)

    @property
    def is_separate(self) -> bool:
        """Whether no processor is shared by a subject and the engine."""
        return self.elsewhere or not set(self.server) & set(self.engine)


@contextmanager
def pin_thread(cpus: Collection[int]) -> Iterator[None]:
    """This thread, and what it begins meanwhile, runs on `cpus` alone; afterwards where it ran before."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def share(
    available: Collection[int] | None = None, root: Path = Path("/"), *, companions: bool = False, idle: bool = False
) -> Shares:
    """The last quarter of the processors, at least one, for the engine and the rest for the subjects, on cores of their own
    where there are two; no more processors than a quota pays for. With `companions`, the quarter before it is theirs where
    there are four cores or more. Where cores are of several kinds, those of the slower kind are the engine's and the companions'
    first, and none is left to the subjects beside fast ones.

    A virtual machine's are kept awake: one that halts is given back by its host only when the host has room. That would
    use a quota up, so none is where there is one. Where the load leaves the servers `idle` (an open one), only the engine's are: a
    thread that sleeps is woken late on a processor on which another spins, whatever their priorities. STEELYARD_AWAKE (yes, no or
    engine) overrules; raises ConfigurationError where it is something else.
    """
    allowed = quota.processors(root)
    allowed_cpus = os.sched_getaffinity(0) if available is None else available
    topology = read_topology(allowed_cpus, root)
    sorted_cores = sorted(cores_of(allowed_cpus, root), key=lambda core: topology.key(core[0]))
    cores = _within_quota(sorted_cores, allowed)
    cpus = sorted(cpu for core in cores for cpu in core)
    awake = parse_keep_awake(os.environ.get("STEELYARD_AWAKE", ""), limited=allowed is not None, idle=idle, root=root)
    if len(cpus) < 2:
        shares = Shares(cpus, cpus, quota=allowed)
    elif len(cores) == 1:
        wanted = max(1, len(cpus) // 4)
        shares = Shares(cpus[:-wanted], cpus[-wanted:], same_core=True, quota=allowed)
    else:
        shares = _of_cores(cores, max(1, len(cpus) // 4), companions and len(cores) >= 4, allowed, topology)
    kept = {"all": shares.all, "engine": shares.engine, "none": []}
    return replace(shares, awake=sorted(set(kept[awake])), placement=topology.describe(shares.server))


def as_declared(shares: Shares, server: Collection[int], engine: Collection[int]) -> Shares:
    """`shares` with the processors that a hosts file declares for either, where it does; raises ConfigurationError where the
    machine has no such processor for us."""
    _require_there((*server, *engine), os.sched_getaffinity(0))
    changed = replace(shares, server=sorted(server) or shares.server, engine=sorted(engine) or shares.engine)
    all_awake = set(shares.server) <= set(shares.awake)
    awake = {*changed.server, *changed.companions, *changed.engine} if all_awake else changed.engine
    cores = cores_of({*changed.server, *changed.engine}, Path("/"))
    return replace(
        changed, awake=sorted(awake) if shares.awake else [], same_core=changed.is_separate and len(cores) == 1
    )


def _require_there(declared: Collection[int], available: Collection[int]) -> None:
    for cpu in declared:
        if cpu not in available:
            raise ConfigurationError(
                f"the hosts file gives a host processor {cpu}, which is not there or not allowed",
                hint=f"there are {', '.join(map(str, sorted(available)))}",
            )


def with_host_processors(
    shares: Shares, theirs: Collection[int], server: Collection[int], engine: Collection[int]
) -> Shares:
    """`shares` where subjects have a machine of their own, with processors `theirs`: this one is the engine's alone. `server` and
    `engine` are what a hosts file declares, where it does; raises ConfigurationError where a machine has no such processor for us.
    """
    ours = shares.all
    _require_there(server, theirs)
    _require_there(engine, os.sched_getaffinity(0))
    engines = sorted(engine) or ours
    return Shares(
        sorted(server) or sorted(theirs),
        engines,
        awake=engines if shares.awake else [],
        quota=shares.quota,
        elsewhere=True,
    )


def _of_cores(cores: list[list[int]], wanted: int, apart: bool, allowed: float | None, topology: Topology) -> Shares:
    engine = _take_last(cores, wanted)
    own = _take_last(cores, wanted) if apart else []
    fastest = topology.kinds[cores[0][0]]
    while topology.kinds[cores[-1][0]] != fastest:
        engine = sorted([*engine, *cores.pop()])
    return Shares(sorted(cpu for core in cores for cpu in core), engine, quota=allowed, companions=own)


def _take_last(cores: list[list[int]], wanted: int) -> list[int]:
    """The last cores that hold as many processors as wanted, taken off the list."""
    taken: list[int] = []
    while len(taken) < wanted:
        taken += cores.pop()
    return sorted(taken)


def cores_of(cpus: Collection[int], root: Path) -> list[list[int]]:
    """These processors by the core that they are threads of, in order; each is a core where the machine reports none."""
    by_siblings: dict[frozenset[int], list[int]] = {}
    for cpu in sorted(cpus):
        place = root / f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        try:
            threads = frozenset(parse_list(place.read_text(encoding="ascii")))
        except (OSError, ValueError):
            threads = frozenset({cpu})
        by_siblings.setdefault(threads, []).append(cpu)
    return list(by_siblings.values())


def _within_quota(cores: list[list[int]], allowed: float | None) -> list[list[int]]:
    """As many processors as a quota pays for in full, at least one, of as many cores as there are."""
    if allowed is None:
        return cores
    threads = sorted((place, number, cpu) for number, core in enumerate(cores) for place, cpu in enumerate(core))
    kept = {cpu for _, _, cpu in threads[: max(1, int(allowed))]}
    return [left for core in cores if (left := [cpu for cpu in core if cpu in kept])]


@contextmanager
def kept_awake(shares: Shares) -> Iterator[None]:
    """Keep the processors from halting, by threads that yield to everything else; raises EngineError where that is refused."""
    if not shares.awake:
        yield
        return
    listed = ",".join(map(str, shares.awake))
    # Its end of file is our end, however that comes.
    program = binary("steelyard-engine")
    with start_child(
        lambda: subprocess.Popen(
            [program, "awake", listed],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        try:
            if not process.stdout.readline():
                raise EngineError(
                    f"the processors cannot be kept awake: {process.stderr.read().strip()}",
                    hint="STEELYARD_AWAKE=no measures without",
                )
            yield
        finally:
            # Its threads yield to everything else, so on a busy machine it is long in dying, and after Ctrl-C Popen itself waits a
            # quarter of a second at the most.
            with hold_interrupts():
                process.kill()
                process.wait()


def parse_keep_awake(
    value: str, *, limited: bool = False, idle: bool = False, root: Path = Path("/")
) -> Literal["all", "engine", "none"]:
    """Whose processors to keep awake, by the user's `value`: yes, no, engine, or nothing; raises ConfigurationError.

    `limited`: a quota would be charged for it; `idle`: the load leaves the servers idle.
    """
    match value:
        case "yes":
            return "all"
        case "no" | "engine":
            return "engine" if value == "engine" else "none"
        case "":
            kept: Literal["all", "engine"] = "engine" if idle else "all"
            return "none" if limited or not _virtual(root) else kept
    raise ConfigurationError(f"STEELYARD_AWAKE is '{value}', but must be yes, no or engine")


def _virtual(root: Path) -> bool:
    try:
        lines = (root / "proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any("hypervisor" in line.split() for line in lines if line.startswith("flags"))
