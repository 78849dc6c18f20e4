"""A hundred million requests in pieces: the counts of the engine and of the server, and the engine's memory after each tenth of a
piece."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import engine_run
from processes import Nginx, nginx

REQUESTS = 100_000_000
CONNECTIONS = 30
TENTHS, TENTH_SECONDS = 10, 10
COLUMNS = ["piece", "connections", "sent", "right", "server", "first_tenth_kib", "end_kib"]
Row = dict[str, object]


def measure(engine: str, server: tuple[str, str], had: Sequence[Row]) -> Iterator[Row]:
    """One row a piece until `REQUESTS` are sent; first the pieces that it `had` before it was stopped.

    `server`: the programs nginx and keeper.
    """
    yield from had
    sent = sum(int(str(row["sent"])) for row in had)
    with nginx(*server) as null_server:
        for number in count(len(had)):
            if sent >= REQUESTS:
                return
            row = piece(engine, null_server, number)
            sent += int(str(row["sent"]))
            yield row


def piece(engine: str, server: Nginx, number: int) -> Row:
    """One process of the engine. Each tenth is a slice, after which its memory is read."""
    before = server.requests()
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as name:
        folder = Path(name)
        slices = [engine_run.closed_slice(tenth, CONNECTIONS, TENTH_SECONDS) for tenth in range(TENTHS)]
        memory = engine_run.run(engine, folder, server.url, slices, samples=1, one_in=1_000_000)
        rows = engine_run.slice_rows(folder)
    return {
        "piece": number,
        "connections": CONNECTIONS,
        "sent": sum(int(row["sent"]) for row in rows),
        "right": sum(int(row["completed"]) + int(row["lead_in_completed"]) for row in rows),
        "server": server.requests() - before - 1,
        "first_tenth_kib": memory[0],
        "end_kib": memory[-1],
    }
