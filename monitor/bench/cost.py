"""Measures what the monitor adds to a request's processor time on the service flight, switched on and off within one process.

    python monitor/bench/cost.py                           about forty minutes, on a quiet machine
    python monitor/bench/cost.py --starts 4 --pairs 20     a look

Both halves of a pair get the same requests at the same instants: Poisson arrivals of one rate, drawn anew for each pair. Which half
comes first alternates, and halves are short: a machine that others share is now a tenth quicker and now a tenth slower, differs
less between two tenths of a second that follow each other than between two seconds, and all the more of them are measured. What a
server's compilers make of the same code differs from start to start by more than that, so each start is one number, and there are
many. The monitor works on the threads that serve requests, so what these take is judged: the collectors' work comes in bursts, of
which one half has one and the other none. What all threads take stands beside it. Raw data and a table go to results/; the table
is made anew by `--table` alone. With `--planted-us N` requests cost the server so much more while its monitor is on, and what is
found of that is printed, and kept nowhere: whether the measurement sees what is there.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import random
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from asking import Asked, Connections, Half, flight_requests, judged_cpu_ns, poisson
from overhead import RESULTS, build, java, processor
from rich.console import Console
from steelyard.base.lock import machine_lock
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.catalogue.companions import with_companions
from steelyard.catalogue.subject_syntax import subject_of
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningSubject
from steelyard.models.study import Observed
from steelyard.results.layer_records import read_records
from steelyard.statistics.interval import student_interval

HEADINGS = ("requests", "start", "pair", "on", "answered", "cpu_ns", "serving_ns", "crossings")
JUDGED = "serving_ns"
RAW, PAGE = RESULTS / "flight.csv", RESULTS / "flight.md"
# One after the other, each way, before any arrives unasked: until then the compilers are at work, and what a half costs depends
# more on how many requests came before than on the monitor.
WARM_REQUESTS, WARM_ROUNDS = 1000, 10
WARM_PAIRS = 10  # that count for nothing: with the first request on a thread, the monitor makes its buffer and file
SERVING = "http-nio"  # how the names of Tomcat's threads begin that take connections and serve requests
# After a half: a server goes on for a moment when its answer is read, and ends the request's record.
REST_SECONDS = 0.03
OBSERVED: Sequence[Observed] = ("layers",)
MOST = 0.01  # of a request's processor time


@dataclass(frozen=True)
class Load:
    """What is asked: an operation of the generator, errors of input in a thousand, a design of the domain, requests a second; and
    of which share of the starts."""

    operation: str
    permille: int
    domain: str
    rate: float
    share: float


# Each leaves the server's processor idle for more than half of the time.
LOADS = {
    "searches that are refused": Load("searchFlights", 1000, "plain", 500, 1),
    "searches without a domain root": Load("searchFlights", 0, "plain", 300, 0.25),
    "searches and reservations": Load("", 125, "root", 80, 0.25),
}
HEAD = """\
# What the monitor costs on a service

Made by `monitor/bench/cost.py` from `flight.csv` beside it: the service flight on {server} with {database}, at a Poisson rate, the
monitor switched on and off within one process. A figure is the server's processor time a request, of the threads that serve
requests; what the monitor adds is on over off in pairs of twice {seconds:g} s, with its 95% interval over starts, and beside it the
same of all threads but the compilers'. {setup}.

| requests | a second | crossings a request | starts | pairs of each | off, ms | on, ms | the monitor adds | to all threads |
|---|--:|--:|--:|--:|--:|--:|--:|--:|"""
FOOT = """
Asked for: at most 1% at 12 crossings a request, by the upper bound of the interval; the first row is judged, whose requests have
the fewest, since an airport is looked for that does not exist, and no flight. A crossing is a layer entered and left; a record
is written for each request.
"""


@dataclass(frozen=True)
class Watched:
    """A running server, and how its monitor is switched."""

    running: RunningSubject
    pid: int
    requests: Sequence[Asked]
    planted: Sequence[Asked]  # the same, as they are sent while the monitor is on
    connections: Connections
    switching: socket.socket

    def switch(self, on: bool) -> None:
        """Raises RuntimeError where the server does not obey."""
        time.sleep(REST_SECONDS)
        line = b"on\n" if on else b"off\n"
        self.switching.sendall(line)
        if self.switching.recv(len(line), socket.MSG_WAITALL) != line:
            raise RuntimeError("the server's monitor cannot be switched")

    def half(self, on: bool, arrivals: Sequence[float]) -> tuple[Half, int]:
        """The half, and what its serving threads took; raises RuntimeError where an answer does not come."""
        self.switch(on)
        begun, begun_serving = judged_cpu_ns(self.running), self.serving_ns()
        answered = self.connections.send(self.planted if on else self.requests, arrivals)
        time.sleep(REST_SECONDS)
        serving = self.serving_ns() - begun_serving
        return Half(answered, judged_cpu_ns(self.running) - begun), serving

    def serving_ns(self) -> int:
        """The processor time of the threads that serve requests."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        times = [task / "schedstat" for task in tasks if (task / "comm").read_text().startswith(SERVING)]
        return sum(int(each.read_text().split()[0]) for each in times)

    def warm(self) -> None:
        """Raises RuntimeError where an answer does not come."""
        for on in (True, False) * WARM_ROUNDS:
            self.switch(on)
            for place in range(WARM_REQUESTS):
                self.connections.send([self.requests[place % len(self.requests)]], [0.0])


@contextmanager
def watched(
    running: RunningSubject, requests: Sequence[Asked], planted_us: int, classes: str, folder: Path
) -> Iterator[Watched]:
    """A server whose monitor obeys, and records into the folder's `records` until the body ends."""
    busy = {"Steelyard-Busy-Us": str(planted_us)} if planted_us else {}
    planted = [replace(asked, headers={**asked.headers, **busy}) for asked in requests]
    pid = max(running.use()[running.front.part.place], key=lambda process: process.rss_bytes).pid
    with (
        Connections((running.host, running.front.port)) as connections,
        socket.create_server(("127.0.0.1", 0)) as listening,
    ):
        listening.settimeout(60)
        switch = [java(), "-cp", classes, "steelyard.monitor.bench.Switch", str(pid), str(agent_of(folder, classes))]
        words = [*switch, str(listening.getsockname()[1]), str(folder / "records")]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=60)
        switching, _ = listening.accept()
        with switching:
            switching.settimeout(60)
            yield Watched(running, pid, requests, planted, connections, switching)
            switching.shutdown(socket.SHUT_WR)
            switching.recv(1)  # it has written what was left


def crossings_of(recording: Path) -> float:
    """Mean number of times that a recorded request entered a layer."""
    folder = read_records(recording)
    if folder.lost or folder.violations or not folder.whole:
        raise RuntimeError("the monitor lost records, or has some in violation")
    return fmean(sum(layer.entries for layer in request.layers.values()) for request in folder.requests)


def agent_of(folder: Path, classes: str) -> Path:
    """A jar that a running JVM takes as an agent."""
    jar, name = folder / "switch.jar", "steelyard/monitor/bench/Switch.class"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nAgent-Class: steelyard.monitor.bench.Switch\n")
        file.write(Path(classes.split(os.pathsep)[0]) / name, name)
    return jar


def measure(load: str, start: int, given: argparse.Namespace, classes: str) -> Iterator[list[object]]:
    """A row a half, of one start of the server: those of RAW's columns."""
    asked = LOADS[load]
    service = entries.service("flight")
    with (
        Progress(Console(quiet=True)) as progress,
        TemporaryDirectory(prefix="steelyard-cost-") as scratch,
    ):
        folder = Path(scratch)
        spec = with_companions(subject_of(f"{given.server}@domain={asked.domain}"), service)
        ready = subject.provide_subject(spec, service, progress)
        shares, draw = cpus.share(companions=True), random.Random(20040601)
        with launch.running_subject(
            ready, folder, shares, random.Random(time.time_ns()), progress, OBSERVED
        ) as running:
            running.pin(shares)
            requests, rows = flight_requests(asked.operation, asked.permille), []
            with watched(running, requests, given.planted_us, classes, folder) as server:
                server.warm()
                for pair in range(-WARM_PAIRS, given.pairs):
                    arrivals = poisson(draw, asked.rate, given.seconds)
                    for on in (True, False) if pair % 2 else (False, True):
                        half, serving = server.half(on, arrivals)
                        print(
                            f"{load}: start {start}: pair {pair}: {'on' if on else 'off'}: {half.per_request_ns / 1e6:.3f} ms",
                            file=sys.stderr,
                        )
                        if pair >= 0:
                            rows.append([load, start, pair, int(on), half.answered, half.cpu_ns, serving])
                server.switch(True)
            crossings = crossings_of(folder / "records")
    yield from ([*row, f"{crossings:.1f}"] for row in rows)


def written(given: argparse.Namespace) -> None:
    """Measure every load, and write RAW and what it was measured with."""
    classes = build()
    with machine_lock("monitor/bench/cost.py"):
        rows = [
            row
            for load in LOADS
            for start in range(starts_of(load, given))
            for row in measure(load, start, given, classes)
        ]
    RESULTS.mkdir(exist_ok=True)
    with RAW.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADINGS, *rows])
    setup = {name: getattr(given, name) for name in ("server", "seconds")}
    setup |= {"setup": f"{processor()}, {os.cpu_count()} processors", "database": "H2"}
    RAW.with_suffix(".json").write_text(json.dumps(setup, indent=1) + "\n", encoding="utf-8")


def starts_of(load: str, given: argparse.Namespace) -> int:
    """Two at least: one number has no interval."""
    starts: int = given.starts
    return max(2, round(starts * LOADS[load].share))


def seen(given: argparse.Namespace) -> str:
    """What is found of the processor time that was planted, on the first load."""
    with machine_lock("monitor/bench/cost.py"):
        load, classes = next(iter(LOADS)), build()
        raw = [row for start in range(given.starts) for row in measure(load, start, given, classes)]
    rows = [dict(zip(HEADINGS, map(str, row), strict=True)) for row in raw]
    off = fmean(int(row[JUDGED]) / int(row["answered"]) / 1e3 for row in rows if row["on"] == "0")
    mean, low, high = (share * off for share in added(rows))
    return f"planted: {given.planted_us} µs a request; found, with the monitor: {mean:.0f} µs ({low:.0f} to {high:.0f})"


def added(rows: Sequence[dict[str, str]], threads: str = JUDGED) -> tuple[float, float, float]:
    """The monitor's share of a request's processor time, on the `threads` of a column, and its 95% interval: by the mean log ratio
    of each start's pairs."""
    per = {(row["start"], row["pair"], row["on"]): int(row[threads]) / int(row["answered"]) for row in rows}
    logs: dict[str, list[float]] = {}
    for start, pair in dict.fromkeys((row["start"], row["pair"]) for row in rows):
        logs.setdefault(start, []).append(math.log(per[start, pair, "1"] / per[start, pair, "0"]))
    interval = student_interval([fmean(of_start) for of_start in logs.values()])
    mean, low, high = (math.expm1(log) for log in (interval.estimate, interval.low, interval.high))
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
            fmean(int(row[JUDGED]) / int(row["answered"]) / 1e6 for row in mine if row["on"] == which) for which in "01"
        )
        bounds.append(added(mine)[2])
        shown = " | ".join("{:+.2%} ({:+.2%} to {:+.2%})".format(*added(mine, column)) for column in (JUDGED, "cpu_ns"))
        starts = len({row["start"] for row in mine})
        crossings = fmean(float(row["crossings"]) for row in mine)
        asked = f"{LOADS[load].rate:g} | {crossings:.0f} | {starts} | {len(mine) // 2 // starts:,}"
        lines.append(f"| {load} | {asked} | {off:.3f} | {on:.3f} | {shown} |")
    return "\n".join([*lines, FOOT]), bounds[0]


def main() -> int:
    """1 where the monitor may add more than asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--server", default="tomcat-metro")
    parser.add_argument(
        "--starts", type=int, default=24, help="of the server, for the load that is judged; for the others a quarter"
    )
    parser.add_argument("--pairs", type=int, default=60, help="of each start")
    parser.add_argument("--seconds", type=float, default=0.1, help="of a half")
    parser.add_argument(
        "--planted-us", type=int, default=0, help="processor time that a request costs more while it is on"
    )
    parser.add_argument("--table", action="store_true", help="make the table anew, and measure nothing")
    given = parser.parse_args()
    if given.planted_us:
        print(seen(given))
        return 0
    if not given.table:
        written(given)
    page, bound = table()
    PAGE.write_text(page, encoding="utf-8")
    print(f"the monitor adds at most {bound:.2%} to a request's processor time")
    return int(bound > MOST)


if __name__ == "__main__":
    sys.exit(main())
