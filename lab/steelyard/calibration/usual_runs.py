"""The usual way to compare two servers, as a yardstick: restart, warm up, 30 s of load, and Welch's t test over repeats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, variance

from ..base.typed_rows import read_rows, write_rows
from ..statistics.distributions import chi_squared_quantile, noncentral_student_share, student_quantile
from ..statistics.interval import CONFIDENCE, Interval

FILE = "usual.csv"
WARM_UP_SECONDS, MEASURED_SECONDS = 30.0, 30.0
ALPHA = 0.05
MOST_REPEATS = 2_000
USUAL_WAY = f"restart, {WARM_UP_SECONDS:g} s of warm-up, {MEASURED_SECONDS:g} s of load, Welch's t over repeats"


@dataclass(frozen=True)
class UsualRun:
    """One run of a newly started server alone. `seconds` is its total time, `level` the planted slow-down."""

    run: int
    label: str
    level: float
    seconds: float
    throughput_per_s: float


def read(folder: Path) -> list[UsualRun]:
    """The runs stored beside a bank; empty if there are none. Raises StoreError."""
    path = folder / FILE
    return [run for _, run in read_rows(path, UsualRun)] if path.exists() else []


def write(runs: Sequence[UsualRun], folder: Path) -> None:
    """Store the runs; raises StoreError."""
    write_rows(folder / FILE, UsualRun, runs)


def minutes_needed(runs: Sequence[UsualRun], difference: float, power: float) -> Interval | None:
    """The minutes that the usual way needs to find `difference` (0.05 is 5%) with this power, with a 95% interval, from
    runs as long as those here. None with fewer than two runs of either server, or if no number of runs suffices.

    Welch 1947, "The generalization of Student's problem when several different population variances are involved", with
    his degrees of freedom; the power from the noncentral t distribution, on logarithms of throughput. The interval
    follows from the chi-squared interval of the runs' variance (Satterthwaite 1946, "An approximate distribution of
    estimates of variance components"), since few runs estimate it poorly.
    """
    logs = [
        [math.log(run.throughput_per_s) for run in runs if run.label == label]
        for label in sorted({r.label for r in runs})
    ]
    if len(logs) != 2 or min(map(len, logs)) < 2:
        return None
    first, second = map(variance, logs)
    seconds = fmean(run.seconds for run in runs)
    if first + second == 0:
        least = 2 * 2 * seconds / 60
        return Interval(least, least, least, CONFIDENCE, len(runs))
    known = (first + second) ** 2 / sum(each**2 / (len(of) - 1) for each, of in ((first, logs[0]), (second, logs[1])))
    tail = (1 - CONFIDENCE) / 2
    factors = (1.0, known / chi_squared_quantile(1 - tail, known), known / chi_squared_quantile(tail, known))
    repeats = [_repeats(first * factor, second * factor, difference, power) for factor in factors]
    if repeats[0] is None:
        return None
    estimate, low, high = (math.inf if count is None else 2 * count * seconds / 60 for count in repeats)
    return Interval(estimate, low, high, CONFIDENCE, len(runs))


def _repeats(first: float, second: float, difference: float, power: float) -> int | None:
    """The number of runs of each of two servers with these variances of log throughput that Welch's test needs;

    None if none suffices.
    """
    for repeats in range(2, MOST_REPEATS):
        freedom = (first + second) ** 2 * (repeats - 1) / (first**2 + second**2)
        shift = math.log1p(difference) / math.sqrt((first + second) / repeats)
        critical = student_quantile(1 - ALPHA / 2, freedom)
        if shift > critical + 40 or 1 - noncentral_student_share(critical, freedom, shift) >= power:
            return repeats
    return None
