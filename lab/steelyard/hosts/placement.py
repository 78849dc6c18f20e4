"""The hosts of a subject's processes and of a load's engines: this machine, unless the user's hosts file declares others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from ..base.paths import HOST
from ..models.hosts import EngineHosts, Hosts
from . import namespace, ssh_host
from .executor import HERE, Executor


@dataclass(frozen=True)
class Link:
    """The link between the engine's host and the subjects' host: the interface's name at each end, and the bytes per second in
    each direction, as declared or measured, None where unknown. `near_host` and `near_address` belong to the engine's end."""

    near_host: str
    near_address: str
    near_interface: str
    far_interface: str
    bytes_per_s: float | None = None


@dataclass(frozen=True)
class Placement:
    """A host for subjects: its name (empty: this machine's loopback), the only address that they bind to, its executor, and the
    link to it."""

    name: str = ""
    address: str = HOST
    reach: Executor = HERE
    link: Link | None = None

    def url(self, port: int, path: str, *, secure: bool = False) -> str:
        """The URL of `path` on a server there; HTTPS where `secure`."""
        return f"{'https' if secure else 'http'}://{self.address}:{port}{path}"


LOOPBACK = Placement()


@contextmanager
def open_placement(hosts: Hosts | None) -> Iterator[Placement]:
    """The host of the subjects, ready for them and closed at the end; loopback where none is declared.

    Raises ProvisionError or ToolchainError where it is not available.
    """
    if hosts is None:
        yield LOOPBACK
        return
    (near, engine), (far, server) = hosts.engine, hosts.server
    made = ssh_host.connect_host if server.reach == "ssh" else namespace.create_namespace
    with made(far, server, engine.address) as ends:
        link = Link(
            near_host=near,
            near_address=str(engine.address),
            near_interface=ends.near_interface,
            far_interface=ends.far_interface,
            bytes_per_s=None if server.rate_mbit is None else server.rate_mbit * 1e6 / 8,
        )
        yield Placement(far, str(server.address), ends.reach, link)


@dataclass(frozen=True)
class EngineHost:
    """The host of one of a load's engines: its name (empty: this machine), its executor, and its processors for the engine;
    empty: any of another machine's, and the engine's share of this machine's."""

    name: str = ""
    reach: Executor = HERE
    cpus: Sequence[int] = ()


THIS_MACHINE = EngineHost()


@contextmanager
def engine_hosts(hosts: EngineHosts) -> Iterator[list[EngineHost]]:
    """The hosts that drive a load together, this machine first; nothing runs on the others afterwards.

    Raises ProvisionError or ToolchainError where a host is not available.
    """
    with ExitStack() as stack:
        made = [EngineHost(cpus=hosts.here.cpus)]
        for name, host in hosts.others.items():
            ends = stack.enter_context(ssh_host.connect_host(name, host, hosts.here.address))
            made.append(EngineHost(name, ends.reach, host.cpus))
        yield made
