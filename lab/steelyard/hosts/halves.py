"""Divides the processors into two equal halves, for two subjects that are loaded at once."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from ..base.errors import ConfigurationError
from ..base.text import plural
from . import cpus, quota
from .cpus import Shares
from .topology import Topology, read_topology

LEAST_PROCESSORS = (
    4  # one for each of two subjects, and one for the engine of each: engines that share one delay each other
)


def divide(
    available: Collection[int] | None = None,
    root: Path = Path("/"),
    *,
    apart: bool,
    companions: bool = False,
    idle: bool = False,
) -> Shares:
    """The machine's processors as `share` divides them; `apart`, those of two halves, each divided like a machine of its own.

    The halves have as many cores of each kind. Each has them of one NUMA node where they fit. Raises ConfigurationError where the
    machine is too small, or a quota limits its processors' time.
    """
    if not apart:
        return cpus.share(available, root, companions=companions, idle=idle)
    allowed = os.sched_getaffinity(0) if available is None else available
    _require_possible(len(allowed), quota.processors(root))
    topology = read_topology(allowed, root)
    both = [cpus.share(half, root, companions=companions, idle=idle) for half in _split(allowed, topology, root)]
    halves = [_cut(half, both, topology) for half in both]
    first, second = halves
    return Shares(
        sorted([*first.server, *second.server]),
        sorted([*first.engine, *second.engine]),
        awake=sorted([*first.awake, *second.awake]),
        same_core=first.same_core or second.same_core,
        companions=sorted([*first.companions, *second.companions]),
        placement=" and ".join(dict.fromkeys(half.placement for half in halves)),
        halves=halves,
    )


def _require_possible(processors: int, granted: float | None) -> None:
    if granted is not None:
        raise ConfigurationError(
            f"--apart needs processors of its own for each subject, and a quota of {granted:g} processors is shared by all",
            hint="leave --apart out",
        )
    if processors < LEAST_PROCESSORS:
        raise ConfigurationError(
            f"--apart needs {LEAST_PROCESSORS} processors, one for each subject and one for the load engine of each, and this "
            f"machine has {plural(processors, 'processor')}",
            hint="leave --apart out: the subjects then take turns",
        )


def _split(allowed: Collection[int], topology: Topology, root: Path) -> list[list[int]]:
    """Two lists with the processors of as many cores of each kind, those of a NUMA node together; an odd core is left out."""
    halves: list[list[int]] = [[], []]
    cores = sorted(cpus.cores_of(allowed, root), key=lambda core: topology.key(core[0]))
    for _, of_kind in groupby(cores, lambda core: topology.kinds[core[0]]):
        alike = list(of_kind)
        each = len(alike) // 2
        for half, start in zip(halves, (0, len(alike) - each), strict=True):
            half += [cpu for core in alike[start : start + each] for cpu in core]
    if min(map(len, halves)) < LEAST_PROCESSORS // 2:
        raise ConfigurationError(
            f"--apart needs two cores of one kind with two processors, or four, and the machine has {plural(len(cores), 'core')}",
            hint="leave --apart out: the subjects then take turns",
        )
    return [sorted(half) for half in halves]


def _cut(half: Shares, both: Sequence[Shares], topology: Topology) -> Shares:
    """The half with no more processors than the other one has."""
    server = topology.choose(min(len(each.server) for each in both), half.server)
    engine = half.engine[: min(len(each.engine) for each in both)]
    return replace(half, server=server, engine=engine, placement=topology.describe(server))
