"""The tails of docs/decisions/processors-are-kept-awake.md, from figures kept beside it: `make decisions`.

`--collect N` first measures anew: N rounds of open load on servers that mostly sleep, each way in turn, about 12 minutes a round.
"""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from kept import ROOT, STEELYARD, between, keep, rows, wanted_runs

PAGE = ROOT / "docs" / "decisions" / "processors-are-kept-awake.md"
KEPT = ROOT / "docs" / "decisions" / "awake-tails.csv"
BEGIN, END = "<!-- tails: made by docs/decisions/awake_tails.py -->", "<!-- /tails -->"
COLUMNS = ("round", "awake", "rate", "subject", "measure", "value_ms")
# One thread that sleeps, an event loop with timers of its own, and many threads.
SUBJECTS = ("gsoap", "go", "tomcat-metro")
RATES = (500, 1000)
WAYS = ("no", "engine", "yes")
MEASURES = {"response_time_p99": "p99", "response_time_p99_9": "p99.9"}
STUDY = """\
name = "awake-tails"
title = "Open load on servers that mostly sleep"
question = "Whom does a processor that is kept awake delay?"
service = "wstest"
subjects = {subjects}
reference = "{reference}"
operations = ["echoVoid"]
primary = "echoVoid"
rate = {rate}
pairs = 8
slice_seconds = 2.0
warm_up_limit_seconds = 12.0
"""


def collect(rounds: int) -> None:
    """Measure and keep the tails of each server, rate and way, the ways in another order each round."""
    found: list[tuple[object, ...]] = []
    for number in range(1, rounds + 1):
        for rate in RATES:
            for way in WAYS[number % 3 :] + WAYS[: number % 3]:
                found += [(number, way, rate, *one) for one in _tails(rate, way)]
                with KEPT.open("w", newline="", encoding="utf-8") as file:
                    out = csv.writer(file, lineterminator="\n")
                    out.writerows([COLUMNS, *found])


def _tails(rate: int, way: str) -> list[tuple[str, str, str]]:
    """Subject, measure and value of one fork."""
    with TemporaryDirectory() as folder:
        study = Path(folder) / "awake-tails.toml"
        text = STUDY.format(subjects=str(list(SUBJECTS)).replace("'", '"'), reference=SUBJECTS[0], rate=rate)
        study.write_text(text, encoding="utf-8")
        command = [str(STEELYARD), "run", str(study), "--forks", "1", "--out", folder]
        subprocess.run(command, check=False, env={**os.environ, "STEELYARD_AWAKE": way})
        (results,) = Path(folder).glob("*/results.csv")
        return [
            (row["subject"], row["measure"], row["value"])
            for row in rows(results)
            if row["fork"] == "all" and row["measure"] in MEASURES and row["value"]
        ]


def table() -> str:
    """Each server's tails by rate and way, over rounds the geometric mean, and beside it as a multiple of `no`."""
    if not KEPT.is_file():
        return "Not measured yet: `docs/decisions/awake_tails.py --collect 3` does, on a quiet machine."
    kept = {tuple(row[name] for name in COLUMNS[:-1]): float(row["value_ms"]) for row in rows(KEPT)}
    rounds = sorted({key[0] for key in kept})
    head = ["requests/s", "server", "tail", *(f"kept awake: {way}" for way in WAYS)]
    lines = []
    for rate in map(str, RATES):
        for subject in SUBJECTS:
            for measure, name in MEASURES.items():
                cells = [_cell(kept, rounds, (rate, subject, measure), way) for way in WAYS]
                if any(cells):
                    lines.append(f"| {rate} | {subject} | {name} | {' | '.join(cells)} |")
    return "\n".join([f"| {' | '.join(head)} |", "|--:|---|---|" + "--:|" * len(WAYS), *lines])


def _cell(kept: dict[tuple[str, ...], float], rounds: list[str], what: tuple[str, str, str], way: str) -> str:
    """`0.14 ms, x 0.26 (0.20 to 0.31)`: the mean, and the ratios to `no` of the same round, the least and the greatest."""
    rate, subject, measure = what
    both = [
        (kept[number, way, rate, subject, measure], kept[number, "no", rate, subject, measure])
        for number in rounds
        if (number, way, rate, subject, measure) in kept and (number, "no", rate, subject, measure) in kept
    ]
    if not both:
        return ""
    mean = math.exp(fmean(math.log(value) for value, _ in both))
    if way == "no":
        return f"{mean:.3g} ms"
    ratios = sorted(value / without for value, without in both)
    middle = math.exp(fmean(map(math.log, ratios)))
    spread = f" ({ratios[0]:.2f} to {ratios[-1]:.2f})" if len(ratios) > 1 else ""
    return f"{mean:.3g} ms, x {middle:.2f}{spread}"


def main() -> int:
    """Rewrite the page, or with --check fail where it is stale."""
    if (rounds := wanted_runs()) is not None:
        collect(rounds)
    return keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "`make decisions`")


if __name__ == "__main__":
    sys.exit(main())
