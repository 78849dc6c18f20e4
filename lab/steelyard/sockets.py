"""The sockets that processes listen on, from the kernel's tables."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

_LISTENING = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}  # for UDP: bound, and connected to nobody


@dataclass(frozen=True)
class Listening:
    """A socket that takes connections (TCP) or datagrams of anybody (UDP)."""

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


def listening(pids: Iterable[int]) -> list[Listening]:
    """The sockets that these processes listen on, each once; a process that has ended meanwhile has none."""
    found = {each for pid in pids for each in _of_process(Path(f"/proc/{pid}"))}
    return sorted(found, key=lambda each: (each.protocol, str(each.address), each.port))


def _of_process(place: Path) -> Iterator[Listening]:
    try:
        own = {_target(descriptor) for descriptor in (place / "fd").iterdir()}
        tables = {protocol: (place / "net" / protocol).read_text(encoding="ascii") for protocol in _LISTENING}
    except (FileNotFoundError, ProcessLookupError):
        return
    for protocol, table in tables.items():
        for line in table.splitlines()[1:]:
            columns = line.split()
            local, state, inode = columns[1], columns[3], columns[9]
            if state == _LISTENING[protocol] and f"socket:[{inode}]" in own:
                address, port = local.split(":")
                yield Listening(protocol.removesuffix("6"), _address(address), int(port, 16))


def _target(descriptor: Path) -> str:
    """What a descriptor stands for; nothing where it was closed between being listed and being read."""
    try:
        return str(descriptor.readlink())
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _address(written: str) -> IPv4Address | IPv6Address:
    """An address as the kernel writes it: 32-bit words in the machine's own byte order."""
    words = [int(written[at : at + 8], 16) for at in range(0, len(written), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    address = ip_address(socket.inet_ntop(family, struct.pack(f"={len(words)}I", *words)))
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
