"""The collectors' table of docs/decisions/slices-take-turns.md, from forks kept beside it: `make decisions`.

`--collect N [SERVER ...]` first measures N rounds more of these servers, of one fork each way, on a quiet machine: two minutes a
round of Go, a quarter of an hour of Tomcat. What a collector does beside the requests is work that may be done in another's turn;
each server alone, the other not started, is the truth.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

from kept import ROOT, between, keep, measured, rate, rows, run_one_fork, wanted_runs
from steelyard.base.csvfiles import is_stored
from steelyard.statistics.interval import student_interval

PAGE = ROOT / "docs" / "decisions" / "slices-take-turns.md"
KEPT = ROOT / "docs" / "decisions" / "collectors"
BEGIN, END = "<!-- collectors: made by docs/decisions/collectors.py -->", "<!-- /collectors -->"
KEPT_FILES = ("slices.csv", "observations.csv")
ALONE = "alone"
LEAST_ALONE = (
    3  # forks: each alone is measured at another time, and the host's speed moves by more than the ways differ
)


# By what a way to weigh them is called: for how long each has the machine, 0 for a whole slice.
WAYS = {"turns of 150 ms, frozen": 150, "one stretch, the others frozen": 0}
# By the server: the factor, and its settings; the first one is the reference.
SERVERS = {"tomcat-metro": ("gc", ("Serial", "Parallel", "G1", "Z")), "go": ("gogc", ("400", "25"))}
STUDY = """\
name = "collectors"
title = "One server under several collectors"
question = "Does each pay for its own collector?"
service = "wstest"
reference = "{reference}"
operations = ["echoStruct"]
primary = "echoStruct"
pairs = 10
slice_seconds = 1.0
warm_up_limit_seconds = 30.0
turn_ms = {turn_ms}
"""
SUBJECT = """
[[subjects]]
label = "{setting}"
parts = [{{ server = "{server}", factors = {{ {factor} = "{setting}" }} }}]
"""


def collect(rounds: int, servers: Sequence[str]) -> None:
    """Measure and keep so many rounds more of one fork each way, the ways in another order each time."""
    ways = [*WAYS, ALONE]
    for server in servers:
        settings = SERVERS[server][1]
        kept = max((int(place.name.partition("-")[0]) for place in KEPT.glob(f"*-{server}-*")), default=0)
        for number in range(kept, kept + rounds):
            for way in ways[number % len(ways) :] + ways[: number % len(ways)]:
                for together in [[one] for one in settings] if way == ALONE else [settings]:
                    _drive(server, together, way, folder(number + 1, server, way, together[0] if way == ALONE else ""))


def _drive(server: str, settings: list[str] | tuple[str, ...], way: str, to: Path) -> None:
    factor = SERVERS[server][0]
    subjects = "".join(SUBJECT.format(server=server, factor=factor, setting=one) for one in settings)
    with TemporaryDirectory() as scratch:
        study = Path(scratch) / "collectors.toml"
        study.write_text(STUDY.format(reference=settings[0], turn_ms=WAYS.get(way, 0)) + subjects, encoding="utf-8")
        run_one_fork([str(study)], to, KEPT_FILES)


def folder(number: int, server: str, way: str, alone: str = "") -> Path:
    """Where a fork is kept."""
    name = "-".join(part for part in (f"{number:02d}", server, way.replace(",", "").replace(" ", "-"), alone) if part)
    return KEPT / name


@dataclass(frozen=True)
class Fork:
    """One setting beside the reference, in one fork: the log ratios of throughput and of processor time a request."""

    throughput: float
    cost: float


def line(server: str, setting: str, way: str, alone: Mapping[int, Fork]) -> str:
    """A line of the table, empty where nothing was kept; `alone` are the forks of each alone, by round."""
    forks = forks_of(server, setting, way)
    if not forks:
        return ""
    throughputs = [fork.throughput for fork in forks.values()]
    off = [fork.throughput - alone[number].throughput for number, fork in forks.items() if number in alone]
    cells = [
        f"{server}, {SERVERS[server][0]} {setting} against {SERVERS[server][1][0]}",
        way,
        f"{len(forks)}",
        f"{math.exp(fmean(throughputs)):.3f}{_interval(throughputs, '.3f', 0)}",
        f"{math.exp(-fmean(fork.cost for fork in forks.values())):.3f}",
        _off([fork.throughput + fork.cost for fork in forks.values()]),
        "" if way == ALONE or len(off) < LEAST_ALONE else _off(off),
    ]
    return f"| {' | '.join(cells)} |"


def _off(logs: Sequence[float]) -> str:
    """How far from 1 ratios are, with an interval."""
    return f"{math.expm1(fmean(logs)):+.1%}{_interval(logs, '+.1%', 1)}"


def _interval(logs: Sequence[float], form: str, less: int) -> str:
    """`, 0.98 to 1.02` of the ratios, from each of which `less` is taken; empty of one alone."""
    if len(logs) < 2:
        return ""
    interval = student_interval(logs).exp()
    return f", {interval.low - less:{form}} to {interval.high - less:{form}}"


def forks_of(server: str, setting: str, way: str) -> dict[int, Fork]:
    """What was kept of a setting and a way, by round."""
    reference = SERVERS[server][1][0]
    kept = {}
    for number in sorted({int(place.name.partition("-")[0]) for place in KEPT.glob(f"*-{server}-*")}):
        if way == ALONE:
            places = [folder(number, server, way, one) for one in (setting, reference)]
        else:
            places = [folder(number, server, way)] * 2
        if all(is_stored(place / "slices.csv") for place in places):
            first, second = (_of(place, one) for place, one in zip(places, (setting, reference), strict=True))
            kept[number] = Fork(math.log(first[0] / second[0]), math.log(first[1] / second[1]))
    return kept


def _of(place: Path, setting: str) -> tuple[float, float]:
    """A subject's median throughput, and processor time a request in ns by its own clock, whenever that was used."""
    slices = [row for row in measured(place) if row["subject"] == setting]
    numbers = {row["slice"] for row in slices}
    used = sum(int(row["cpu_ns"]) for row in rows(place / "observations.csv") if row["slice"] in numbers)
    answered = sum(int(row["completed"]) + int(row["lead_in_completed"]) for row in slices)
    return median(map(rate, slices)), used / answered


def table() -> str:
    """All ways by server and setting; the truth first."""
    lines = []
    for server, (_, settings) in SERVERS.items():
        for setting in settings[1:]:
            alone = forks_of(server, setting, ALONE)
            lines += [line(server, setting, way, alone) for way in (ALONE, *WAYS)]
    shown = [one for one in lines if one]
    if not shown:
        return f"Not measured yet: `docs/decisions/collectors.py --collect {LEAST_ALONE}` does, on a quiet machine."
    head = (
        "| which | how | forks | ratio of throughput, 95% interval | inverse ratio of processor time a request | off the latter | "
        "off each alone |"
    )
    return "\n".join([head, "|---|---|--:|--:|--:|--:|--:|", *shown, *_spread()])


def _spread() -> list[str]:
    """How fast a server was alone from round to round, the same build each time: what the last column holds, too."""
    said = []
    for server, (factor, (reference, *others)) in SERVERS.items():
        rounds = [number for other in others for number in forks_of(server, other, ALONE)]
        rates = [_of(folder(number, server, ALONE, reference), reference)[0] for number in sorted(set(rounds))]
        if len(rates) > 1:
            said.append(f"{server} with {factor} {reference} {min(rates):,.0f} to {max(rates):,.0f}")
    return ["", f"Alone, from round to round, in requests/s: {'; '.join(said)}."] if said else []


def main() -> int:
    """Rewrite the page, or with --check fail where it is stale."""
    if (rounds := wanted_runs()) is not None:
        collect(rounds, [word for word in sys.argv[1:] if word in SERVERS] or list(SERVERS))
    return keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "`make decisions`")


if __name__ == "__main__":
    sys.exit(main())
