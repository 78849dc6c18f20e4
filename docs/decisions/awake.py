"""The table of docs/decisions/processors-are-kept-awake.md, from the slices kept beside it: `make decisions`.

`--collect N` first measures anew, N runs each way in turn, about a minute a run.
"""

from __future__ import annotations

import math
import shutil
import sys
from pathlib import Path
from statistics import median, stdev

from kept import ROOT, between, keep, measured, rate, rows, run_one_fork, wanted_runs

PAGE = ROOT / "docs" / "decisions" / "processors-are-kept-awake.md"
KEPT = ROOT / "docs" / "decisions" / "awake"
BEGIN, END = "<!-- table: made by docs/decisions/awake.py -->", "<!-- /table -->"
SUBJECTS = ("tomcat-metro", "go")
STUDY = ["wstest", "--only", ",".join(SUBJECTS), "--operation", "echoStruct"]
RUN = [*STUDY, "--pairs", "14", "--slice-seconds", "1", "--warm-up", "20"]


def collect(runs: int) -> None:
    """Measure and keep the slices and the processors' times of each run."""
    shutil.rmtree(KEPT, ignore_errors=True)
    for number in range(1, runs + 1):
        for awake in ("no", "yes"):
            run_one_fork(RUN, KEPT / f"{number}-{awake}", ("slices.csv", "machine.csv"), {"STEELYARD_AWAKE": awake})


def line(run: Path) -> str:
    """A run's line: time taken by the host, how the pairs of slices differ, answers per second of each subject."""
    slices = measured(run)
    numbers = {row["slice"] for row in slices}
    times = [row for row in rows(run / "machine.csv") if row["slice"] in numbers]
    stolen = sum(float(row["steal_s"]) for row in times)
    spent = stolen + sum(float(row[name]) for row in times for name in ("user_s", "system_s", "idle_s"))
    rates = {subject: [rate(row) for row in slices if row["subject"] == subject] for subject in SUBJECTS}
    ratios = [math.log(one / other) for one, other in zip(*rates.values(), strict=True)]
    number, awake = run.name.split("-")
    answered = " | ".join(f"{median(rates[subject]):,.0f}" for subject in SUBJECTS)
    return f"| {number} | {awake} | {100 * stolen / spent:.1f}% | {100 * stdev(ratios):.0f}% | {answered} |"


def table() -> str:
    """All runs, those that were kept awake last."""
    head = [
        f"| run | kept awake | taken by the host | SD of pairs' log ratios | {', answers/s | '.join(SUBJECTS)}, answers/s |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    runs = sorted(KEPT.iterdir(), key=lambda run: (run.name.endswith("yes"), run.name))
    return "\n".join([*head, *map(line, runs)])


def main() -> int:
    """Rewrite the page, or with --check fail where it is stale."""
    if (runs := wanted_runs()) is not None:
        collect(runs)
    return keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "`make decisions`")


if __name__ == "__main__":
    sys.exit(main())
