"""A table of the calibration page: the banked forks by pair and measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import stdev

from ..statistics.interval import student_interval
from . import bank as banking
from .bank import Bank
from .keys import KEYS, P99, Key
from .page_figures import as_measured, proportion, shares
from .values import LevelForks, tail_forks, values_of

FEWEST_FORKS = 4
HEADER = ["pair", "measure", "load", "budget of its comparisons", "complete forks", "fork deviation", "A/A ratio, 95% interval",
          "measured comparisons whose interval contains the planted value"]  # fmt: skip
NOTHING_ELSE = f"""\
Nothing else is calibrated: no other server, operation, number of users, load or measure. Results for these pairs may not
apply to a server whose forks vary more. `make calibrate-study PAIR={KEYS[1].name}` continues with a pair, in pieces of 20
minutes.
"""


def read_all(banks: Path) -> dict[Key, Bank]:
    """The existing banks; raises StoreError."""
    folders = {key: key.folder(banks) for key in KEYS}
    return {key: banking.read(folder) for key, folder in folders.items() if (folder / banking.FORKS).exists()}


def rows(banks: Mapping[Key, Bank]) -> list[list[str]]:
    """One row per key, including keys without forks."""
    return [_row(key, banks.get(key)) for key in KEYS]


def _row(key: Key, bank: Bank | None) -> list[str]:
    named = [f"`{key.server}` against itself", key.measure, key.load, f"{key.budget_seconds / 60:g} min"]
    if bank is None:
        return [*named, "none yet", "", "", ""]
    levels = _levels(key, bank)
    equal = levels[0] if levels else None
    forks = f"{len(bank.complete)}"
    if equal is None or len(equal.counted_ratios) < FEWEST_FORKS:
        return [*named, forks, "too few forks", "", ""]
    ratio = student_interval(equal.counted_ratios, least_deviation=equal.least_deviation).exp()
    held = shares([comparison.holds(level.truth) for level in levels for comparison in as_measured(level)])
    return [
        *named,
        forks,
        f"{stdev(equal.counted_ratios):.2%}",
        f"{ratio.estimate:.4f}, {ratio.low:.4f} to {ratio.high:.4f}",
        "none yet" if held is None else proportion(held),
    ]


def _levels(key: Key, bank: Bank) -> Sequence[LevelForks]:
    """The forks of each level with a known true ratio, A/A first."""
    if key.measure == P99:
        return [tail_forks(bank)]
    return [level for level in values_of(bank, key.fork_within).levels.values() if not math.isnan(level.truth)]
