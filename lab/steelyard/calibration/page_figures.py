"""The figures of docs/reference/calibration.md: what was measured, and what the stopping rule would make of it, redrawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import stdev

import numpy as np

from ..statistics.interval import student_interval, two_sample_p_value
from ..statistics.redraws import (
    Ended,
    Proportion,
    Said,
    clopper_pearson,
    ended,
    lag_1_correlation,
    one_after_the_other,
    redrawn,
    swapped,
)
from .values import Floats, Values

REDRAWS = 10_000
SEED = 20040806
LEAST_FORKS = 60
BIAS_LIMIT = 0.006
ALARMS = (0.02, 0.07)
WRONG_SIGN = 0.005
COVERAGE = (0.90, 0.99)
FOUND = 0.90
# Recorded minutes within which a slow-down is to be called; None is shown and not asked.
MINUTES = {0.02: None, 0.05: 15.0, 0.20: 5.0}


@dataclass(frozen=True)
class FigureRow:
    """One line of the table; `met` is None where nothing is asked, `why` explains what was missed."""

    figure: str
    must_reach: str
    reached: str
    met: bool | None
    why: str = ""


@dataclass(frozen=True)
class SlowedDown:
    """What redraws of again, slowed by `level`, against a come to: shares of redraws, and where they ended."""

    level: float
    truth: float
    right: float
    wrong: float
    within: dict[float, float]
    coverage: float
    minutes: float
    forks: float


@dataclass(frozen=True)
class Figures:
    """Everything that the page shows."""

    rows: list[FigureRow]
    levels: list[SlowedDown]
    usual: Proportion | None
    disjoint: Proportion | None
    words: dict[str, float]


def figures(values: Values) -> Figures:
    """All figures; deterministic, since the redraws' seed is fixed."""
    equal = values.ratios[0.0]
    draw = np.random.default_rng(SEED)
    places = redrawn(len(equal), REDRAWS, draw)
    unslowed = ended(swapped(equal[places], draw))
    levels = [_level(values, level, places) for level in values.levels]
    disjoint = _disjoint(equal)
    usual = usual_way(values.throughputs)
    rows = [
        _bias(equal),
        _alarms(unslowed),
        *_beside(disjoint, usual),
        _dependence(equal),
        *(_found(level) for level in levels),
        _wrong_sign(levels),
        _coverage(levels),
    ]
    words = {said.name.lower(): float(np.mean(unslowed.said == said)) for said in Said}
    return Figures(rows, levels, usual, disjoint, words)


def _bias(equal: Floats) -> FigureRow:
    interval = student_interval(list(equal))
    half = (interval.high - interval.low) / 2
    holds = interval.low <= 0 <= interval.high
    why = ""
    if not holds:
        why = f"the interval lies {'above' if interval.low > 0 else 'below'} 0"
    if half > BIAS_LIMIT:
        why = f"{why}; " if why else ""
        why += f"forks vary by {stdev(equal):.2%}, so {_forks_for(stdev(equal)):,} forks would be needed"
    reached = (
        f"{math.expm1(interval.estimate):+.2%}, {math.expm1(interval.low):+.2%} to {math.expm1(interval.high):+.2%}"
    )
    return FigureRow(
        "A/A bias, all forks: mean ratio and 95% interval",
        f"holds 0, no wider than \u00b1{BIAS_LIMIT:.1%}",
        f"{reached} (\u00b1{half:.2%}, {len(equal)} forks)",
        holds and half <= BIAS_LIMIT,
        why,
    )


def _forks_for(deviation: float) -> int:
    """Forks that the interval's width needs, by the normal approximation."""
    return math.ceil((1.96 * deviation / BIAS_LIMIT) ** 2)


def _alarms(unslowed: Ended) -> FigureRow:
    rate = float(np.mean(unslowed.alarms))
    met = ALARMS[0] <= rate <= ALARMS[1]
    equivalent = float(np.mean(unslowed.said == Said.EQUIVALENT))
    why = ""
    if not met and rate < ALARMS[0]:
        why = (
            f"fewer alarms than allowed: {equivalent:.0%} of the redraws ended as equivalent, most before the last look"
        )
    elif not met:
        why = "forks are not spread as a normal sample is, or depend on each other"
    return FigureRow(
        f"A/A alarms (interval excludes 1), {REDRAWS:,} redraws with random label swaps under the stopping rule",
        f"{ALARMS[0]:.0%} to {ALARMS[1]:.0%}",
        f"{rate:.1%}",
        met,
        why,
    )


def _disjoint(equal: Floats) -> Proportion | None:
    """Alarms among the comparisons that the forks were, one after the other, as measured."""
    comparisons = one_after_the_other(list(equal))
    if not comparisons:
        return None
    return clopper_pearson(sum(one.alarm for one in comparisons), len(comparisons))


def usual_way(throughputs: Sequence[tuple[list[float], list[float]]]) -> Proportion | None:
    """Alarms of the usual benchmark on the same slices: two runs one after the other, Student's t test over slices at 5%.

    A run is one process: a's slices of a fork against again's of the next, so that each fork is used once. None under two forks.
    """
    alarms = total = 0
    for (first, _), (_, second) in zip(throughputs[::2], throughputs[1::2], strict=False):
        total += 1
        alarms += two_sample_p_value(first, second) < 1 - 0.95
    return clopper_pearson(alarms, total) if total else None


def _beside(disjoint: Proportion | None, usual: Proportion | None) -> Iterator[FigureRow]:
    for name, found in (
        ("A/A alarms, disjoint comparisons as measured, with a Clopper-Pearson interval", disjoint),
        ("A/A alarms, the same data judged the usual way: two runs one after the other, a t test over slices", usual),
    ):
        yield FigureRow(name, "", "none yet" if found is None else proportion(found), None)


def proportion(found: Proportion) -> str:
    """`3 of 30 (10.0%, 95% interval 2.1% to 26.5%)`."""
    return f"{found.count} of {found.total} ({found.share:.1%}, 95% interval {found.low:.1%} to {found.high:.1%})"


def _dependence(equal: Floats) -> FigureRow:
    found, limit = lag_1_correlation(list(equal)), 2 / math.sqrt(len(equal))
    met = abs(found) <= limit
    why = "" if met else "what a fork shows is not free of the fork before it"
    return FigureRow(
        "Dependence: correlation of each fork with the next", f"within \u00b1{limit:.2f}", f"{found:+.2f}", met, why
    )


def _level(values: Values, level: float, places: np.ndarray) -> SlowedDown:
    """Redraws of the comparison again at `level` / a, whose true log ratio is what one process showed of the level."""
    truth = float(np.mean(values.truths[level]))
    one = ended(values.ratios[level][places])
    spent = np.cumsum(values.seconds[level][places], axis=1)
    minutes = spent[np.arange(len(spent)), one.forks - 1] / 60
    right, wrong = (Said.BELOW, Said.ABOVE) if truth < 0 else (Said.ABOVE, Said.BELOW)
    limits = sorted({5.0, 15.0, *(limit for limit in (MINUTES.get(level),) if limit)})
    return SlowedDown(
        level=level,
        truth=truth,
        right=float(np.mean(one.said == right)),
        wrong=float(np.mean(one.said == wrong)),
        within={limit: float(np.mean((one.said == right) & (minutes <= limit))) for limit in limits},
        coverage=float(np.mean((one.low <= truth) & (truth <= one.high))),
        minutes=float(np.median(minutes)),
        forks=float(np.mean(one.forks)),
    )


def _found(level: SlowedDown) -> FigureRow:
    limit = MINUTES.get(level.level)
    if limit is None:
        reached = f"{level.within[15.0]:.1%} within 15 minutes, {level.right:.1%} at all"
        return FigureRow(f"+{level.level:.0%} called, right sign, of redraws", "", reached, None)
    share = level.within[limit]
    why = ""
    if share < FOUND:
        why = f"{level.right:.1%} at all, after a median of {level.minutes:.1f} minutes and {level.forks:.1f} forks on average"
    return FigureRow(
        f"+{level.level:.0%} called within {limit:g} recorded minutes, right sign, of redraws",
        f"at least {FOUND:.0%}",
        f"{share:.1%}",
        share >= FOUND,
        why,
    )


def _wrong_sign(levels: Sequence[SlowedDown]) -> FigureRow:
    worst = max(levels, key=lambda one: one.wrong)
    met = worst.wrong <= WRONG_SIGN
    shown = ", ".join(f"{one.wrong:.2%} at +{one.level:.0%}" for one in levels)
    why = "" if met else f"the forks at +{worst.level:.0%} vary by more than the difference"
    return FigureRow("Wrong sign, of redraws", f"at most {WRONG_SIGN:.1%}", shown, met, why)


def _coverage(levels: Sequence[SlowedDown]) -> FigureRow:
    met = all(COVERAGE[0] <= one.coverage <= COVERAGE[1] for one in levels)
    shown = ", ".join(f"{one.coverage:.1%} at +{one.level:.0%}" for one in levels)
    why = "" if met else "every redraw shares the bias of again against a, which the truth within one process has not"
    return FigureRow(
        "Coverage: redrawn intervals that hold the truth (again slowed over again not slowed, within one process, pooled)",
        f"{COVERAGE[0]:.0%} to {COVERAGE[1]:.0%}",
        shown,
        met,
        why,
    )
