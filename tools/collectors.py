"""The collectors' table of docs/decisions/slices-take-turns.md, from forks kept beside it: `python tools/collectors.py [--check]`.

`--collect N` first measures N rounds more, of one fork each way, about half an hour a round, on a quiet machine. What a collector
does beside the requests is work that may be done in another's turn; each server alone, the other not started, is the truth.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

from kept import ROOT, between, keep, measured, rate, rows, run_one_fork, wanted_runs
from steelyard.base.csvfiles import is_stored
from steelyard.statistics.interval import student_interval

PAGE = ROOT / "docs" / "decisions" / "slices-take-turns.md"
KEPT = ROOT / "docs" / "decisions" / "collectors"
BEGIN, END = "<!-- collectors: made by tools/collectors.py -->", "<!-- /collectors -->"
KEPT_FILES = ("slices.csv", "observations.csv")
ALONE = "alone"
LEAST_ALONE = (
    3  # forks: each alone is measured at another time, and the host's speed moves by more than the ways differ
)


@dataclass(frozen=True)
class Way:
    """A way to weigh them: lines of the study, and the environment that it runs in."""

    lines: str
    environment: dict[str, str] = field(default_factory=dict)


WAYS = {
    **{f"turns of {ms} ms, frozen": Way(f"turn_ms = {ms}") for ms in (50, 100, 150, 200)},
    "turns of 150 ms, nobody frozen": Way("turn_ms = 150", {"STEELYARD_FREEZE": "no"}),
    "one stretch, the others frozen": Way("turn_ms = 0"),
}
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
{lines}
"""
SUBJECT = """
[[subjects]]
label = "{setting}"
parts = [{{ server = "{server}", factors = {{ {factor} = "{setting}" }} }}]
"""


def collect(rounds: int) -> None:
    """Measure and keep so many rounds more of one fork each way, the ways in another order each time."""
    ways = [*WAYS, ALONE]
    kept = max((int(place.name.partition("-")[0]) for place in KEPT.glob("*")), default=0)
    for number in range(kept, kept + rounds):
        for server, (_, settings) in SERVERS.items():
            for way in ways[number % len(ways) :] + ways[: number % len(ways)]:
                for together in [[one] for one in settings] if way == ALONE else [settings]:
                    _drive(server, together, way, folder(number + 1, server, way, together[0] if way == ALONE else ""))


def _drive(server: str, settings: list[str] | tuple[str, ...], way: str, to: Path) -> None:
    chosen = WAYS.get(way, Way("turn_ms = 0"))
    factor = SERVERS[server][0]
    subjects = "".join(SUBJECT.format(server=server, factor=factor, setting=one) for one in settings)
    with TemporaryDirectory() as scratch:
        study = Path(scratch) / "collectors.toml"
        study.write_text(STUDY.format(reference=settings[0], lines=chosen.lines) + subjects, encoding="utf-8")
        run_one_fork([str(study)], to, KEPT_FILES, chosen.environment)


def folder(number: int, server: str, way: str, alone: str = "") -> Path:
    """Where a fork is kept."""
    name = "-".join(part for part in (f"{number:02d}", server, way.replace(",", "").replace(" ", "-"), alone) if part)
    return KEPT / name


def line(server: str, setting: str, way: str, truth: float | None) -> tuple[str, float | None]:
    """A line of the table, and the ratio where forks are enough for a truth: that is the ratio of each alone."""
    found = [both for number in range(1, 1000) for both in _fork(server, setting, way, number)]
    if not found:
        return "", None
    throughputs, costs = zip(*found, strict=True)
    ratio = math.exp(fmean(throughputs))
    interval = student_interval(list(throughputs)).exp() if len(found) > 1 else None
    cells = [
        f"{server}, {SERVERS[server][0]} {setting} against {SERVERS[server][1][0]}",
        way,
        f"{len(found)}",
        f"{ratio:.3f}" + (f", {interval.low:.3f} to {interval.high:.3f}" if interval else ""),
        f"{math.exp(-fmean(costs)):.3f}",
        "" if truth is None else f"{ratio / truth - 1:+.1%}",
    ]
    return f"| {' | '.join(cells)} |", ratio if len(found) >= LEAST_ALONE else None


def _fork(server: str, setting: str, way: str, number: int) -> Iterator[tuple[float, float]]:
    """The log ratios of throughput and of processor time a request of one fork; nothing where it was not kept."""
    reference = SERVERS[server][1][0]
    if way == ALONE:
        places = [folder(number, server, way, one) for one in (setting, reference)]
    else:
        places = [folder(number, server, way)] * 2
    if all(is_stored(place / "slices.csv") for place in places):
        first, second = (_of(place, one) for place, one in zip(places, (setting, reference), strict=True))
        yield math.log(first[0] / second[0]), math.log(first[1] / second[1])


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
            alone, truth = line(server, setting, ALONE, None)
            lines += [alone, *(line(server, setting, way, truth)[0] for way in WAYS)]
    shown = [one for one in lines if one]
    if not shown:
        return "Not measured yet: `python tools/collectors.py --collect 4` does, on a quiet machine."
    head = "| which | how | forks | ratio of throughput, 95% interval | inverse ratio of processor time a request | off the truth |"
    return "\n".join([head, "|---|---|--:|--:|--:|--:|", *shown])


def main() -> int:
    """Rewrite the page, or with --check fail where it is stale."""
    if (rounds := wanted_runs()) is not None:
        collect(rounds)
    return keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "tools/collectors.py")


if __name__ == "__main__":
    sys.exit(main())
