"""Logs with instants from processes on another host, copied into the trial's folder with each instant converted to this machine's
clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...base.csvfiles import read_table, write_table, write_text
from ...base.errors import KeeperError, ProvisionError, StoreError
from ...hosts.clocks import FarClock
from ...hosts.launch import EVENTS, GAUGES
from ...hosts.placement import Placement
from ...results.collector_log import SUFFIX, by_another_clock
from ...results.layer_records import RECORDS

Instants = Callable[[int], int]
"""Converts an instant of the processes' clock to this machine's clock."""


def fetch_logs(site: Placement, folder: Path, clock: FarClock | None) -> Instants:
    """Copy events, gauges, collectors' logs and the monitors' records of all subjects into a trial's folder.

    The records keep their own instants, which the returned function converts: they are many, and read once. On this machine's own
    clock nothing is copied or converted. Raises StoreError where the host does not deliver them.
    """
    if clock is None:
        return lambda instant: instant
    try:
        line = clock.line()
        site.reach.fetch_matching(folder, [f"*{EVENTS}", f"*{GAUGES}", f"*{SUFFIX}", RECORDS])
    except (ProvisionError, KeeperError) as error:
        raise StoreError(f"the servers' logs cannot be copied from the host: {error.message}", error.hint) from None
    for path in (*folder.glob(f"*{EVENTS}"), *folder.glob(f"*{GAUGES}")):
        _translate(path, line.to_our_clock)
    for path in folder.glob(f"*{SUFFIX}"):
        write_text(path, by_another_clock(path.read_text(encoding="utf-8", errors="replace"), line.to_our_clock))
    return line.to_our_clock


def _translate(path: Path, ours: Instants) -> None:
    """Convert the column `time_ns` of a table to our clock; an incomplete last line is dropped."""
    rows = list(read_table(path, ("time_ns",), may_be_cut=True))
    if rows:
        columns = list(rows[0].fields)
        write_table(
            path,
            columns,
            ([{**row.fields, "time_ns": ours(row.whole("time_ns"))}[name] for name in columns] for row in rows),
        )
