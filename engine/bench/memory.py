"""The engine's memory by number of connections and length of run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from clients import ENGINE, Load
from processes import CLIENT_CPU, nginx, run_client

COLUMNS = [
    "connections", "seconds", "requests", "failures", "max_rss_kib", "second_quarter_kib", "last_quarter_kib", "valid",
]  # fmt: skip


def measure(engine: str, server: tuple[str, str], cases: list[tuple[int, int]]) -> Iterator[dict[str, object]]:
    """One row a case of (connections, seconds). Flat memory shows as equal second and last quarters.

    `server`: the programs nginx and keeper.
    """
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder, nginx(*server) as null_server:
        for connections, seconds in cases:
            load = Load(null_server.url, connections, seconds, Path(folder))
            used = run_client(ENGINE.command(engine, load), cpu=CLIENT_CPU, watch_rss=True)
            said = json.loads(used.output)
            quarter = used.elapsed_s / 4
            second = [rss for at, rss in used.rss_over_time if quarter <= at < 2 * quarter]
            last = [rss for at, rss in used.rss_over_time if 3 * quarter <= at < used.elapsed_s - 0.2]
            yield {
                "connections": connections,
                "seconds": seconds,
                "requests": said["requests"],
                "failures": sum(said["failures"].values()),
                "max_rss_kib": max(rss for _, rss in used.rss_over_time),
                "second_quarter_kib": round(median(second or [0])),
                "last_quarter_kib": round(median(last or [0])),
                "valid": int(said["valid"]),
            }
