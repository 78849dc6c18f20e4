"""Measures what a watched call costs, by the monitor and by Kieker in the same run; raw data and a table go to results/.

    python3 monitor/bench/overhead.py              about four minutes
    python3 monitor/bench/overhead.py --forks 2    fewer fresh processes of each way of watching

Needs Maven and a JDK of 17 or later. The table is made anew by `--table` alone.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import random
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
WAYS = {
    "none": "nothing",
    "clock": "`System.nanoTime` twice: the floor",
    "monitor-off": "the monitor, off",
    "monitor": "the monitor, on, its records written",
    "kieker-off": "Kieker, off",
    "kieker-probe": "Kieker's probe only: its record is made and dropped",
    "kieker-queued": "Kieker, its records handed to a writer that drops them",
    "kieker-written": "Kieker, its records written",
}
HEAD = """\
# What a watched call costs

Made by `make bench` (`monitor/bench/overhead.py`) from `overhead.csv` beside it; `setup.csv` has the machine. In the manner
of MooBench (J. Waller and W. Hasselbring, *A Benchmark Engineering Methodology to Measure the Overhead of Application-Level
Monitoring*, 2013): a call that calls itself to a depth of ten. Each figure is processor time of the calling thread, which
other programs on the machine do not add to, and Kieker's own writer thread neither: the median over fresh processes, above
the same call with nothing around it; a share is taken within a fork, so that both sides had the same machine at about the same
time. The smallest and the largest fork stand in brackets.

| around each call | ns | share of Kieker's probe | above the floor, share of Kieker's above it |
|---|--:|--:|--:|"""
FOOT = """
Asked for: on, at most half of Kieker's probe; off, at most a tenth. Both read the clock twice a call: where that alone is half of
Kieker's probe, as it is on a slow clock, half cannot be had, and what each adds to the clock is compared instead. The monitor's
figure holds all of its work, the writing of its records too; Kieker's probe does none of that. Kieker writes a
record a call, the monitor one for ten, since one request is one record.
"""
PROBE_SHARE, OFF_SHARE = 0.5, 0.1  # of what Kieker's probe alone costs


def build() -> str:
    """The class path of the benchmark."""
    for project in (HERE.parent, HERE):
        goal = "install" if project == HERE.parent else "package"
        subprocess.run(
            [
                "mvn",
                "-B",
                "-q",
                "--strict-checksums",
                "-f",
                str(project / "pom.xml"),
                "-DskipTests",
                "-Dspotless.check.skip",
                goal,
            ],
            check=True,
        )
    return f"{HERE / 'target' / 'classes'}{os.pathsep}{HERE / 'target' / 'lib'}/*"


def cost(classes: str, way: str, rounds: int, calls: int) -> float:
    """The ns a call in one fresh process."""
    with TemporaryDirectory(prefix="steelyard-bench-") as folder:
        options = ["-Xms512m", "-Xmx512m", "-XX:+UseG1GC", "-XX:+AlwaysPreTouch"]
        argv = [java(), *options, "-cp", classes, "steelyard.monitor.bench.Bench", way, folder, str(rounds), str(calls)]
        done = subprocess.run(
            argv, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=600
        )
        return float(done.stdout.split()[-1])


def measure(forks: int, rounds: int, calls: int) -> None:
    """Fresh processes of each way in a shuffled order, fork by fork."""
    classes, rows = build(), list[list[object]]()
    draw = random.Random(20040601)
    for fork in range(1, forks + 1):
        for way in draw.sample(list(WAYS), len(WAYS)):
            rows.append([fork, way, f"{cost(classes, way, rounds, calls):.3f}"])
            print(f"fork {fork}: {way}: {rows[-1][2]} ns a call", file=sys.stderr, flush=True)
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "overhead.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["fork", "way", "ns_per_call"], *rows])
    with (RESULTS / "setup.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["what", "value"], ["kernel", platform.release()], ["processors", os.cpu_count()]])
        writer.writerows(
            [["processor", processor()], ["java", java_version()], ["rounds", rounds], ["calls a round", calls]]
        )


def processor() -> str:
    """The processor's name, empty where the machine does not tell."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def java() -> str:
    """The JVM of JAVA_HOME, or the one on the path."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"


def java_version() -> str:
    """The first line that `java -version` says."""
    return subprocess.run([java(), "-version"], capture_output=True, text=True, check=True).stderr.splitlines()[0]


def read(path: Path) -> dict[str, list[float]]:
    """The ns a call of each way above nothing, fork by fork."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    by_way = {way: {row["fork"]: float(row["ns_per_call"]) for row in rows if row["way"] == way} for way in WAYS}
    return {way: [ns - by_way["none"][fork] for fork, ns in by_fork.items()] for way, by_fork in by_way.items()}


def ratios(costs: dict[str, list[float]], way: str) -> list[float]:
    """The cost of a way as a share of Kieker's probe alone in the same fork."""
    return [mine / theirs for mine, theirs in zip(costs[way], costs["kieker-probe"], strict=True)]


def above_the_floor(costs: dict[str, list[float]], way: str) -> list[float]:
    """What a way costs beside two readings of the clock, as a share of what Kieker's probe alone does, in the same fork."""
    floors, probes = costs["clock"], costs["kieker-probe"]
    return [(mine - floor) / (probe - floor) for mine, floor, probe in zip(costs[way], floors, probes, strict=True)]


def judged(costs: dict[str, list[float]]) -> tuple[str, float]:
    """What the monitor's cost is compared with, and its share of that."""
    if median(ratios(costs, "clock")) < PROBE_SHARE:
        return "Kieker's probe", median(ratios(costs, "monitor"))
    return "Kieker's probe above two readings of the clock", median(above_the_floor(costs, "monitor"))


def ranged(shares: list[float]) -> str:
    """Their median, smallest and largest, in percent; what rounds to none has no sign."""
    middle, least, most = (f"{round(share, 2) + 0.0:.0%}" for share in (median(shares), min(shares), max(shares)))
    return f"{middle} ({least} to {most})"


def table(costs: dict[str, list[float]]) -> str:
    """The README of the results."""
    lines = [HEAD]
    for way, title in WAYS.items():
        if way != "none":
            share, above = ratios(costs, way), above_the_floor(costs, way)
            beside = "" if way == "clock" or way.endswith("-off") else ranged(above)
            lines.append(
                f"| {title} | {median(costs[way]):.1f} ({min(costs[way]):.1f} to {max(costs[way]):.1f}) | "
                f"{ranged(share)} | {beside} |"
            )
    lines.append(FOOT)
    return "\n".join(lines)


def main() -> int:
    """1 where the monitor costs more than asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--forks", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls a round")
    parser.add_argument("--table", action="store_true", help="make the table anew, and measure nothing")
    given = parser.parse_args()
    if not given.table:
        measure(given.forks, given.rounds, given.calls)
    costs, page = read(RESULTS / "overhead.csv"), RESULTS / "README.md"
    page.write_text(table(costs), encoding="utf-8")
    (probe, on), off = judged(costs), median(ratios(costs, "monitor-off"))
    print(f"the monitor costs {on:.0%} of {probe}, off {off:.1%} of Kieker's")
    return int(on > PROBE_SHARE or off > OFF_SHARE)


if __name__ == "__main__":
    sys.exit(main())
