"""What processes on another machine noted of times, brought into the trial's folder with each instant by this machine's clock."""

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
"""When this machine's clock showed what the processes' own did."""


def fetch_logs(site: Placement, folder: Path, clock: FarClock | None) -> Instants:
    """Bring events, gauges, collectors' logs and the monitors' records of all subjects into a trial's folder.

    The records keep their own instants, which what is returned translates: they are many, and read once. On this machine's own
    clock there is nothing to bring, nor to translate. Raises StoreError where the host does not give them.
    """
    if clock is None:
        return lambda instant: instant
    try:
        line = clock.line()
        site.reach.fetch_matching(folder, [f"*{EVENTS}", f"*{GAUGES}", f"*{SUFFIX}", RECORDS])
    except (ProvisionError, KeeperError) as error:
        raise StoreError(f"what servers noted of times cannot be brought: {error.message}", error.hint) from None
    for path in (*folder.glob(f"*{EVENTS}"), *folder.glob(f"*{GAUGES}")):
        _translate(path, line.to_our_clock)
    for path in folder.glob(f"*{SUFFIX}"):
        write_text(path, by_another_clock(path.read_text(encoding="utf-8", errors="replace"), line.to_our_clock))
    return line.to_our_clock


def _translate(path: Path, ours: Instants) -> None:
    """The column `time_ns` of a table by our clock; a last line that was cut is left out."""
    rows = list(read_table(path, ("time_ns",), may_be_cut=True))
    if rows:
        columns = list(rows[0].fields)
        write_table(
            path,
            columns,
            ([{**row.fields, "time_ns": ours(row.whole("time_ns"))}[name] for name in columns] for row in rows),
        )
