"""Traffic over the link to a host during slices: bytes and packets of each interface, share of the link's bandwidth,
and TCP retransmissions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ..base.table_writer import TableWriter
from ..base.typed_rows import columns_of
from ..results.tables import LinkUse
from .executor import HERE
from .placement import Placement

_COUNTED = {
    "bytes_in": 0,
    "packets_in": 1,
    "bytes_out": 8,
    "packets_out": 9,
}  # fields in an interface's line of net/dev


@dataclass(frozen=True)
class LinkReading:
    """One reading of both ends: each host's counts by interface, and its retransmitted segments; `at_ns` is CLOCK_MONOTONIC."""

    at_ns: int
    counts: dict[str, dict[str, dict[str, int]]]
    sent_again: dict[str, int]


class LinkObserver:
    """Writes the difference between two readings of a link into network.csv of a trial's folder; does nothing without a link."""

    def __init__(self, folder: Path, site: Placement) -> None:
        self._site = site
        self._link = site.link
        self._table = None if site.link is None else TableWriter(folder / "network.csv", columns_of(LinkUse))

    def __enter__(self) -> LinkObserver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._table is not None:
            self._table.close()

    def look(self) -> LinkReading | None:
        """The counters of both ends now; None without a link, or where an end is gone, which the trial reports."""
        if self._link is None:
            return None
        host, interface = self._link.near_host, self._link.near_interface
        try:
            near, far = HERE.network(), self._site.reach.network()
            return LinkReading(
                time.monotonic_ns(),
                {host: {interface: interfaces(near.devices)[interface]}, self._site.name: interfaces(far.devices)},
                {host: sent_again(near.protocols), self._site.name: sent_again(far.protocols)},
            )
        except (OSError, KeyError, ValueError):
            return None

    def record(self, slices: Sequence[int], before: LinkReading | None, after: LinkReading | None) -> None:
        """Store the link's traffic between two readings, while these slices were driven."""
        if self._table is None or self._link is None or before is None or after is None:
            return
        rows = []
        ends = {self._link.near_interface, self._link.far_interface}
        for host, now in after.counts.items():
            for interface, counts in now.items():
                first = before.counts[host].get(interface, dict.fromkeys(counts, 0))
                went = {name: max(0, count - first[name]) for name, count in counts.items()}
                again = max(0, after.sent_again[host] - before.sent_again[host]) if interface in ends else ""
                most = max(went["bytes_in"], went["bytes_out"])
                share = self._share(most, after.at_ns - before.at_ns) if interface in ends else ""
                together = "+".join(map(str, slices))
                rows.append([together, host, interface, before.at_ns, after.at_ns, *went.values(), share, again])
        self._table.append(rows)

    def _share(self, carried: int, elapsed_ns: int) -> str:
        """The traffic in the busier direction as a share of the link's bandwidth."""
        known = self._link.bytes_per_s if self._link is not None else None
        return "" if not known or elapsed_ns <= 0 else f"{carried / (elapsed_ns / 1e9) / known:.6f}"


def interfaces(devices: str) -> dict[str, dict[str, int]]:
    """The traffic of each interface in a /proc/net/dev, by name."""
    named = (line.partition(":") for line in devices.splitlines()[2:])
    return {
        name.strip(): {counted: int(counts.split()[place]) for counted, place in _COUNTED.items()}
        for name, _, counts in named
    }


def sent_again(protocols: str) -> int:
    """The TCP segments retransmitted (RFC 4022) in a /proc/net/snmp; raises ValueError where the count is missing."""
    names, values = (line.split() for line in protocols.splitlines() if line.startswith("Tcp:"))
    return int(values[names.index("RetransSegs")])
