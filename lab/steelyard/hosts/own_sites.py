"""Network namespaces for servers of the user's own that listen on one fixed port: one for each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address

from ..base.errors import ProvisionError, SteelyardError
from ..base.text import join_words
from ..models.hosts import Host
from ..models.own_server import OwnServer
from . import namespace
from .placement import Placement

_NETWORKS = range(20, 220)  # x of 10.203.x.0, one per lab


def sharing_ports(servers: Mapping[str, OwnServer | None]) -> list[str]:
    """Labels of the subjects that share a fixed port with another, so that they cannot listen side by side."""
    ports = {label: own.port for label, own in servers.items() if own is not None and own.port is not None}
    count = Counter(ports.values())
    return [label for label, port in ports.items() if count[port] > 1]


def require_namespaces(labels: Sequence[str]) -> None:
    """Raise ProvisionError where subjects that share a fixed port cannot each have a network namespace here."""
    if labels and (why := why_no_namespace()):
        raise ProvisionError(
            f"{join_words(labels)} listen on one fixed port, and no network namespace is available: {why}",
            hint="write {port} where a start line takes the port, or give each a port of its own",
        )


def why_no_namespace() -> str:
    """Why no network namespace can be made here, as a sentence; empty where one can."""
    try:
        with namespace_placement(0):
            return ""
    except SteelyardError as error:
        return error.message


@contextmanager
def namespace_placement(number: int) -> Iterator[Placement]:
    """The network namespace number `number` (0 to 60) of this machine; removed at the end.

    Raises ToolchainError or ProvisionError where it cannot be made.
    """
    network = f"10.203.{_NETWORKS[os.getpid() % len(_NETWORKS)]}"
    near, far = (IPv4Address(f"{network}.{4 * number + end}") for end in (1, 2))
    host = Host(reach="namespace", address=far, role="server")
    with namespace.create_namespace(f"own-{number}", host, near) as ends:
        yield Placement("", str(far), ends.reach)
