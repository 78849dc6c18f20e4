"""What keep-awake threads, pausing and the design cost on this machine: `python tools/many_processors.py FOLDER [--collect N]`.

One server is compared with itself by each way below, so the true ratio is 1. `--collect N` measures N forks each way, in turn, and
keeps their tables in FOLDER; about a minute and a half a fork. The table is printed as Markdown. Ways with `--apart` need at least
four processors and are left out on a smaller machine.
"""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median, stdev
from tempfile import TemporaryDirectory

from kept import measured, rate, run_one_fork, wanted_runs
from steelyard.base.csvfiles import read_document
from steelyard.hosts.halves import LEAST_PROCESSORS
from steelyard.statistics.interval import student_interval

KEPT_FILES = ("slices.csv", "trial.json")
STUDY = """\
name = "ways"
title = "One server against itself"
question = "What does each way cost, and how near does it come to 1?"
service = "wstest"
reference = "a"
operations = ["echoStruct"]
primary = "echoStruct"
pairs = 12
slice_seconds = 1.0
warm_up_limit_seconds = 10.0

[[subjects]]
label = "a"
parts = [{ server = "go" }]

[[subjects]]
label = "again"
parts = [{ server = "go" }]
"""


@dataclass(frozen=True)
class Way:
    """A way to measure: options of `run`, and environment variables."""

    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


WAYS = {
    "turns": Way(),
    "turns, not kept awake": Way(environment={"STEELYARD_AWAKE": "no"}),
    "turns, not paused": Way(environment={"STEELYARD_FREEZE": "no"}),
    "apart": Way(("--apart",)),
    "apart, not kept awake": Way(("--apart",), {"STEELYARD_AWAKE": "no"}),
}


def possible_ways() -> dict[str, Way]:
    """The ways that this machine has processors for."""
    enough = len(os.sched_getaffinity(0)) >= LEAST_PROCESSORS
    return {name: way for name, way in WAYS.items() if enough or "--apart" not in way.options}


def collect(folder: Path, forks: int) -> None:
    """Measure and keep one fork by each way after the other, so that what drifts on the host meets all alike."""
    for fork in range(1, forks + 1):
        for name, way in possible_ways().items():
            with TemporaryDirectory() as scratch:
                study = Path(scratch) / "ways.toml"
                study.write_text(STUDY, encoding="utf-8")
                words = [str(study), "--seed", str(fork), *way.options]
                run_one_fork(words, folder / f"{fork:02d}-{_file_name(name)}", KEPT_FILES, way.environment)


def _file_name(way: str) -> str:
    return way.replace(", ", "-").replace(" ", "-")


def line(name: str, forks: list[Path]) -> str:
    """A way's line: the time of a fork, throughput, the scatter of pairs, and the interval of the ratio that is 1."""
    slices = [measured(fork) for fork in forks]
    rates = [[[rate(row) for row in rows if row["subject"] == label] for label in ("a", "again")] for rows in slices]
    logs = [[math.log(other / one) for one, other in zip(*both, strict=True)] for both in rates]
    values = [median(of_fork) for of_fork in logs]
    seconds = fmean(read_document(fork / "trial.json")["seconds"] for fork in forks)
    throughput = fmean(fmean(one) for one, _ in rates)
    interval = student_interval(values).exp() if len(values) > 1 else None
    ratio = "" if interval is None else f"{interval.estimate:.3f}, {interval.low:.3f} to {interval.high:.3f}"
    cells = [name, str(len(forks)), f"{seconds:.0f} s", f"{throughput:,.0f}", f"{fmean(map(stdev, logs)):.1%}", ratio]
    return f"| {' | '.join(cells)} |"


def table(folder: Path) -> str:
    """All ways that FOLDER has forks of."""
    head = "| way | forks | a fork takes | requests/s | SD of pairs in a fork | ratio, 95% interval |\n|---|--:|--:|--:|--:|--:|"
    found = {name: sorted(folder.glob(f"[0-9][0-9]-{_file_name(name)}")) for name in WAYS}
    return "\n".join([head, *(line(name, forks) for name, forks in found.items() if forks)])


def main() -> int:
    """Print the table, after measuring where asked to."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print("name the folder of the forks: python tools/many_processors.py FOLDER [--collect N]", file=sys.stderr)
        return 64
    folder = Path(sys.argv[1])
    if (forks := wanted_runs()) is not None:
        collect(folder, forks)
    print(table(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
