"""The table of docs/decisions/processors-are-kept-awake.md, from the slices kept beside it: `python tools/awake.py [--check]`.

`--collect N` first measures anew, N runs each way in turn, about a minute a run.
"""

from __future__ import annotations

import csv
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median, stdev
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "decisions" / "processors-are-kept-awake.md"
KEPT = ROOT / "docs" / "decisions" / "awake"
BEGIN, END = "<!-- table: made by tools/awake.py -->", "<!-- /table -->"
SUBJECTS = ("tomcat-metro", "go")
STUDY = ["wstest", "--only", ",".join(SUBJECTS), "--operation", "echoStruct", "--forks", "1"]
RUN = ["run", *STUDY, "--pairs", "14", "--slice-seconds", "1", "--warm-up", "20"]


def collect(runs: int) -> None:
    """Measure and keep the slices and the processors' times of each run."""
    shutil.rmtree(KEPT, ignore_errors=True)
    for number in range(1, runs + 1):
        for awake in ("no", "yes"):
            with TemporaryDirectory() as folder:
                command = [str(Path(sys.executable).with_name("steelyard")), *RUN, "--out", folder]
                subprocess.run(command, check=False, env={**os.environ, "STEELYARD_AWAKE": awake})
                (trial,) = Path(folder).glob("*/trials/01")
                to = KEPT / f"{number}-{awake}"
                to.mkdir(parents=True)
                for name in ("slices.csv", "machine.csv"):
                    shutil.copy(trial / name, to / name)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def line(run: Path) -> str:
    """A run's line: time taken by the host, how the pairs of slices differ, answers per second of each subject."""
    measured = [row for row in rows(run / "slices.csv") if row["phase"] == "measure"]
    numbers = {row["slice"] for row in measured}
    times = [row for row in rows(run / "machine.csv") if row["slice"] in numbers]
    stolen = sum(float(row["steal_s"]) for row in times)
    spent = stolen + sum(float(row[name]) for row in times for name in ("user_s", "system_s", "idle_s"))
    rates = {
        subject: [
            int(row["completed"]) / (int(row["end_ns"]) - int(row["begin_ns"])) * 1e9
            for row in measured
            if row["subject"] == subject
        ]
        for subject in SUBJECTS
    }
    ratios = [math.log(one / other) for one, other in zip(*rates.values(), strict=True)]
    number, awake = run.name.split("-")
    answered = " | ".join(f"{median(rates[subject]):,.0f}" for subject in SUBJECTS)
    return f"| {number} | {awake} | {100 * stolen / spent:.1f}% | {100 * stdev(ratios):.0f}% | {answered} |"


def written(page: str) -> str:
    """The page with the table between its two marks made anew."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    head = [
        f"| run | kept awake | taken by the host | SD of pairs' log ratios | {', answers/s | '.join(SUBJECTS)}, answers/s |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    runs = sorted(KEPT.iterdir(), key=lambda run: (run.name.endswith("yes"), run.name))
    return f"{before}{BEGIN}\n\n" + "\n".join([*head, *map(line, runs)]) + f"\n\n{END}{after}"


def main() -> int:
    """Rewrite the page, or with --check fail where it is stale."""
    if "--collect" in sys.argv[1:]:
        collect(int(sys.argv[sys.argv.index("--collect") + 1]))
    old = PAGE.read_text(encoding="utf-8")
    new = written(old)
    if "--check" in sys.argv[1:]:
        if new != old:
            print(f"{PAGE.name} does not show what is kept beside it; tools/awake.py rewrites it", file=sys.stderr)
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
