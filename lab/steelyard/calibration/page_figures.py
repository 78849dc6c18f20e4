"""The figures of docs/reference/calibration.md: what was measured, and what the stopping rule would make of it, redrawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.interval import student_interval, two_sample_p_value
from ..statistics.redraws import (
    Bools,
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
from ..statistics.verdict_words import MARGIN
from . import deferred_work
from .deferred_work import Drive, Off
from .usual_runs import USUAL_WAY, UsualRun, minutes_needed
from .values import Floats, LevelForks, Values

REDRAWS = 10_000
SEED = 20040806
LEAST_FORKS = 60
BIAS_LIMIT = 0.006
ALARMS = (0.02, 0.07)
DISJOINT = 40
WRONG_SIGN = 0.005
COVERAGE = (0.92, 0.98)
FOUND = 0.90
LOST = 0.03
DEFERRED = 0.015
USUAL_SHARE = 1 / 3
USUAL_LEVEL = 0.05
# Real minutes within which a slow-down is to be called, and the margin where it is not the usual one.
MINUTES = {0.02: 30.0, 0.05: 12.0, 0.20: 5.0}
MARGINS = {0.02: 0.005}


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
    """What redraws of again, slowed by `level`, against a come to: shares of redraws, and where they ended.

    `truth` is the mean log ratio within one process, `clocked` the mean share by the server's own processor clock (NaN: not known).
    `minutes` is the median of all, `minutes_found` the time within which FOUND of them have the right sign (infinite: never).
    """

    level: float
    truth: float
    clocked: float
    right: float
    wrong: float
    within: dict[float, float]
    coverage: float
    minutes: float
    minutes_found: float
    forks: float


@dataclass(frozen=True)
class Figures:
    """The figures of the calibration page: its rows with what they must reach, the levels, how redraws of A/A ended."""

    rows: list[FigureRow]
    levels: list[SlowedDown]
    usual: Proportion | None
    disjoint: Proportion | None
    words: dict[str, float]
    deferred: list[Off]


def figures(values: Values, usual_runs: Sequence[UsualRun] = (), drives: Sequence[Drive] = ()) -> Figures:
    """All figures; deterministic, since the redraws' seed is fixed. `usual_runs` are those of the usual way, and `drives` those of
    servers that put work off, on the same machine."""
    equal = values.equal
    draw = np.random.default_rng(SEED)
    places = redrawn(len(equal.ratios), REDRAWS, draw)
    unslowed = ended(swapped(equal.ratios[places], draw), scatter=equal.scatter[places])
    levels = [_level(values.levels[level], level, draw) for level in values.planted]
    disjoint = _disjoint(equal)
    usual = usual_way(values.throughputs)
    deferred = deferred_work.all_off(drives)
    rows = [
        _bias(equal),
        _alarms(unslowed),
        *_beside(disjoint, usual),
        _dependence(np.array(equal.counted)),
        *(_found(level) for level in levels),
        _wrong_sign(levels),
        _coverage(levels),
        _clocked(levels),
        _deferred(deferred),
        _lost(values),
        _usual_minutes(levels, usual_runs),
    ]
    words = {said.name.lower(): float(np.mean(unslowed.said == said)) for said in Said}
    return Figures(rows, levels, usual, disjoint, words, deferred)


def _bias(compared: LevelForks) -> FigureRow:
    equal = compared.counted
    interval = student_interval(equal, least_deviation=compared.least_deviation)
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
    met = rate <= ALARMS[1]
    equivalent = float(np.mean(unslowed.said == Said.EQUIVALENT))
    why = "" if met else "forks are not spread as a normal sample is, or depend on each other"
    if rate < ALARMS[0]:
        why = f"conservative, which counts as met: {equivalent:.0%} of the redraws ended as equivalent, most before the last look"
    return FigureRow(
        f"A/A alarms (interval excludes 1), {REDRAWS:,} redraws with random label swaps under the stopping rule",
        f"{ALARMS[0]:.0%} to {ALARMS[1]:.0%}",
        f"{rate:.1%}",
        met,
        why,
    )


def _disjoint(equal: LevelForks) -> Proportion | None:
    """Alarms among the comparisons that the forks were, one after the other, as measured."""
    comparisons = one_after_the_other(list(equal.ratios), scatter=list(equal.scatter))
    if not comparisons:
        return None
    return clopper_pearson(sum(comparison.alarm for comparison in comparisons), len(comparisons))


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
    count = disjoint.total if disjoint is not None else 0
    yield FigureRow(
        "A/A alarms, disjoint comparisons as measured, with a Clopper-Pearson interval",
        f"at least {DISJOINT} of them",
        "none yet" if disjoint is None else proportion(disjoint),
        count >= DISJOINT,
        "" if count >= DISJOINT else "the forks banked make no more of them",
    )
    name = "A/A alarms, the same data judged the usual way: two runs one after the other, a t test over slices"
    yield FigureRow(name, "", "none yet" if usual is None else proportion(usual), None)


def proportion(share: Proportion) -> str:
    """A share as the page says it: `3 of 30 (10.0%, 95% interval 2.1% to 26.5%)`."""
    return f"{share.count} of {share.total} ({share.share:.1%}, 95% interval {share.low:.1%} to {share.high:.1%})"


def _dependence(equal: Floats) -> FigureRow:
    correlation, limit = lag_1_correlation(list(equal)), 2 / math.sqrt(len(equal))
    met = abs(correlation) <= limit
    why = "" if met else "what a fork shows is not free of the fork before it"
    return FigureRow(
        "Dependence: correlation of each fork with the next",
        f"within \u00b1{limit:.2f}",
        f"{correlation:+.2f}",
        met,
        why,
    )


def _level(compared: LevelForks, level: float, draw: np.random.Generator) -> SlowedDown:
    """Redraws of the comparison again at `level` / a. The true log ratio is what one process showed of the level, in the forks
    of one half, of redraws from those of the other: no fork is its own witness."""
    halves = [np.arange(len(compared.ratios)) % 2 == half for half in (0, 1)]
    drawn = [_of_half(compared, here, ~here, level, draw) for here in halves]
    minutes, right, wrong, covered, forks = (np.concatenate([half[place] for half in drawn]) for place in range(5))
    minutes_until_right = np.where(right, minutes, np.inf)
    return SlowedDown(
        level=level,
        truth=float(np.nanmean(compared.truths)),
        clocked=float(np.nanmean(compared.clocked)) if not np.isnan(compared.clocked).all() else math.nan,
        right=float(np.mean(right)),
        wrong=float(np.mean(wrong)),
        within={limit: float(np.mean(minutes_until_right <= limit)) for limit in sorted(set(MINUTES.values()))},
        coverage=float(np.mean(covered)),
        minutes=float(np.median(minutes)),
        minutes_found=float(np.sort(minutes_until_right)[math.ceil(FOUND * len(minutes_until_right)) - 1]),
        forks=float(np.mean(forks)),
    )


def _of_half(
    compared: LevelForks, here: Bools, there: Bools, level: float, draw: np.random.Generator
) -> tuple[NDArray[Any], ...]:
    """Redraws from the forks `here`, judged by the truth of those `there`: minutes, right sign, wrong sign, covered, forks."""
    truth = float(np.nanmean(compared.truths[there]))
    places = redrawn(int(here.sum()), REDRAWS // 2, draw)
    values, scatter = compared.ratios[here][places], compared.scatter[here][places]
    comparison = ended(values, margin=MARGINS.get(level, MARGIN), scatter=scatter)
    spent = np.cumsum(compared.seconds[here][places], axis=1)
    minutes = spent[np.arange(len(spent)), comparison.forks - 1] / 60
    right, wrong = (Said.BELOW, Said.ABOVE) if truth < 0 else (Said.ABOVE, Said.BELOW)
    return (
        minutes,
        comparison.said == right,
        comparison.said == wrong,
        (comparison.low <= truth) & (truth <= comparison.high),
        comparison.forks,
    )


def _found(level: SlowedDown) -> FigureRow:
    limit = MINUTES[level.level]
    share = level.within[limit]
    margin = f", margin {MARGINS[level.level]:.1%}" if level.level in MARGINS else ""
    why = ""
    if share < FOUND:
        why = f"{level.right:.1%} at all, after a median of {level.minutes:.1f} minutes and {level.forks:.1f} forks on average"
    return FigureRow(
        f"+{level.level:.0%} called within {limit:g} real minutes{margin}, right sign, of redraws",
        f"at least {FOUND:.0%}",
        f"{share:.1%}",
        share >= FOUND,
        why,
    )


def _clocked(levels: Sequence[SlowedDown]) -> FigureRow:
    known = [level for level in levels if not math.isnan(level.clocked)]
    shown = ", ".join(f"{level.clocked:+.2%} for +{level.level:.0%}" for level in known) or "not recorded"
    return FigureRow("What was planted, by the server's own processor clock, a request", "", shown, None)


def _deferred(offs: Sequence[Off]) -> FigureRow:
    """The kind of server that a run tells worst."""
    name = "Servers that do work at another time than they are asked for it, against each alone: the worst kind, 95% interval"
    told = [off for off in offs if off.way == deferred_work.LAB]
    if not told:
        return FigureRow(name, f"within {DEFERRED:.1%}", "not measured yet", False, "`make deferred-work` measures it")
    worst = max(told, key=lambda off: abs(math.log(off.off.estimate)))
    met = abs(worst.off.estimate - 1) <= DEFERRED
    shown = f"{deferred_work.off_text(worst.off)}, {worst.rounds} rounds: {deferred_work.said(worst.kind)}"
    return FigureRow(name, f"within {DEFERRED:.1%}", shown, met, "" if met else "turns end before its work is done")


def _lost(values: Values) -> FigureRow:
    lost, forks = len(values.lost), len(values.equal.forks)
    met = lost <= LOST * forks
    why = "" if met else "they failed, or a compiler woke up in more than half of their rounds"
    return FigureRow(
        "Lost forks, whose time is counted", f"at most {LOST:.0%}", proportion(clopper_pearson(lost, forks)), met, why
    )


def _usual_minutes(levels: Sequence[SlowedDown], runs: Sequence[UsualRun]) -> FigureRow:
    """What the usual way takes for the power that is asked of a comparison here, beside what a comparison here takes."""
    name = f"+{USUAL_LEVEL:.0%} with a power of {FOUND:.0%}: real minutes here, and by the usual way ({USUAL_WAY})"
    ours = next((level.minutes_found for level in levels if level.level == USUAL_LEVEL), math.inf)
    theirs = minutes_needed(runs, USUAL_LEVEL, FOUND)
    asked = f"here at most {USUAL_SHARE:.0%}"
    if theirs is None:
        return FigureRow(name, asked, "the usual way was not measured yet", None)
    met = ours <= USUAL_SHARE * theirs
    shown = f"{ours:.1f} and {theirs:.1f}, by {len(runs)} runs" if math.isfinite(ours) else f"never, and {theirs:.1f}"
    return FigureRow(name, asked, shown, met, "" if met else "forks here cost too much for what they tell")


def _wrong_sign(levels: Sequence[SlowedDown]) -> FigureRow:
    worst = max(levels, key=lambda level: level.wrong)
    met = worst.wrong <= WRONG_SIGN
    shown = ", ".join(f"{level.wrong:.2%} at +{level.level:.0%}" for level in levels)
    why = "" if met else f"the forks at +{worst.level:.0%} vary by more than the difference"
    return FigureRow("Wrong sign, of redraws", f"at most {WRONG_SIGN:.1%}", shown, met, why)


def _coverage(levels: Sequence[SlowedDown]) -> FigureRow:
    met = all(COVERAGE[0] <= level.coverage for level in levels)
    shown = ", ".join(f"{level.coverage:.1%} at +{level.level:.0%}" for level in levels)
    why = "" if met else "every redraw shares the bias of its half's forks, which the truth of the other half has not"
    if met and any(level.coverage > COVERAGE[1] for level in levels):
        why = "conservative, which counts as met: each look has the alpha of four, and most redraws end at the first"
    return FigureRow(
        "Coverage: redrawn intervals that hold the truth (again slowed over again not slowed, within one process, the other half)",
        f"{COVERAGE[0]:.0%} to {COVERAGE[1]:.0%}",
        shown,
        met,
        why,
    )
