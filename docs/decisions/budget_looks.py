"""The table of docs/decisions/looks-fit-the-budget.md, from the measured forks of the calibration: `make decisions`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from kept import ROOT, between, keep
from steelyard.calibration import bank
from steelyard.calibration.values import Values, values_of
from steelyard.statistics.looks import LOOKS, alpha_of, looks_within
from steelyard.statistics.redraws import judge_at_looks, redrawn, swap_labels

PAGE = ROOT / "docs" / "decisions" / "looks-fit-the-budget.md"
BEGIN, END = "<!-- table: made by docs/decisions/budget_looks.py -->", "<!-- /table -->"
BANK = ROOT / "docs" / "results" / "calibration"
FORKS = (4, 5, 6, 7, 9, 12)
REDRAWS, SEED = 20_000, 20261129
NO_MARGIN = 1e-9  # nothing ends as equivalent, so that only the looks determine the rate of alarms
SLOWED = 0.02


def rows() -> Iterator[str]:
    """By the forks that fit: looks and alpha of both rules, alarms without a difference, and how often a true 2% is seen."""
    values = values_of(bank.read(BANK))
    for forks in FORKS:
        planned, fitted = [look for look in LOOKS if look <= forks], looks_within(LOOKS, forks)
        cells = []
        for looks, alpha in ((planned, alpha_of(LOOKS)), (fitted, alpha_of(fitted))):
            cells += [", ".join(map(str, looks)), f"{100 * alpha:.2f}"]
            cells += [f"{share:.1f}" for share in shares(values, looks, alpha)]
        yield f"| {forks} | {' | '.join(cells)} |"


def shares(values: Values, looks: Sequence[int], alpha: float) -> tuple[float, float]:
    """The percentages of redraws whose interval excludes 1: without a difference, and with a true one of SLOWED."""
    draw = np.random.default_rng(SEED)
    equal, slowed = values.equal, values.levels[SLOWED]
    places, blocks = redrawn(equal.sittings, REDRAWS, draw)
    unslowed = swap_labels(equal.ratios[places], blocks, draw)
    alarms = judge_at_looks(unslowed, looks, NO_MARGIN, alpha, equal.scatter[places]).alarms
    places, _ = redrawn(slowed.sittings, REDRAWS, draw)
    seen = judge_at_looks(slowed.ratios[places], looks, NO_MARGIN, alpha, slowed.scatter[places]).alarms
    return 100 * float(alarms.mean()), 100 * float(seen.mean())


def table() -> str:
    """The whole table."""
    columns = ["forks that fit"]
    for rule in ("planned", "fitted"):
        columns += [
            f"{rule} looks",
            "alpha of each, %",
            "alarms without a difference, %",
            f"a true {SLOWED:.0%} seen, %",
        ]
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows()])


if __name__ == "__main__":
    raise SystemExit(keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "`make decisions`"))
