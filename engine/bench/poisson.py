"""Whether requests really leave as a Poisson process, by the instants at which the server read them."""

from __future__ import annotations

import csv
import itertools
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import engine_run
from processes import test_server

COLUMNS = ["run", "seed", "gaps", "mean_gap_us", "anderson_darling", "critical_1_percent", "passes"]
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


def measure(engine: str, program: str, runs: int) -> Iterator[dict[str, object]]:
    """One row a run of 5,000 requests, each with its own seed."""
    for run in range(runs):
        with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as name:
            folder = Path(name)
            record = folder / "instants.csv"
            with test_server(program, "delay", "--record", str(record)) as server:
                seconds = REQUESTS / RATE * 1.2
                item = engine_run.rate_slice(0, RATE, seconds, arrivals="poisson", cap=2000, seed=run + 1)
                engine_run.run(engine, folder, server.url, [item], samples=0, one_in=1)
                server.end()
            with record.open(newline="") as file:
                reads = sorted(int(row["read_ns"]) for row in csv.DictReader(file))[: REQUESTS + 1]
        gaps = [(after - before) / 1e3 for before, after in itertools.pairwise(reads)]
        statistic = anderson_darling(gaps)
        yield {
            "run": run,
            "seed": run + 1,
            "gaps": len(gaps),
            "mean_gap_us": round(sum(gaps) / len(gaps), 2),
            "anderson_darling": round(statistic, 4),
            "critical_1_percent": CRITICAL_1_PERCENT,
            "passes": int(statistic <= CRITICAL_1_PERCENT),
        }
