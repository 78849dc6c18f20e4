"""The sockets of processes, from the kernel's tables: listening sockets and connections."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

_ESTABLISHED = {"tcp": "01", "tcp6": "01"}
_LISTENING = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}  # UDP: bound, not connected


@dataclass(frozen=True)
class Listening:
    """A socket that accepts connections (TCP) or datagrams from any sender (UDP)."""

    protocol: str
    address: IPv4Address | IPv6Address
    port: int

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it (127.0.0.0/8 or ::1)."""
        return self.address.is_loopback

    def __str__(self) -> str:
        place = f"[{self.address}]" if self.address.version == 6 else str(self.address)
        return f"{self.protocol} {place}:{self.port}"


@dataclass(frozen=True)
class Calls:
    """The established TCP connections that processes opened: the number to ports of their own, and the number elsewhere."""

    to_themselves: int
    elsewhere: int


@dataclass(frozen=True)
class Seen:
    """A process's socket data: the targets of its descriptors, and its network's tables of sockets by protocol."""

    descriptors: frozenset[str]
    tables: Mapping[str, str]


def listening(pids: Iterable[int]) -> list[Listening]:
    """The sockets that these processes listen on, each once; ended processes have none."""
    return listening_of(_sockets_of(pids))


def calls(pids: Iterable[int]) -> Calls:
    """The connections that these processes opened, without those that they accepted."""
    return calls_of(list(_sockets_of(pids)))


def listening_of(processes: Iterable[Seen]) -> list[Listening]:
    """The sockets that processes listen on, each once."""
    listeners = {
        Listening(protocol.removesuffix("6"), _address(address), int(port, 16))
        for seen in processes
        for protocol, (address, port), _ in _in_state(seen, _LISTENING)
    }
    return sorted(listeners, key=lambda each: (each.protocol, str(each.address), each.port))


def calls_of(processes: Sequence[Seen]) -> Calls:
    """The connections that processes opened."""
    own = {each.port for each in listening_of(processes)}
    ends = [
        (int(local[1], 16), int(remote[1], 16))
        for seen in processes
        for _, local, remote in _in_state(seen, _ESTABLISHED)
    ]
    opened = [remote for local, remote in ends if local not in own]
    to_themselves = sum(remote in own for remote in opened)
    return Calls(to_themselves, len(opened) - to_themselves)


End = tuple[str, str]


def _sockets_of(pids: Iterable[int]) -> Iterator[Seen]:
    for place in (Path(f"/proc/{pid}") for pid in pids):
        try:
            own = frozenset(_target(descriptor) for descriptor in (place / "fd").iterdir())
            tables = {protocol: (place / "net" / protocol).read_text(encoding="ascii") for protocol in _LISTENING}
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield Seen(own, tables)


def _in_state(seen: Seen, states: Mapping[str, str]) -> Iterator[tuple[str, End, End]]:
    """Protocol, local and remote end (address and port, in the kernel's format) of a process's sockets in these states."""
    for protocol in states:
        for line in seen.tables.get(protocol, "").splitlines()[1:]:
            columns = line.split()
            if columns[3] == states[protocol] and f"socket:[{columns[9]}]" in seen.descriptors:
                local, remote = (columns[place_of_end].split(":") for place_of_end in (1, 2))
                yield protocol, (local[0], local[1]), (remote[0], remote[1])


def _target(descriptor: Path) -> str:
    """The target of a descriptor; empty where it was closed meanwhile."""
    try:
        return str(descriptor.readlink())
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _address(written: str) -> IPv4Address | IPv6Address:
    """Parse an address in the kernel's format: 32-bit words in the machine's byte order."""
    words = [int(written[at : at + 8], 16) for at in range(0, len(written), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    address = ip_address(socket.inet_ntop(family, struct.pack(f"={len(words)}I", *words)))
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
