"""The usual way to compare two servers, as a yardstick: restart, warm up, 30 s of load, and Welch's t test over repeats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from statistics import fmean, variance

from ..base.csvfiles import read_table, write_table
from ..statistics.distributions import noncentral_student_share, student_quantile

FILE = "usual.csv"
WARM_UP_SECONDS, MEASURED_SECONDS = 30.0, 30.0
ALPHA = 0.05
MOST_REPEATS = 2_000
USUAL_WAY = f"restart, {WARM_UP_SECONDS:g} s of warm-up, {MEASURED_SECONDS:g} s of load, Welch's t over repeats"


@dataclass(frozen=True)
class UsualRun:
    """One run: a server started anew and alone. `seconds` are all that it took, `level` the slow-down planted."""

    run: int
    label: str
    level: float
    seconds: float
    throughput_per_s: float


def read(folder: Path) -> list[UsualRun]:
    """The runs kept beside a bank; none where there are none. Raises StoreError."""
    path = folder / FILE
    if not path.exists():
        return []
    rows = read_table(path, [column.name for column in fields(UsualRun)])
    return [
        UsualRun(
            row.whole("run"),
            row.text("label"),
            *(row.number(name) for name in ("level", "seconds", "throughput_per_s")),
        )
        for row in rows
    ]


def write(runs: Sequence[UsualRun], folder: Path) -> None:
    """Keep the runs; raises StoreError."""
    write_table(folder / FILE, [column.name for column in fields(UsualRun)], map(astuple, runs))


def minutes_needed(runs: Sequence[UsualRun], difference: float, power: float) -> float | None:
    """Minutes that the usual way takes to find `difference` (0.05 is 5%) with this power: so many runs of both servers, each as
    long as those here. None where fewer than two runs of each of two servers tell how runs vary, or no number of runs would do.

    Welch 1947, "The generalization of Student's problem when several different population variances are involved", with his
    degrees of freedom; the power by the noncentral t distribution, on the logarithms of throughput.
    """
    logs = [
        [math.log(run.throughput_per_s) for run in runs if run.label == label]
        for label in sorted({r.label for r in runs})
    ]
    if len(logs) != 2 or min(map(len, logs)) < 2:
        return None
    first, second = map(variance, logs)
    if first + second == 0:
        return 2 * 2 * fmean(run.seconds for run in runs) / 60
    for repeats in range(2, MOST_REPEATS):
        freedom = (first + second) ** 2 * (repeats - 1) / (first**2 + second**2)
        shift = math.log1p(difference) / math.sqrt((first + second) / repeats)
        critical = student_quantile(1 - ALPHA / 2, freedom)
        if shift > critical + 40 or 1 - noncentral_student_share(critical, freedom, shift) >= power:
            return 2 * repeats * fmean(run.seconds for run in runs) / 60
    return None
