"""The table of docs/decisions/slices-take-turns.md, from the forks kept beside it: `make decisions`.

`--collect N` first measures anew: N turns of one fork by each design, 1.5 minutes a fork. Both subjects are one artifact, so
the true ratio is 1.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean, median, stdev
from tempfile import TemporaryDirectory

from kept import ROOT, between, keep, measured, rate, rows, run_one_fork, wanted_runs
from steelyard.base.csvfiles import read_document
from steelyard.statistics.interval import fork_value, student_interval
from steelyard.statistics.steady import compiles

PAGE = ROOT / "docs" / "decisions" / "slices-take-turns.md"
KEPT = ROOT / "docs" / "decisions" / "designs"
BEGIN, END = "<!-- table: made by docs/decisions/designs.py -->", "<!-- /table -->"
# By the name on the page: what a study says.
DESIGNS = {
    "sequential": 'design = "sequential"',
    "alternating-frozen": 'design = "alternating-frozen"',
    "alternating in one stretch": "turn_ms = 0",
    "alternating in turns": "",
}
KEPT_FILES = ("slices.csv", "observations.csv", "trial.json")
STUDY = """\
name = "designs"
title = "One server against itself, by another design"
question = "What does each design cost, and how near does it come to 1?"
service = "wstest"
reference = "a"
operations = ["echoStruct"]
primary = "echoStruct"
{design}
pairs = 12
slice_seconds = 1.0
warm_up_limit_seconds = 5.0

[[subjects]]
label = "a"
parts = [{{ server = "tomcat-metro" }}]

[[subjects]]
label = "again"
parts = [{{ server = "tomcat-metro" }}]
"""


def collect(turns: int) -> None:
    """Measure and keep one fork by each design, turn after turn, so that what drifts on the host meets all alike."""
    shutil.rmtree(KEPT, ignore_errors=True)
    names = list(DESIGNS)
    for turn in range(turns):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            with TemporaryDirectory() as folder:
                study = Path(folder) / "designs.toml"
                study.write_text(STUDY.format(design=DESIGNS[name]), encoding="utf-8")
                run_one_fork([str(study), "--seed", str(turn + 1)], _folder(turn + 1, name), KEPT_FILES)


def _folder(turn: int, design: str) -> Path:
    return KEPT / f"{turn:02d}-{design.replace(' ', '-')}"


def log_ratios(fork: Path) -> list[float]:
    """log(again / a) of each pair that counts: the engine was valid, and the compilers slept in both slices."""
    own_ns = {row["slice"]: int(row["measured_ns"]) for row in rows(fork / "slices.csv") if row.get("cpu_own_ns")}
    compiled: dict[str, float] = defaultdict(float)
    for row in rows(fork / "observations.csv"):
        observed_ns = int(row["end_ns"]) - int(row["begin_ns"])
        compiled[row["slice"]] += int(row["jit_ns"]) / own_ns.get(row["slice"], observed_ns)
    first, second = ([row for row in measured(fork) if row["subject"] == subject] for subject in ("a", "again"))
    return [
        math.log(rate(other) / rate(one))
        for one, other in zip(first, second, strict=True)
        if all(row["valid"] == "1" and not compiles(compiled[row["slice"]]) for row in (one, other))
    ]


def line(design: str) -> str:
    """A design's line: what a fork cost, how its pairs and its forks vary, and the interval of the ratio that is 1."""
    forks = sorted(KEPT.glob(_folder(0, design).name.replace("00", "*", 1)))
    ratios = [log_ratios(fork) for fork in forks]
    values = [fork_value(logs) for logs in ratios if logs]
    slices = [measured(fork) for fork in forks]
    spent = [_lasted(rows) / len(rows) for rows in slices]
    whole = fmean(read_document(fork / "trial.json")["seconds"] for fork in forks)
    voided = sum(len(rows) // 2 for rows in slices) - sum(map(len, ratios))
    within = median(stdev(logs) for logs in ratios if len(logs) > 1)
    interval = student_interval(values).exp()
    cells = [
        design, f"{len(values)} of {len(forks)}", f"{whole:.0f} s", f"{fmean(spent):.2f} s", f"{voided}", f"{within:.1%}",
        f"{stdev(values):.1%}", f"{interval.estimate:.3f}, {interval.low:.3f} to {interval.high:.3f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _lasted(slices: list[dict[str, str]]) -> float:
    """Seconds from the first of the slices to the end of the last."""
    return (max(int(row["end_ns"]) for row in slices) - min(int(row["begin_ns"]) for row in slices)) / 1e9


def table() -> str:
    """All designs."""
    names = [
        "design",
        "forks",
        "a fork takes",
        "a slice of 1 s takes",
        "pairs voided",
        "SD of pairs in a fork, median",
        "SD of forks",
    ]
    head = [f"| {' | '.join([*names, 'ratio, 95% interval'])} |", "|---" + "|--:" * len(names) + "|"]
    return "\n".join([*head, *map(line, DESIGNS)])


def main() -> int:
    """Rewrite the page, or with --check fail where it is stale."""
    if (turns := wanted_runs()) is not None:
        collect(turns)
    return keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "`make decisions`")


if __name__ == "__main__":
    sys.exit(main())
