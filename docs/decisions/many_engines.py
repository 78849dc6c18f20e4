"""The tables of docs/decisions/many-engines.md, from the loads kept beside it: `make decisions`.

`--collect N` first measures anew, N rounds of the same load by one engine, by one once more, by two and by three, about a minute a
round; it needs the engine's test servers (`cargo build --release --features testservers` in engine/).
"""

from __future__ import annotations

import csv
import json
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from kept import ROOT, STEELYARD, between, keep, rows, wanted_runs
from steelyard.base.histogram import read_interval_log
from steelyard.base.text import percent_text
from steelyard.measure.trial.merging import EnginePart, merge
from steelyard.statistics.interval import student_interval

PAGE = ROOT / "docs" / "decisions" / "many-engines.md"
KEPT = ROOT / "docs" / "decisions" / "many-engines" / "loads.csv"
CAPACITY = ROOT / "engine" / "bench" / "results" / "capacity.csv"
BEGIN, END = "<!-- tables: made by docs/decisions/many_engines.py -->", "<!-- /tables -->"
RATE_PER_S = 1500
SECONDS = 10
DELAY_MS = 2
# In each round, all in a new order: what a load is called, and how many engines share it.
LOADS = {"one": 1, "one again": 1, "two": 2, "three": 3}
PLANNED_PER_S = 1_000_000
MOST_BUSY = 0.7  # of an engine's processor: beyond that its own waiting shows in what it measures


@dataclass(frozen=True)
class Loaded:
    """One load: requests sent and times of right answers as all engines together have them, and what sharing it cost."""

    round: int
    load: str
    engines: int
    sent: int
    mean_ms: float
    p99_ms: float
    began_apart_ms: float
    merge_ms: float
    log_bytes: int


def collect(rounds: int) -> None:
    """Measure the loads of so many rounds and keep each as it is there."""
    sys.path.insert(0, str(ROOT / "engine" / "bench"))
    from processes import test_server

    program = ROOT / "engine" / "target" / "release" / "steelyard-testserver"
    KEPT.parent.mkdir(exist_ok=True)
    with (
        KEPT.open("w", newline="", encoding="utf-8") as file,
        test_server(str(program), "delay", "--microseconds", str(1000 * DELAY_MS)) as server,
    ):
        table = csv.DictWriter(file, [field.name for field in fields(Loaded)], lineterminator="\n")
        table.writeheader()
        names = list(LOADS)
        for number in range(1, rounds + 1):
            for place in range(len(names)):
                table.writerow(asdict(loaded(number, names[(number + place) % len(names)], server.url)))
                file.flush()


def loaded(number: int, name: str, url: str) -> Loaded:
    """Drive one load, and merge once more what its engines wrote, to see how long that takes."""
    with TemporaryDirectory() as folder:
        words = [
            "--rate",
            str(RATE_PER_S),
            "--poisson",
            "--for",
            f"{SECONDS}s",
            "--engines",
            str(LOADS[name]),
            "--json",
            "--out",
            folder,
        ]
        said = subprocess.run([str(STEELYARD), "load", url, *words], check=True, stdout=subprocess.PIPE).stdout
        outcome = json.loads(said)
        (run,) = Path(folder).glob("*/load")
        parts = [EnginePart(path.name, path) for path in sorted(run.glob("engine-*"))]
        begun = time.perf_counter()
        if parts:
            shutil.rmtree(run / "samples", ignore_errors=True)
            merge(run, parts)
        merging = time.perf_counter() - begun
        logs = [path for part in parts for path in part.folder.glob("*.hlog")] or list(run.glob("*.hlog"))
        assert all(read_interval_log(path) for path in logs), "an engine wrote no histogram"
        return Loaded(
            round=number,
            load=name,
            engines=LOADS[name],
            sent=outcome["sent"],
            mean_ms=outcome["response_ms"]["mean"]["value"],
            p99_ms=outcome["response_ms"]["p99"]["value"],
            began_apart_ms=outcome["began_apart_ms"] or 0.0,
            merge_ms=round(1000 * merging, 3),
            log_bytes=sum(path.stat().st_size for path in logs),
        )


def ratio_line(kept: Sequence[Loaded], load: str) -> Iterator[str]:
    """The cells of a load beside `one` of the same round: the mean ratio of each figure with its 95% interval."""
    base = {each.round: each for each in kept if each.load == "one"}
    mine = {each.round: each for each in kept if each.load == load}
    for figure in ("sent", "mean_ms", "p99_ms"):
        logs = [math.log(getattr(mine[number], figure) / getattr(base[number], figure)) for number in sorted(base)]
        ratio = student_interval(logs).exp()
        yield f"{ratio.estimate:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"


def tables(kept: Sequence[Loaded]) -> str:
    """What sharing a load changes, and what it costs."""
    lines = [
        "| the same load by | requests sent, ratio to one engine's | mean response time, ratio | p99, ratio |",
        "|---|--:|--:|--:|",
    ]
    shown = {"one again": "one engine once more", "two": "two engines", "three": "three engines"}
    lines += [f"| {words} | {' | '.join(ratio_line(kept, load))} |" for load, words in shown.items()]
    shared = [each for each in kept if each.engines > 1]
    lines += ["", "| cost of sharing | median | greatest |", "|---|--:|--:|"]
    for title, values in (
        ("engines began apart, ms", [each.began_apart_ms for each in shared]),
        ("merging what they wrote, ms an engine", [each.merge_ms / each.engines for each in shared]),
        (
            "histograms written, KB a second and engine",
            [each.log_bytes / SECONDS / each.engines / 1000 for each in shared],
        ),
    ):
        lines.append(f"| {title} | {median(values):.3g} | {max(values):.3g} |")
    return "\n".join([*lines, "", *plan(shared)])


def plan(shared: Sequence[Loaded]) -> Iterator[str]:
    """What a million requests a second would take, by these costs and by what a request costs an engine in engine/bench."""
    of_engine = [row for row in rows(CAPACITY) if row["client"] == "steelyard-engine" and row["connections"] == "30"]
    cpu_us = median(float(row["user_us_per_request"]) + float(row["system_us_per_request"]) for row in of_engine)
    engines = math.ceil(PLANNED_PER_S * cpu_us / 1e6 / MOST_BUSY)
    merging = median(each.merge_ms / each.engines for each in shared)
    written = median(each.log_bytes / SECONDS / each.engines for each in shared)
    yield f"A request costs an engine {cpu_us:.2f} µs of processor time at full load (`engine/bench`, against nginx)."
    yield f"So, for {PLANNED_PER_S:,} requests a second:"
    yield ""
    yield "| what | how much |"
    yield "|---|--:|"
    yield f"| engines, each on a processor of its own that is at most {percent_text(MOST_BUSY)} busy | {engines} |"
    yield f"| requests a second of each | {PLANNED_PER_S / engines:,.0f} |"
    yield f"| merging what they wrote, after a slice of {SECONDS} s | {merging * engines / 1000:.2g} s |"
    yield f"| histograms to bring to one place | {written * engines / 1e6:.2g} MB/s |"
    carried = PLANNED_PER_S * (258 + 165) * 8 / 1e9
    yield f"| on the link, of requests of 258 and answers of 165 bytes with their heads | {carried:.1f} Gbit/s and more |"


def main() -> int:
    """Rewrite the page, or with --check fail where it is stale."""
    if (rounds := wanted_runs()) is not None:
        collect(rounds)
    kinds = {"load": str, "round": int, "engines": int, "sent": int, "log_bytes": int}
    kept = [Loaded(**{name: kinds.get(name, float)(value) for name, value in row.items()}) for row in rows(KEPT)]
    return keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, tables(kept)), "`make decisions`")


if __name__ == "__main__":
    sys.exit(main())
