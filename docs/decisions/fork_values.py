"""The table of docs/decisions/a-forks-value.md, by simulation: `make decisions`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from kept import ROOT, between, keep
from numpy.typing import NDArray
from steelyard.statistics.looks import LOOKS
from steelyard.statistics.redraws import judge_at_looks

PAGE = ROOT / "docs" / "decisions" / "a-forks-value.md"
BEGIN, END = "<!-- table: made by docs/decisions/fork_values.py -->", "<!-- /table -->"
RUNS, SEED = 20_000, 20261127
NO_MARGIN = 1e-9  # nothing ends as equivalent, so that every look is used
PAIRS = (5, 11, 30)
APART = (0.0, 1.0)  # how forks vary on top of their pairs, in standard errors of a mean of pairs
Floats = NDArray[np.float64]


def normal(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return draw.standard_normal(shape)


def heavy(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Student's t with 3 degrees of freedom."""
    return draw.standard_t(3, shape)


def alike(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Each pair resembles the one before it: a correlation of 0.5."""
    noise = draw.standard_normal(shape)
    for place in range(1, shape[-1]):
        noise[..., place] = 0.5 * noise[..., place - 1] + math.sqrt(0.75) * noise[..., place]
    return noise


def contaminated(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """A tenth of the pairs vary five times as much."""
    return draw.standard_normal(shape) * np.where(draw.random(shape) < 0.1, 5.0, 1.0)


def lopsided(draw: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """In a tenth of the pairs either subject, drawn by chance once a fork, is slowed down by four deviations."""
    side = np.where(draw.random(shape[:-1]) < 0.5, -4.0, 4.0)[..., None]
    return draw.standard_normal(shape) + side * (draw.random(shape) < 0.1)


NOISES = {
    "normal": normal,
    "heavy tails": heavy,
    "neighbours alike": alike,
    "contaminated": contaminated,
    "contaminated on one side": lopsided,
}


def cut(pairs: int) -> int:
    """How many of the least and of the greatest are left out: a fifth, and one at the least."""
    return max(1, int(0.2 * pairs))


def median(drawn: Floats) -> tuple[Floats, Floats]:
    """The median of each fork's pairs, and the variance that they predict for it."""
    pairs = drawn.shape[-1]
    return np.median(drawn, axis=-1), drawn.var(axis=-1, ddof=1) * math.pi / (2 * pairs + math.pi - 2)


def trimmed(drawn: Floats) -> tuple[Floats, Floats]:
    """The trimmed mean of each fork's pairs, and what Tukey and McLaughlin 1963 predict of its variance."""
    pairs = drawn.shape[-1]
    left = cut(pairs)
    ordered = np.sort(drawn, axis=-1)
    kept = pairs - 2 * left
    winsorized = np.clip(ordered, ordered[..., left, None], ordered[..., -left - 1, None])
    predicted = winsorized.var(axis=-1, ddof=1) * (pairs - 1) / (kept * (kept - 1))
    return ordered[..., left : pairs - left].mean(axis=-1), predicted


VALUES: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {"median": median, "20% trimmed mean": trimmed}


def rows() -> Iterator[str]:
    """By number of pairs, noise and how forks vary: alarms by each value, and what the trimmed mean varies by of the median."""
    for pairs in PAIRS:
        for name, noise in NOISES.items():
            drawn = noise(np.random.default_rng(SEED), (RUNS, LOOKS[-1], pairs))
            variances = [value(drawn)[0].var() for value in VALUES.values()]
            cells = [f"{variances[1] / variances[0]:.2f}"]
            for apart in APART:
                scale = apart * drawn.std() / math.sqrt(pairs)
                shift = scale * np.random.default_rng(SEED + 1).standard_normal((RUNS, LOOKS[-1]))
                for value in VALUES.values():
                    values, scatter = value(drawn)
                    alarms = judge_at_looks(values + shift, margin=NO_MARGIN, scatter=scatter).alarms
                    cells.append(f"{100 * alarms.mean():.1f}")
            yield f"| {pairs} | {name} | {' | '.join(cells)} |"


def table() -> str:
    """The whole table."""
    columns = ["pairs a fork", "noise of pairs", "variance, trimmed mean over median"]
    columns += [f"alarms, %: {value}, forks {how}" for how in ("alike", "apart") for value in VALUES]
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows()])


if __name__ == "__main__":
    raise SystemExit(keep(PAGE, between(PAGE.read_text(encoding="utf-8"), BEGIN, END, table()), "`make decisions`"))
