"""Measures what the monitor adds to a request's processor time on the service flight, switched on and off within one process.

    python monitor/bench/cost.py                          half an hour, on a quiet machine
    python monitor/bench/cost.py --pairs 6 --seconds 4    a look

Both halves of a pair get the same requests at the same instants: Poisson arrivals of one rate, drawn anew for each pair. Which half
comes first alternates. Raw data and a table go to results/; the table is made anew by `--table` alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from asking import Asked, Half, flight_requests, judged_cpu_ns, one_after_the_other, poisson, send
from bench import RESULTS, build, java, processor
from rich.console import Console
from steelyard.base.lock import machine_lock
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.catalogue.companions import with_companions
from steelyard.catalogue.subject_syntax import subject_of
from steelyard.models.study import Observed
from steelyard.provision import cpus, launch, subject
from steelyard.provision.running import RunningSubject
from steelyard.statistics.interval import student_interval
from steelyard.store.layer_records import read_records

RAW, PAGE = RESULTS / "flight.csv", RESULTS / "flight.md"
# One after the other, each way, before any arrives unasked: until then the compilers are at work, and what a half costs depends
# more on how many requests came before than on the monitor.
WARM_REQUESTS, WARM_ROUNDS = 1000, 3
LEAD_IN = (
    60  # requests before a half that are not counted: with the first on a thread, the monitor makes its buffer and file
)
WARM_PAIRS = 2  # that count for nothing
OBSERVED: Sequence[Observed] = ("layers",)
MOST = 0.01  # of a request's processor time
# What is asked: name, operation of the generator, errors of input in a thousand, and the design of the domain.
LOADS = {
    "searches without a domain root": ("searchFlights", 0, "plain"),
    "searches and reservations": ("", 125, "root"),
}
HEAD = """\
# What the monitor costs on a service

Made by `monitor/bench/cost.py` from `flight.csv` beside it: the service flight on {server} with {database}, at a Poisson rate of
{rate:g} requests a second, the monitor switched on and off within one process. A figure is the server's processor time a request,
of all its threads but the compilers'; what the monitor adds is on over off, the mean over {pairs} pairs of twice {seconds:g} s with
its 95% interval. {setup}.

| requests | crossings a request | off, ms | on, ms | the monitor adds |
|---|--:|--:|--:|--:|"""
FOOT = """
Asked for: at most 1% at 12 crossings a request, by the upper bound of the interval; the first row is judged, and has more. A
crossing is a layer entered and left; a record is written for each request.
"""


@dataclass(frozen=True)
class Watched:
    """A running server, and how its monitor is switched."""

    running: RunningSubject
    classes: str
    agent: Path
    folder: Path
    requests: Sequence[Asked]
    recordings: list[Path] = field(default_factory=list)

    def switch(self, on: bool) -> None:
        pid = max(self.running.use()[self.running.front.part.place], key=lambda process: process.rss_bytes).pid
        words = [java(), "-cp", self.classes, "steelyard.monitor.bench.Switch", str(pid), str(self.agent)]
        if on:
            self.recordings.append(self.folder / f"on-{len(self.recordings)}")
            words.append(str(self.recordings[-1]))
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=60)

    @property
    def address(self) -> tuple[str, int]:
        return self.running.host, self.running.front.port

    def half(self, on: bool, arrivals: Sequence[float]) -> Half:
        """Raises RuntimeError where an answer does not come."""
        self.switch(on)
        one_after_the_other(self.address, self.requests, LEAD_IN)
        begun = judged_cpu_ns(self.running)
        answered = send(self.address, self.requests, arrivals)
        return Half(answered, judged_cpu_ns(self.running) - begun)

    def warm(self) -> None:
        """Raises RuntimeError where an answer does not come."""
        for on in (True, False) * WARM_ROUNDS:
            self.switch(on)
            one_after_the_other(self.address, self.requests, WARM_REQUESTS)

    def crossings(self) -> float:
        """Mean number of times that a request entered a layer, over all that were recorded since the first switch."""
        folders = [read_records(recording) for recording in self.recordings]
        if any(folder.lost or folder.violations or not folder.whole for folder in folders):
            raise RuntimeError("the monitor lost records, or has some in violation")
        return fmean(
            sum(layer.entries for layer in request.layers.values()) for folder in folders for request in folder.requests
        )


def agent_of(folder: Path, classes: str) -> Path:
    """A jar that a running JVM takes as an agent."""
    jar, name = folder / "switch.jar", "steelyard/monitor/bench/Switch.class"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nAgent-Class: steelyard.monitor.bench.Switch\n")
        file.write(Path(classes.split(os.pathsep)[0]) / name, name)
    return jar


def measure(words: str, load: str, given: argparse.Namespace, classes: str) -> Iterator[list[object]]:
    """A row a half, of one server: those of RAW's columns."""
    operation, permille, domain = LOADS[load]
    service = entries.service("flight")
    with (
        Progress(Console(quiet=True)) as progress,
        TemporaryDirectory(prefix="steelyard-cost-") as scratch,
    ):
        folder = Path(scratch)
        spec = with_companions(subject_of(f"{words}@domain={domain}"), service)
        ready = subject.provided(spec, service, progress)
        shares, draw = cpus.share(companions=True), random.Random(20040601)
        with launch.started(ready, folder, shares, random.Random(time.time_ns()), progress, OBSERVED) as running:
            running.pin(shares)
            watched = Watched(running, classes, agent_of(folder, classes), folder, flight_requests(operation, permille))
            watched.warm()
            rows = []
            for pair in range(-WARM_PAIRS, given.pairs):
                arrivals = poisson(draw, given.rate, given.seconds)
                for on in (True, False) if pair % 2 else (False, True):
                    half = watched.half(on, arrivals)
                    print(
                        f"{load}: pair {pair}: {'on' if on else 'off'}: {half.per_request_ns / 1e6:.3f} ms",
                        file=sys.stderr,
                    )
                    if pair >= 0:
                        rows.append([load, pair, int(on), half.answered, half.cpu_ns])
            watched.switch(False)
            crossings = watched.crossings()
    yield from ([*row, f"{crossings:.1f}"] for row in rows)


def written(given: argparse.Namespace) -> None:
    """Measure every load, and write RAW and what it was measured with."""
    classes = build()
    with machine_lock("monitor/bench/cost.py"):
        rows = [row for load in LOADS for row in measure(given.server, load, given, classes)]
    RESULTS.mkdir(exist_ok=True)
    with RAW.open("w", newline="", encoding="utf-8") as file:
        head = ["requests", "pair", "on", "answered", "cpu_ns", "crossings"]
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    setup = {name: getattr(given, name) for name in ("server", "rate", "seconds", "pairs")}
    setup |= {"setup": f"{processor()}, {os.cpu_count()} processors", "database": "H2"}
    RAW.with_suffix(".json").write_text(json.dumps(setup, indent=1) + "\n", encoding="utf-8")


def added(rows: Sequence[dict[str, str]]) -> tuple[float, float, float]:
    """The monitor's share of a request's processor time, and its 95% interval: by the log ratios of pairs."""
    per = {(row["pair"], row["on"]): int(row["cpu_ns"]) / int(row["answered"]) for row in rows}
    logs = [math.log(per[pair, "1"] / per[pair, "0"]) for pair in dict.fromkeys(row["pair"] for row in rows)]
    interval = student_interval(logs)
    mean, low, high = (math.expm1(log) for log in (fmean(logs), interval.low, interval.high))
    return mean, low, high


def table() -> tuple[str, float]:
    """The page, and the largest upper bound of what the monitor adds where a request has few crossings."""
    with RAW.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    setup = json.loads(RAW.with_suffix(".json").read_text(encoding="utf-8"))
    lines, bounds = [HEAD.format(**setup)], []
    for load in dict.fromkeys(row["requests"] for row in rows):
        mine = [row for row in rows if row["requests"] == load]
        off, on = (
            fmean(int(row["cpu_ns"]) / int(row["answered"]) / 1e6 for row in mine if row["on"] == which)
            for which in "01"
        )
        mean, low, high = added(mine)
        bounds.append(high)
        shown = f"{mean:+.2%} ({low:+.2%} to {high:+.2%})"
        lines.append(f"| {load} | {float(mine[0]['crossings']):.0f} | {off:.3f} | {on:.3f} | {shown} |")
    return "\n".join([*lines, FOOT]), bounds[0]


def main() -> int:
    """1 where the monitor may add more than asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--server", default="tomcat-metro")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=8.0, help="of a half")
    parser.add_argument("--rate", type=float, default=60.0, help="requests a second")
    parser.add_argument("--table", action="store_true", help="make the table anew, and measure nothing")
    given = parser.parse_args()
    if not given.table:
        written(given)
    page, bound = table()
    PAGE.write_text(page, encoding="utf-8")
    print(f"the monitor adds at most {bound:.2%} to a request's processor time")
    return int(bound > MOST)


if __name__ == "__main__":
    sys.exit(main())
