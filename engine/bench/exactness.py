"""How exact recorded times are: against a server that tells when it wrote, and one that freezes at known times."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import engine_run
import hlog
from processes import BenchError, test_server
from quiet import Quiet

DELAYS_US = [0, 2_000, 20_000]
RATES = [1_000, 10_000]
MOST_SAMPLES = 20_000
DELAY_COLUMNS = [
    "repeat", "delay_us", "rate_per_s", "samples", "difference_p50_us", "difference_p99_us", "difference_min_us",
    "lateness_p50_us", "lateness_p99_us", "due_step_error_ns", "histogram_p50_error_us", "valid", "others_cpu",
]  # fmt: skip
FREEZE_COLUMNS = [
    "repeat",
    "requests",
    "quantile",
    "recorded_ms",
    "computed_ms",
    "relative_error",
    "freezes",
    "valid",
    "others_cpu",
]
FREEZE_QUANTILES = [0.95, 0.99, 0.999]


def quantile(values: list[float], share: float) -> float:
    """The value that `share` of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def delays(engine: str, server: str, quiet: Quiet, repeats: int, seconds: int) -> Iterator[dict[str, object]]:
    """One row a delay, rate and repeat: what the engine recorded minus what the server's instants say."""
    for repeat in range(repeats):
        for delay in DELAYS_US:
            for rate in RATES:
                rows = quiet.measure(lambda: [delay_once(engine, server, delay, rate, seconds)])  # noqa: B023
                yield {"repeat": repeat, **rows[0]}


def delay_once(engine: str, program: str, delay_us: int, rate: int, seconds: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as name:
        folder = Path(name)
        with test_server(program, "delay", "--microseconds", str(delay_us)) as server:
            item = engine_run.rate_slice(0, rate, seconds, arrivals="constant", cap=2000, seed=1)
            one_in = -(-rate * seconds // MOST_SAMPLES)
            engine_run.run(engine, folder, server.url, [item], samples=MOST_SAMPLES, one_in=one_in)
        found = engine_run.exchanges(folder)
        row = engine_run.slice_rows(folder)[0]
        recorded = hlog.read(folder / "out" / "intervals.hlog")["server/0/echo/response"]
    if not found:
        raise BenchError("the engine kept no samples")
    # Recorded response time minus (write - due).
    differences = [(it.last_byte_ns - it.due_ns - ((it.write_ns or 0) - it.due_ns)) / 1e3 for it in found]
    lateness = [(it.sent_ns - it.due_ns) / 1e3 for it in found]
    truth_us = median((it.write_ns or 0) - it.due_ns for it in found) / 1e3
    return {
        "delay_us": delay_us,
        "rate_per_s": rate,
        "samples": len(found),
        "difference_p50_us": round(median(differences), 2),
        "difference_p99_us": round(quantile(differences, 0.99), 2),
        "difference_min_us": round(min(differences), 2),
        "lateness_p50_us": round(median(lateness), 2),
        "lateness_p99_us": round(quantile(lateness, 0.99), 2),
        "due_step_error_ns": step_error_ns([it.due_ns for it in found], 1e9 / rate),
        # What stands in the histogram, whose samples are all requests, against the server's instants.
        "histogram_p50_error_us": round(hlog.quantile(recorded, 0.5) - truth_us, 2),
        "valid": row["valid"],
    }


def step_error_ns(due_ns: list[int], step_ns: float) -> int:
    """How far the due instants lie from a regular grid at most: the schedule must not follow the server."""
    first = due_ns[0]
    return round(max(abs(due - first - round((due - first) / step_ns) * step_ns) for due in due_ns))


def freezes(engine: str, server: str, quiet: Quiet, repeats: int, seconds: int) -> Iterator[dict[str, object]]:
    """One row a quantile and repeat: recorded against what the server's freezes must have done to a constant rate."""
    for repeat in range(repeats):
        for row in quiet.measure(lambda: freeze_once(engine, server, 1000, seconds)):
            yield {"repeat": repeat, **row}


def freeze_once(engine: str, program: str, rate: int, seconds: int) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as name:
        folder = Path(name)
        with test_server(program, "freeze") as server:
            item = engine_run.rate_slice(0, rate, seconds, arrivals="constant", cap=3000, seed=1)
            engine_run.run(engine, folder, server.url, [item], samples=0, one_in=1)
            reports = [line["freeze"] for line in server.end()]
        row = engine_run.slice_rows(folder)[0]
        recorded = hlog.read(folder / "out" / "intervals.hlog")["server/0/echo/response"]
    computed = computed_ms(int(row["begin_ns"]), seconds, rate, reports)
    found: list[dict[str, object]] = []
    for share in FREEZE_QUANTILES:
        value, truth = hlog.quantile(recorded, share) / 1e3, quantile(computed, share)
        found.append({
            "requests": recorded.total(),
            "quantile": share,
            "recorded_ms": round(value, 3),
            "computed_ms": round(truth, 3),
            "relative_error": round(value / truth - 1, 5),
            "freezes": len(reports),
            "valid": row["valid"],
        })  # fmt: skip
    return found


def computed_ms(begin_ns: int, seconds: int, rate: int, reports: list[dict[str, Any]]) -> list[float]:
    """The response time that each request of a constant rate must have: it waits for the end of a freeze, then for those before it.

    The backlog of each freeze is worked off at the rate that the server reports; outside, an answer takes no time.
    """
    found = []
    step = 1e9 / rate
    backlogs = [
        (f["begin_ns"], f["end_ns"], (f["backlog_end_ns"] - f["end_ns"]) / max(f["backlog"], 1)) for f in reports
    ]
    free_ns, place = 0.0, 0
    for number in range(seconds * rate):
        due = begin_ns + number * step
        while place < len(backlogs) and due >= backlogs[place][1] and due >= free_ns:
            place += 1
        if place == len(backlogs) or due < backlogs[place][0]:
            found.append(0.0)
            continue
        _, end, each = backlogs[place]
        free_ns = max(free_ns, end, due) + each
        found.append((free_ns - due) / 1e6)
    return found
