"""The table of docs/decisions/intervals-have-a-floor.md, by simulation: `make decisions`."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from kept import ROOT, between, keep
from numpy.typing import NDArray
from steelyard.statistics.distributions import student_quantile
from steelyard.statistics.looks import LOOKS, alpha_of

PAGE = ROOT / "docs" / "decisions" / "intervals-have-a-floor.md"
BEGIN, END = "<!-- table: made by docs/decisions/floors.py -->", "<!-- /table -->"
RUNS, SEED = 20_000, 20260102
Quantile = Callable[[float, int], float]
FLOORS: dict[str, Quantile | None] = {
    "none": None,
    "Student's quantile": lambda share, freedom: student_quantile(share, freedom),
    "normal quantile": lambda share, _: NormalDist().inv_cdf(share),
}


def simulated(pairs: int, apart: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of forks, and what each fork's pairs predict of their variance: runs x forks, pairs varying by 1."""
    draw = np.random.default_rng(SEED)
    drawn = draw.standard_normal((RUNS, LOOKS[-1], pairs))
    factor = math.pi / (2 * pairs + math.pi - 2)
    values = np.median(drawn, axis=2) + apart * math.sqrt(factor) * draw.standard_normal((RUNS, LOOKS[-1]))
    return values, drawn.var(axis=2, ddof=1) * factor


def row(name: str, quantile: Quantile | None, pairs: int, apart: float) -> str:
    """Alarms over all looks, and the median half-width at the first one in units of what pairs predict."""
    values, variances = simulated(pairs, apart)
    share = 1 - alpha_of(LOOKS) / 2
    alarm = np.zeros(RUNS, bool)
    widths = []
    for look in LOOKS:
        seen = values[:, :look]
        half = student_quantile(share, look - 1) * seen.std(axis=1, ddof=1) / math.sqrt(look)
        if quantile is not None:
            floor = quantile(share, look - 1) * np.sqrt(variances[:, :look].mean(axis=1)) / math.sqrt(look)
            half = np.maximum(half, floor)
        alarm |= np.abs(seen.mean(axis=1)) > half
        widths.append(float(np.median(half)))
    predicted = math.sqrt(math.pi / (2 * pairs + math.pi - 2))
    forks = "alike" if not apart else "apart"
    return f"| {name} | {pairs} | {forks} | {100 * alarm.mean():.0f} | {widths[0] / predicted:.1f} |"


def table() -> str:
    """The whole table."""
    rows = [
        row(name, quantile, pairs, apart)
        for pairs in (3, 5, 10)
        for apart in (0.0, 2.0)
        for name, quantile in FLOORS.items()
    ]
    heading = "| floor | pairs a fork | forks | alarms, % | half-width at 4 forks, in deviations that pairs predict |"
    return "\n".join([heading, "|---|---|---|---|---|", *rows])


if __name__ == "__main__":
    raise SystemExit(keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "`make decisions`"))
