"""Whether requests really leave as a Poisson process: as they were due, as they were sent, and as the server read them."""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import engine_run
from processes import test_server
from quiet import Quiet

COLUMNS = [
    "run", "seed", "gaps", "anderson_darling_due", "anderson_darling_sent", "anderson_darling_read", "lateness_p99_us",
    "others_cpu",
]  # fmt: skip
REQUESTS = 5_000
RATE = 1_000
# Of A*A (1 + 0.6 / n) for an exponential distribution with estimated mean, 1% (Stephens 1974).
CRITICAL_1_PERCENT = 1.957


def anderson_darling(gaps: list[float]) -> float:
    """The statistic for exponential gaps with estimated mean, with Stephens' correction for their number."""
    mean = sum(gaps) / len(gaps)
    count = len(gaps)
    shares = [min(max(-math.expm1(-gap / mean), 1e-300), 1 - 1e-16) for gap in sorted(gaps)]
    total = sum(
        (2 * place + 1) * (math.log(share) + math.log1p(-shares[count - 1 - place]))
        for place, share in enumerate(shares)
    )
    return (-count - total / count) * (1 + 0.6 / count)


def measure(engine: str, program: str, quiet: Quiet, runs: int) -> Iterator[dict[str, object]]:
    """One row a run of 5,000 requests, each with its own seed."""
    for run in range(runs):
        yield from quiet.measure(lambda: [{"run": run, **run_once(engine, program, run + 1)}])  # noqa: B023


def run_once(engine: str, program: str, seed: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as name:
        folder = Path(name)
        with test_server(program, "delay") as server:
            item = engine_run.rate_slice(0, RATE, REQUESTS / RATE * 1.2, arrivals="poisson", cap=2000, seed=seed)
            engine_run.run(engine, folder, server.url, [item], samples=2 * REQUESTS, one_in=1)
        found = engine_run.exchanges(folder)
    row: dict[str, object] = {"seed": seed}
    for name in ("due_ns", "sent_ns", "read_ns"):
        instants = sorted(getattr(exchange, name) for exchange in found)[: REQUESTS + 1]
        gaps = [(after - before) / 1e3 for before, after in itertools.pairwise(instants)]
        row["gaps"] = len(gaps)
        row[f"anderson_darling_{name[:-3]}"] = round(anderson_darling(gaps), 4)
    lateness = sorted(exchange.sent_ns - exchange.due_ns for exchange in found)
    return {**row, "lateness_p99_us": lateness[int(0.99 * len(lateness))] / 1e3}
