"""The host of a run's subjects as its hosts file declares it: its processors, its link, and the files that it needs from here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..base.errors import ConfigurationError
from ..base.progress import Progress
from ..catalogue import factors
from ..catalogue.entries import Entry
from ..hosts import cpus, halves, network, own_sites, server_certificate
from ..hosts.cpus import Shares
from ..hosts.packing import Tree
from ..hosts.placement import Placement
from ..hosts.subject import Subject, require_processors
from ..models.hosts import Hosts
from ..models.records import Schedule
from ..models.server import PROCESSORS
from ..models.service import Service
from ..models.study import SubjectSpec
from ..plan.designs import design_named


def leaves_idle(schedule: Schedule) -> bool:
    """Whether a load of the run leaves servers idle. An open load does, and its response time tail is judged."""
    return any(cell.profile.kind == "rate" for cell in schedule.cells)


def share_processors(specs: Sequence[SubjectSpec], schedule: Schedule, hosts: Hosts | None, site: Placement) -> Shares:
    """The machines' processors as the run and its hosts file divide them. Raises ConfigurationError, or ProvisionError where a
    server needs more processors than the machine has."""
    shares = _share_of_placement(any(spec.companions for spec in specs), schedule, hosts, site)
    for part in (part for spec in specs for part in spec.parts):
        wanted = part.factors.get(PROCESSORS, "")
        if wanted.isdecimal():  # checked later, with all factors
            require_processors(part.server, wanted, shares.half(0).of(part.processors or "server"))
    return shares


def _share_of_placement(companions: bool, schedule: Schedule, hosts: Hosts | None, site: Placement) -> Shares:
    apart = design_named(schedule.design).halves
    if apart and hosts is not None:
        raise ConfigurationError(
            "--apart divides this machine's processors, and a hosts file names others", hint="leave one of them out"
        )
    shares = halves.divide(apart=apart, companions=companions, idle=leaves_idle(schedule))
    if hosts is None:
        return shares
    server, engine = hosts.server[1].cpus, hosts.engine[1].cpus
    if site.reach.apart:
        return cpus.with_host_processors(shares, site.reach.processors(), server, engine)
    return cpus.as_declared(shares, server, engine)


def apart_of(schedule: Schedule, subjects: Sequence[Subject]) -> list[str]:
    """The subjects that share a fixed port and so need a network namespace each; None where only one subject runs at a time.
    Raises ProvisionError where the machine has no namespaces."""
    if design_named(schedule.design).one_runs:
        return []
    own = {each.label: each.front.own for each in subjects if each.same_as is None}
    apart = own_sites.sharing_ports(own)
    own_sites.require_namespaces(apart)
    return apart


def with_bandwidth(site: Placement) -> Placement:
    """The host with the bandwidth of its link: as declared, else measured by a short transfer."""
    if site.link is None or site.link.bytes_per_s is not None:
        return site
    return replace(site, link=replace(site.link, bytes_per_s=network.link_bytes_per_s(site)))


def provide_on_host(site: Placement, service: Entry[Service], subjects: Sequence[Subject], progress: Progress) -> None:
    """Provide everything that the subjects' commands name on their host, where that is another machine.

    Raises ToolchainError where the host lacks a runtime, ProvisionError where files cannot be copied there.
    """
    if not site.reach.apart:
        return
    parts = [part for subject in subjects for part in subject.parts]
    for part in parts:
        site.reach.require(part.server.model.needs_with(part.factors), part.server.name)
    house = service.folder.parent.parent
    rooms = {part.server.folder.parent for part in parts}
    own = [room.name for room in rooms if room.parent == house]
    services = [f"{service.folder.parent.name}/{name}" for name in (service.folder.name, "common")]
    trees = [
        Tree(house, (*own, *services)),
        *(Tree(room.parent, (room.name,)) for room in sorted(rooms) if room.parent != house),
        *(Tree(cache) for cache in sorted({part.cache for part in parts}) if cache.is_dir()),
        *(Tree(path) for path in factors.files(service).values()),
        *(Tree(keys) for keys in sorted({subject.keys for subject in subjects if subject.keys is not None})),
        *([Tree(server_certificate.folder(site.address))] if any(part.secure for part in parts) else []),
    ]
    with progress.stage(f"copying new files to host {site.name}"):
        site.reach.provide_trees(trees)
