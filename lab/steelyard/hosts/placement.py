"""Where a subject's processes run, and the engines of a load: here, unless the user's hosts file declares hosts for them."""

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
    """The link between the engine's host and that of the subjects: its ends, each with the interface's name; how many bytes a
    second it carries each way, as declared or as measured, None where that is not known. `near_host` and `near_address` are those
    of the engine's end."""

    near_host: str
    near_address: str
    near_interface: str
    far_interface: str
    bytes_per_s: float | None = None


@dataclass(frozen=True)
class Placement:
    """A host for subjects: its name (empty: this machine's loopback), the address that they bind to and nothing else, how commands
    are run there, and the link that leads to it."""

    name: str = ""
    address: str = HOST
    reach: Executor = HERE
    link: Link | None = None

    def url(self, port: int, path: str, *, secure: bool = False) -> str:
        """Where a server there is asked for `path`, over TLS where it is `secure`."""
        return f"{'https' if secure else 'http'}://{self.address}:{port}{path}"


LOOPBACK = Placement()


@contextmanager
def open_placement(hosts: Hosts | None) -> Iterator[Placement]:
    """The host on which the subjects run, ready for them, and gone at the end; loopback where none is declared.

    Raises ProvisionError or ToolchainError where it cannot be had.
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
    """Where one of a load's engines drives: the host's name (empty: this machine), how commands are run there, and the processors
    that it may use; none said: any of another machine's, and of this one's those that are its engines'."""

    name: str = ""
    reach: Executor = HERE
    cpus: Sequence[int] = ()


THIS_MACHINE = EngineHost()


@contextmanager
def engine_hosts(hosts: EngineHosts) -> Iterator[list[EngineHost]]:
    """The hosts that are to drive a load together, this machine first; nothing runs on the others afterwards.

    Raises ProvisionError or ToolchainError where one cannot be had.
    """
    with ExitStack() as stack:
        made = [EngineHost(cpus=hosts.here.cpus)]
        for name, host in hosts.others.items():
            ends = stack.enter_context(ssh_host.connect_host(name, host, hosts.here.address))
            made.append(EngineHost(name, ends.reach, host.cpus))
        yield made
