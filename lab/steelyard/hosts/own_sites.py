"""Where several servers of the user's own listen on one fixed port: each in a network namespace of its own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address

from ..base.errors import ProvisionError, SteelyardError
from ..models.hosts import Host
from . import namespace
from .placement import Placement
from .subject import Subject

_NETWORKS = range(20, 220)  # of 10.203.x.0, one a lab


def sharing_ports(subjects: Sequence[Subject]) -> list[str]:
    """The labels of the subjects whose fixed port is another one's too, so that they cannot listen side by side."""
    ports = [(subject.label, port) for subject in subjects if (port := _fixed_port(subject)) is not None]
    count = Counter(port for _, port in ports)
    return [label for label, port in ports if count[port] > 1]


def _fixed_port(subject: Subject) -> int | None:
    return None if subject.same_as is not None or subject.front.own is None else subject.front.own.port


def require_namespaces(labels: Sequence[str]) -> None:
    """Raises ProvisionError where subjects that share a fixed port cannot each have a network namespace here."""
    if not labels:
        return
    try:
        with placed(0):
            return
    except SteelyardError as error:
        raise ProvisionError(
            f"{' and '.join(labels)} listen on one fixed port, and network namespaces cannot be had: {error.message}",
            hint="write {port} where a start line takes the port, or give each a port of its own",
        ) from None


@contextmanager
def placed(number: int) -> Iterator[Placement]:
    """A network namespace of this machine, the one with this number, from 0 to 60; gone at the end.

    Raises ToolchainError or ProvisionError where it cannot be made.
    """
    network = f"10.203.{_NETWORKS[os.getpid() % len(_NETWORKS)]}"
    near, far = (IPv4Address(f"{network}.{4 * number + end}") for end in (1, 2))
    host = Host(reach="namespace", address=far, role="server")
    with namespace.made(f"own-{number}", host, near) as ends:
        yield Placement("", str(far), ends.reach)
