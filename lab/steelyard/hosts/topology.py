"""Which NUMA node each processor of this machine is of, and which kind: fast or slow cores of a hybrid processor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.text import join_words, label_names

_CPUS = "sys/devices/system/cpu"
_PERFORMANCE, _EFFICIENCY = "performance", "efficiency"


@dataclass(frozen=True)
class Topology:
    """Of each processor its NUMA node and its kind, 0 for the fastest; the same of all where the kernel does not say."""

    nodes: Mapping[int, int]
    kinds: Mapping[int, int]

    def key(self, cpu: int) -> tuple[int, int]:
        """Sorts processors: the fastest kind first, and the processors of a node together."""
        return self.kinds[cpu], self.nodes[cpu]

    def choose(self, wanted: int, given: Sequence[int]) -> list[int]:
        """So many of the given processors: of one kind and one node where they fit, else of one kind, else of one node, and the
        fastest kind first."""
        for group_of in (self.key, self.kinds.__getitem__, self.nodes.__getitem__):
            groups: dict[object, list[int]] = {}
            for cpu in sorted(given, key=self.key):
                groups.setdefault(group_of(cpu), []).append(cpu)
            fitting = next((group for group in groups.values() if len(group) >= wanted), None)
            if fitting is not None:
                return sorted(fitting, key=given.index)[:wanted]
        return list(given[:wanted])

    def describe(self, cpus: Collection[int]) -> str:
        """Nodes and kinds of these processors, such as "NUMA node 0, performance cores"; empty on a machine with one of each."""
        parts = []
        if len(set(self.nodes.values())) > 1:
            parts.append(label_names("NUMA node", sorted({self.nodes[cpu] for cpu in cpus})))
        if len(set(self.kinds.values())) > 1:
            names = {_PERFORMANCE if self.kinds[cpu] == 0 else _EFFICIENCY for cpu in cpus}
            parts.append(f"{join_words(sorted(names, reverse=True))} cores")
        return ", ".join(parts)


def read_topology(cpus: Collection[int], root: Path = Path("/")) -> Topology:
    """The topology of these processors, as the kernel's files below `root` have it."""
    nodes = {cpu: node for node, members in _numa_nodes(root) for cpu in members}
    speeds = _speeds(cpus, root)
    order = sorted(set(speeds.values()), reverse=True)
    return Topology({cpu: nodes.get(cpu, 0) for cpu in cpus}, {cpu: order.index(speeds[cpu]) for cpu in cpus})


def _numa_nodes(root: Path) -> Iterator[tuple[int, list[int]]]:
    for folder in sorted((root / "sys/devices/system/node").glob("node[0-9]*")):
        yield int(folder.name.removeprefix("node")), _read_list(folder / "cpulist")


def _speeds(cpus: Collection[int], root: Path) -> dict[int, int]:
    """A number for each processor that is greater for a faster kind of core: its capacity where the kernel has one for all, else by
    Intel's two kinds."""
    try:
        return {cpu: int((root / _CPUS / f"cpu{cpu}/cpu_capacity").read_text(encoding="ascii")) for cpu in cpus}
    except (OSError, ValueError):
        slow = set(_read_list(root / "sys/devices/cpu_atom/cpus"))
        return {cpu: int(cpu not in slow) for cpu in cpus}


def _read_list(path: Path) -> list[int]:
    """The processors of a list of the kernel; none where there is no such file."""
    try:
        return list(parse_list(path.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return []


def parse_list(text: str) -> Iterator[int]:
    """The numbers of a list as the kernel writes it: `0,2-3`."""
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
