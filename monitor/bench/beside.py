"""Measures what the agent adds to a request's processor time beside the OpenTelemetry Java agent, on Flight and on another service.

    python monitor/bench/beside.py                          half an hour, on a quiet machine
    python monitor/bench/beside.py --forks 2 --rounds 20    a look

In each fork the same service is started three times: unwatched, with the agent, with OpenTelemetry's. They take short turns, round
by round, and get the same requests at the same instants (Poisson arrivals, drawn anew for each round): what else a machine does
differs less between turns that follow each other closely. Raw data and a table go to results/; the table is made anew by `--table`
alone, and `--check` says whether it is what the raw data makes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from asking import Connections, Half, poisson
from overhead import RESULTS, processor
from rich.console import Console
from served import APPLICATIONS, OPENTELEMETRY, WAYS, Ground, Served, agents
from spans_sink import SpansSink
from steelyard.base.lock import machine_lock
from steelyard.base.progress import Progress
from steelyard.hosts import cpus
from steelyard.statistics.interval import student_interval

RAW, PAGE = RESULTS / "beside.csv", RESULTS / "beside.md"
COLUMNS = ("application", "fork", "round", "way", "answered", "cpu_ns")
# One after the other, before any arrives unasked: until the compilers are done, what a request costs depends more on how many came
# before than on who watches.
WARM_REQUESTS = 6000
WARM_ROUNDS = 5  # that count for nothing
SETTLE_SECONDS = 6.0  # OpenTelemetry's agent sends what it gathered every five seconds
MOST = 1 / 3  # of what OpenTelemetry's agent adds
HEAD = """\
# What the agent costs beside OpenTelemetry's

Made by `monitor/bench/beside.py` from `beside.csv` beside it: each service started three times a fork, unwatched, with the
agent, which writes its records, and with the OpenTelemetry Java agent {version} as it comes, whose spans go by OTLP over HTTP to a
receiver that drops them (its metrics and logs are off). The three take turns and get the same requests at the same instants, at a
Poisson rate of {rate:g} a second: {rounds} rounds of {seconds:g} s a fork. A figure is the server's processor time a request, of
all its threads but the compilers', from its turn to its next one, so that what it sends later is in it. What a way adds is over the
unwatched server of the same fork; intervals are of 95% over {forks} forks. {setup}.

| service | unwatched, ms | the agent adds, ms | OpenTelemetry's adds, ms | the agent's share of that | crossings | spans |
|---|--:|--:|--:|--:|--:|--:|"""
FOOT = """
Asked for: at most a third of what OpenTelemetry's agent adds, by the upper bound of the interval (Fieller's, of a ratio of two
means). Crossings are layers entered and left, spans what OpenTelemetry's agent told, both a request: the two do not see the same,
and neither was told to see less.
"""


@dataclass(frozen=True)
class Added:
    """What both agents add to a request of a service, in ms by fork, and the share of ours with its interval: no upper bound where
    what OpenTelemetry's adds cannot be told from nothing."""

    unwatched_ms: Sequence[float]
    agent_ms: Sequence[float]
    opentelemetry_ms: Sequence[float]
    share: float
    low: float
    high: float | None


def fieller(numerators: Sequence[float], denominators: Sequence[float]) -> tuple[float, float | None]:
    """The 95% interval of the ratio of two means of pairs: all r for which the mean of `numerator - r * denominator` may be 0.

    Source: Fieller 1954, "Some problems in interval estimation". No upper bound where the denominator's mean may be 0.
    """
    if student_interval(denominators).low <= 0:
        return float("-inf"), None

    def may_be(ratio: float) -> bool:
        found = student_interval([a - ratio * b for a, b in zip(numerators, denominators, strict=True)])
        return found.low <= 0 <= found.high

    middle = fmean(numerators) / fmean(denominators)
    return _edge(middle, -1.0, may_be), _edge(middle, 1.0, may_be)


def _edge(inside: float, step: float, may_be: Callable[[float], bool]) -> float:
    """Where, in a direction, ratios end that may be."""
    outside = inside + step
    while may_be(outside):
        inside, outside = outside, outside + 2 * (outside - inside)
    while abs(outside - inside) > 1e-6:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if may_be(middle) else (inside, middle)
    return inside


def added(rows: Sequence[Mapping[str, str]]) -> Added:
    """Of one application's rows; a fork is one number."""
    forks = list(dict.fromkeys(row["fork"] for row in rows))

    def ms(fork: str, way: str) -> float:
        mine = [row for row in rows if (row["fork"], row["way"]) == (fork, way)]
        return fmean(int(row["cpu_ns"]) / int(row["answered"]) / 1e6 for row in mine)

    unwatched = [ms(fork, "none") for fork in forks]
    ours = [ms(fork, "agent") - base for fork, base in zip(forks, unwatched, strict=True)]
    theirs = [ms(fork, "opentelemetry") - base for fork, base in zip(forks, unwatched, strict=True)]
    low, high = fieller(ours, theirs)
    return Added(unwatched, ours, theirs, fmean(ours) / fmean(theirs), low, high)


def table() -> tuple[str, dict[str, float | None]]:
    """The page, and the upper bound of the share on each service."""
    with RAW.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    setup = json.loads(RAW.with_suffix(".json").read_text(encoding="utf-8"))
    lines, bounds = [HEAD.format(**setup)], dict[str, float | None]()
    for name in dict.fromkeys(row["application"] for row in rows):
        found = added([row for row in rows if row["application"] == name])
        bounds[name] = found.high
        share = (
            "not told from nothing"
            if found.high is None
            else f"{found.share:.2f} ({found.low:.2f} to {found.high:.2f})"
        )
        seen = setup["seen"][name]
        lines.append(
            f"| {APPLICATIONS[name].title} | {fmean(found.unwatched_ms):.3f} | {_shown(found.agent_ms)} | "
            f"{_shown(found.opentelemetry_ms)} | {share} | {seen['crossings']:.0f} | {seen['spans']:.0f} |"
        )
    return "\n".join([*lines, FOOT]), bounds


def _shown(values: Sequence[float]) -> str:
    interval = student_interval(values)
    return f"{interval.estimate:+.3f} ({interval.low:+.3f} to {interval.high:+.3f})"


class Fork:
    """The three servers of a fork, which take turns."""

    def __init__(
        self, served: Mapping[str, Served], connections: Mapping[str, Connections], draw: random.Random
    ) -> None:
        self.served, self.connections, self.draw = served, connections, draw
        self.order = draw.sample(list(served), len(served))  # the same in each round, so that all wait alike
        self.asked = dict.fromkeys(served, 0)

    def warm(self) -> None:
        """Raises RuntimeError where an answer does not come."""
        for way in self.order:
            requests = self.served[way].requests
            for place in range(WARM_REQUESTS):
                self.asked[way] += self.connections[way].send([requests[place % len(requests)]], [0.0])

    def rounds(self, count: int, rate: float, seconds: float) -> Iterator[tuple[int, str, Half]]:
        """The turns of each round but the first ones; processor time is read from a turn to the way's next one."""
        begun, answered = dict[str, int](), dict[str, int]()
        for number in range(-WARM_ROUNDS, count):
            arrivals = poisson(self.draw, rate, seconds)
            for way in self.order:
                now = self.served[way].cpu_ns()
                if number > 0:
                    yield number - 1, way, Half(answered[way], now - begun[way])
                begun[way] = now
                answered[way] = self.connections[way].send(self.served[way].requests, arrivals)
                self.asked[way] += answered[way]
        time.sleep(SETTLE_SECONDS)
        for way in self.order:
            yield count - 1, way, Half(answered[way], self.served[way].cpu_ns() - begun[way])


@contextmanager
def fork_of(name: str, ground: Ground, seed: int) -> Iterator[Fork]:
    """A fork of an application, with all its servers up."""
    with ExitStack() as stack:
        served = {}
        for way in WAYS:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="steelyard-beside-")))
            served[way] = stack.enter_context(APPLICATIONS[name].place(way, folder, ground))
        connections = {way: stack.enter_context(Connections(one.address)) for way, one in served.items()}
        yield Fork(served, connections, random.Random(seed))


@dataclass
class Seen:
    """What both agents told of the requests of an application: crossings a request by fork, spans, and those who were asked."""

    crossings: list[float]
    spans: int = 0
    asked: int = 0

    def told(self) -> dict[str, float]:
        """As the page says it; raises RuntimeError where OpenTelemetry's agent told nothing."""
        if not self.spans:
            raise RuntimeError("the OpenTelemetry agent told of no span")
        return {"crossings": fmean(self.crossings), "spans": self.spans / self.asked}


def measured(
    name: str, ground: Ground, sink: SpansSink, given: argparse.Namespace, seen: Seen
) -> Iterator[list[object]]:
    """A row a turn of an application, those of COLUMNS, fork by fork."""
    for fork in range(1, given.forks + 1):
        before = sink.spans
        with fork_of(name, ground, 20040601 + fork) as running:
            running.warm()
            for number, way, half in running.rounds(given.rounds, given.rate, given.seconds):
                told = f"{name}: fork {fork}: round {number}: {way}: {half.per_request_ns / 1e6:.3f} ms"
                print(told, file=sys.stderr, flush=True)
                yield [name, fork, number, way, half.answered, half.cpu_ns]
            for served in running.served.values():
                served.end()
            seen.crossings.append(running.served["agent"].crossings())
            seen.asked += running.asked["opentelemetry"]
        seen.spans += sink.spans - before


def measure(given: argparse.Namespace) -> None:
    """Measure every application, and write RAW and what it was measured with."""
    rows: list[list[object]] = []
    seen = {name: Seen([]) for name in given.applications}
    with (
        machine_lock("monitor/bench/beside.py"),
        Progress(Console(quiet=True)) as progress,
        TemporaryDirectory(prefix="steelyard-beside-") as folder,
        SpansSink() as sink,
    ):
        ground = Ground(agents(Path(folder), progress), sink.port, cpus.share(companions=True), progress)
        for name in given.applications:
            rows += measured(name, ground, sink, given, seen[name])
    RESULTS.mkdir(exist_ok=True)
    with RAW.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    setup = {key: getattr(given, key) for key in ("forks", "rounds", "seconds", "rate")}
    setup |= {"setup": f"{processor()}, {os.cpu_count()} processors", "version": OPENTELEMETRY.version}
    setup["seen"] = {name: one.told() for name, one in seen.items()}
    RAW.with_suffix(".json").write_text(json.dumps(setup, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """1 where the agent may add more than asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--applications", nargs="+", choices=list(APPLICATIONS), default=list(APPLICATIONS))
    parser.add_argument("--forks", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--seconds", type=float, default=0.25, help="of a turn")
    parser.add_argument("--rate", type=float, default=80.0, help="requests a second")
    parser.add_argument("--table", action="store_true", help="make the table anew, and measure nothing")
    parser.add_argument("--check", action="store_true", help="say whether the table is what the raw data makes")
    given = parser.parse_args()
    if not given.table and not given.check:
        measure(given)
    page, bounds = table()
    if given.check:
        stale = not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page
        print(
            f"{PAGE.name} is not what {RAW.name} makes: run monitor/bench/beside.py --table" if stale else "up to date"
        )
        return int(stale)
    PAGE.write_text(page, encoding="utf-8")
    for name, bound in bounds.items():
        most = "adds a share that is not told" if bound is None else f"adds at most {bound:.2f}"
        print(f"{name}: the agent {most} of what OpenTelemetry's adds")
    return int(any(bound is None or bound > MOST for bound in bounds.values()))


if __name__ == "__main__":
    sys.exit(main())
