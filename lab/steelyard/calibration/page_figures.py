"""The figures of docs/reference/calibration.md: results of the measured forks, and of the stopping rule on redraws of
them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import stdev

import numpy as np

from ..statistics.interval import CONFIDENCE, Interval, student_interval, two_sample_p_value
from ..statistics.redraws import (
    BLOCK,
    Conclusion,
    Ended,
    EndedComparison,
    Proportion,
    clopper_pearson,
    disjoint_comparisons,
    fewest_compatible,
    judge_at_looks,
    lag_1_correlation,
    lag_1_p_value,
    redrawn,
    swap_labels,
)
from ..statistics.verdict_words import MARGIN
from . import deferred_work
from .deferred_work import Drive, Off
from .usual_runs import USUAL_WAY, UsualRun, minutes_needed
from .values import LevelForks, Values

REDRAWS = 10_000
SEED = 20040806
LEAST_FORKS = 60
BIAS_LIMIT = 0.006
ALARMS = (0.02, 0.07)
DISJOINT = 40
WRONG_SIGN = 0.005
COVERAGE = 0.95
DEPENDENT = 0.05
FOUND = 0.90
LOST = 0.03
DEFERRED = 0.015
USUAL_SHARE = 1 / 3
USUAL_LEVEL = 0.05
# Real minutes within which a slow-down must be found, and the margin if it is not the default.
MINUTES = {0.02: 30.0, 0.05: 12.0, 0.20: 5.0}
MARGINS = {0.02: 0.005}
NO_MARGIN = 1e-9  # with which nothing ends as equivalent, so that only the looks determine the rate of alarms


@dataclass(frozen=True)
class FigureRow:
    """One row of the table; `met` is None without a requirement, `why` explains a missed one."""

    figure: str
    must_reach: str
    reached: str
    met: bool | None
    why: str = ""


@dataclass(frozen=True)
class SlowedDown:
    """The results of redraws of again, slowed by `level`, against a: shares of redraws, and when they ended.

    `truth` is the mean planted log ratio, `off` the deviation of the forks' mean log ratio from it with a 95% interval,
    `within` the ratio of the one process at the level to itself at 0, `clocked` the mean share by the server's own
    clock (NaN: unknown). `whole` is the number of comparisons with every fork used once. `minutes` is the median of
    all, `minutes_found` the time within which FOUND of them have the right sign (infinite: never).
    """

    level: float
    truth: float
    off: Interval
    within: float
    clocked: float
    right: float
    wrong: float
    found_within: dict[float, float]
    coverage: float
    whole: int
    minutes: float
    minutes_found: float
    forks: float


@dataclass(frozen=True)
class Figures:
    """The figures of the calibration page: its rows with their requirements, the levels, and the endings of A/A
    redraws."""

    rows: list[FigureRow]
    levels: list[SlowedDown]
    usual: Proportion | None
    disjoint: Proportion | None
    words: dict[str, float]
    deferred: list[Off]


def figures(
    values: Values, usual_runs: Sequence[UsualRun] = (), drives: Sequence[Drive] = (), all_rounds: Values | None = None
) -> Figures:
    """All figures; deterministic, since the seed of the redraws is fixed.

    `usual_runs` are runs of the usual way, and `drives` those of deferring servers, on the same machine. `all_rounds`
    are the values of all measured rounds, while `values` omit rounds beyond the budget.
    """
    equal = values.equal
    draw = np.random.default_rng(SEED)
    places, blocks = redrawn(equal.sittings, REDRAWS, draw)
    unslowed = swap_labels(equal.ratios[places], blocks, draw)
    judged = judge_at_looks(unslowed, scatter=equal.scatter[places])
    to_the_end = judge_at_looks(unslowed, margin=NO_MARGIN, scatter=equal.scatter[places])
    levels = [_level(values.levels[level], level, draw) for level in values.planted_levels]
    disjoint = shares([comparison.alarm for comparison in as_measured(equal)])
    usual = usual_benchmark_alarms(values.throughputs)
    deferred = deferred_work.all_deviations(drives)
    rows = [
        _bias(equal),
        *_alarms(judged, to_the_end),
        *_comparison_rows(disjoint, usual),
        _dependence(all_rounds or values, values),
        *(_detection_row(level) for level in levels),
        _wrong_sign(levels),
        _coverage(levels),
        _coverage_row(values),
        _bias_row(levels),
        _clock_row(levels),
        _deferral_row(deferred),
        _lost_row(values),
        _usual_minutes(levels, usual_runs),
    ]
    words = {decision.name.lower(): float(np.mean(judged.decision == decision)) for decision in Conclusion}
    return Figures(rows, levels, usual, disjoint, words, deferred)


def _bias(compared: LevelForks) -> FigureRow:
    equal = compared.counted_ratios
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
        f"contains 0, no wider than \u00b1{BIAS_LIMIT:.1%}",
        f"{reached} (\u00b1{half:.2%}, {len(equal)} forks)",
        holds and half <= BIAS_LIMIT,
        why,
    )


def _forks_for(deviation: float) -> int:
    """The number of forks for the required width of the interval, by the normal approximation."""
    return math.ceil((1.96 * deviation / BIAS_LIMIT) ** 2)


def _alarms(judged: Ended, to_the_end: Ended) -> Iterator[FigureRow]:
    """The rate of alarms under the rule of `compare`, and under the same looks if nothing ends as equivalent."""
    required = f"{ALARMS[0]:.0%} to {ALARMS[1]:.0%}"
    equivalent = float(np.mean(judged.decision == Conclusion.EQUIVALENT))
    conservative = (
        f"conservative: {equivalent:.0%} of the redraws ended as equivalent, most before the last look. "
        "Fewer alarms than the nominal rate cost time, not correctness"
    )
    narrow = "conservative: intervals are wider than the looks need, because of the floor"
    name = f"A/A alarms (interval excludes 1), {REDRAWS:,} redraws in blocks, labels swapped block by block"
    for ending, which, why in (
        (judged, "under the stopping rule", conservative),
        (to_the_end, "by the looks alone, nothing ends as equivalent", narrow),
    ):
        rate = float(np.mean(ending.alarms))
        if rate > ALARMS[1]:
            why = "forks are not normally distributed, or depend on each other"
        met = ALARMS[0] <= rate <= ALARMS[1]
        yield FigureRow(f"{name}, {which}", required, f"{rate:.1%}", met, "" if met else why)


def as_measured(compared: LevelForks) -> list[EndedComparison]:
    """The comparisons that consecutive forks of each sitting form, each fork's own truth divided out."""
    sittings = np.asarray(compared.sittings)
    return [
        comparison
        for sitting in sorted(set(compared.sittings))
        for comparison in disjoint_comparisons(
            list(compared.scored_ratios[sittings == sitting]), scatter=list(compared.scatter[sittings == sitting])
        )
    ]


def shares(which: Sequence[bool]) -> Proportion | None:
    """The proportion that is true, with the exact interval; None if there are none."""
    return clopper_pearson(sum(which), len(which)) if which else None


def usual_benchmark_alarms(throughputs: Sequence[tuple[list[float], list[float]]]) -> Proportion | None:
    """Alarms of the usual benchmark on the same slices: two runs in sequence, and Student's t test over slices at 5%.

    A run is one process: a's slices of a fork against again's of the next, so that each fork is used once. None with
    fewer than two forks.
    """
    alarms = total = 0
    for (first, _), (_, second) in zip(throughputs[::2], throughputs[1::2], strict=False):
        total += 1
        alarms += two_sample_p_value(first, second) < 1 - CONFIDENCE
    return clopper_pearson(alarms, total) if total else None


def _comparison_rows(disjoint: Proportion | None, usual: Proportion | None) -> Iterator[FigureRow]:
    count = disjoint.total if disjoint is not None else 0
    yield FigureRow(
        "A/A alarms, disjoint measured comparisons, with a Clopper-Pearson interval",
        f"at least {DISJOINT} of them",
        "none yet" if disjoint is None else proportion(disjoint),
        count >= DISJOINT,
        "" if count >= DISJOINT else "there are no more forks",
    )
    name = "A/A alarms, the same data judged the usual way: two runs one after the other, a t test over slices"
    yield FigureRow(name, "", "none yet" if usual is None else proportion(usual), None)


def proportion(share: Proportion) -> str:
    """A proportion as text: `3 of 30 (10.0%, 95% interval 2.1% to 26.5%)`."""
    return f"{share.count} of {share.total} ({share.share:.1%}, 95% interval {share.low:.1%} to {share.high:.1%})"


def _dependence(all_rounds: Values, values: Values) -> FigureRow:
    """The dependence of consecutive forks on all measured rounds; rounds beyond the budget give more information on
    each fork."""
    whole, budgeted = all_rounds.equal.counted_ratios, values.equal.counted_ratios
    p_value = lag_1_p_value(whole)
    met = p_value >= DEPENDENT
    shown = f"{lag_1_correlation(whole):+.2f} (p = {p_value:.3f}) on all measured rounds"
    if budgeted != whole:
        shown += f"; {lag_1_correlation(budgeted):+.2f} (p = {lag_1_p_value(budgeted):.3f}) on those within the budget"
    why = f"neighbours are correlated, so redraws are in blocks of up to {BLOCK} neighbours of one session"
    return FigureRow(
        "Dependence: correlation of each fork with the next, by permutation",
        f"p at least {DEPENDENT:g}",
        shown,
        met,
        "" if met else why,
    )


def _level(compared: LevelForks, level: float, draw: np.random.Generator) -> SlowedDown:
    """Redraws of the comparison of again at `level` with a, in blocks, each fork's own truth divided out."""
    truth = compared.truth
    places, _ = redrawn(compared.sittings, REDRAWS, draw)
    comparison = judge_at_looks(
        compared.scored_ratios[places], margin=MARGINS.get(level, MARGIN), scatter=compared.scatter[places]
    )
    spent = np.cumsum(compared.seconds[places], axis=1)
    minutes = spent[np.arange(len(spent)), comparison.forks - 1] / 60
    right = comparison.decision == Conclusion.BELOW
    minutes_until_right = np.where(right, minutes, np.inf)
    off = [log for log in compared.ratios - compared.planted if not math.isnan(log)]
    forks = float(np.mean(comparison.forks))
    return SlowedDown(
        level=level,
        truth=truth,
        off=student_interval(off),
        within=float(np.nanmean(compared.within)),
        clocked=float(np.nanmean(compared.clocked)) if not np.isnan(compared.clocked).all() else math.nan,
        right=float(np.mean(right)),
        wrong=float(np.mean(comparison.decision == Conclusion.ABOVE)),
        found_within={limit: float(np.mean(minutes_until_right <= limit)) for limit in sorted(set(MINUTES.values()))},
        coverage=float(np.mean((comparison.low <= truth) & (truth <= comparison.high))),
        whole=max(1, round(len(compared.counted_ratios) / forks)),
        minutes=float(np.median(minutes)),
        minutes_found=float(np.sort(minutes_until_right)[math.ceil(FOUND * len(minutes_until_right)) - 1]),
        forks=forks,
    )


def _detection_row(level: SlowedDown) -> FigureRow:
    limit = MINUTES[level.level]
    share = level.found_within[limit]
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


def _clock_row(levels: Sequence[SlowedDown]) -> FigureRow:
    known = [level for level in levels if not math.isnan(level.clocked)]
    shown = ", ".join(f"{level.clocked:+.2%} for +{level.level:.0%}" for level in known) or "not recorded"
    return FigureRow("Planted slow-down of a request, by the server's own CPU clock", "", shown, None)


def _deferral_row(offs: Sequence[Off]) -> FigureRow:
    """The row of the kind of server with the largest deviation."""
    name = "Servers that defer work, against each server alone: the worst kind, 95% interval"
    of_runs = [off for off in offs if off.way == deferred_work.LAB]
    if not of_runs:
        return FigureRow(name, f"within {DEFERRED:.1%}", "not measured yet", False, "`make deferred-work` measures it")
    worst = max(of_runs, key=lambda off: abs(math.log(off.off.estimate)))
    met = abs(worst.off.estimate - 1) <= DEFERRED
    shown = f"{deferred_work.deviation_text(worst.off)}, {worst.rounds} rounds: {deferred_work.kind_text(worst.kind)}"
    return FigureRow(name, f"within {DEFERRED:.1%}", shown, met, "" if met else "turns end before its work is done")


def _lost_row(values: Values) -> FigureRow:
    lost, forks = len(values.lost), len(values.equal.forks)
    met = lost <= LOST * forks
    why = "" if met else "they failed, or a compiler worked in more than half of their rounds"
    return FigureRow(
        "Lost forks, whose time is counted", f"at most {LOST:.0%}", proportion(clopper_pearson(lost, forks)), met, why
    )


def _usual_minutes(levels: Sequence[SlowedDown], runs: Sequence[UsualRun]) -> FigureRow:
    """The time of the usual way for the required power, beside the time of a comparison here."""
    name = f"+{USUAL_LEVEL:.0%} with a power of {FOUND:.0%}: real minutes here, and by the usual way ({USUAL_WAY})"
    ours = next((level.minutes_found for level in levels if level.level == USUAL_LEVEL), math.inf)
    theirs = minutes_needed(runs, USUAL_LEVEL, FOUND)
    required = f"here at most {USUAL_SHARE:.0%} of its interval's lower end"
    if theirs is None:
        return FigureRow(name, required, "the usual way was not measured yet", None)
    met = ours <= USUAL_SHARE * theirs.low
    by = f"{theirs.estimate:.1f} (95% interval {theirs.low:.0f} to {theirs.high:.0f}, by {len(runs)} runs)"
    shown = f"{ours:.1f} and {by}" if math.isfinite(ours) else f"never, and {by}"
    return FigureRow(name, required, shown, met, "" if met else "forks here cost too much for their information")


def _wrong_sign(levels: Sequence[SlowedDown]) -> FigureRow:
    worst = max(levels, key=lambda level: level.wrong)
    met = worst.wrong <= WRONG_SIGN
    shown = ", ".join(f"{level.wrong:.2%} at +{level.level:.0%}" for level in levels)
    why = "" if met else f"the forks at +{worst.level:.0%} vary by more than the difference"
    return FigureRow("Wrong sign, of redraws", f"at most {WRONG_SIGN:.1%}", shown, met, why)


def _coverage(levels: Sequence[SlowedDown]) -> FigureRow:
    """The coverage of redraws.

    Redraws share the error of the bank, so they show no more than the comparisons with every fork used once.
    """
    counts = [(round(level.coverage * level.whole), level) for level in levels]
    met = all(count >= fewest_compatible(level.whole, COVERAGE) for count, level in counts)
    shown = ", ".join(
        f"{level.coverage:.1%} at +{level.level:.0%} (as {count} of {level.whole})" for count, level in counts
    )
    return FigureRow(
        "Coverage: redrawn intervals that contain the planted share, and the equivalent number of comparisons",
        f"compatible with {COVERAGE:.0%}, by the exact binomial interval for the number of forks",
        shown,
        met,
        "" if met else "intervals are too narrow, or the measured slow-down is not the planted one",
    )


def _coverage_row(values: Values) -> FigureRow:
    """The coverage of the measured comparisons, of A/A and of each level."""
    holds = [comparison.holds(level.truth) for level in values.levels.values() for comparison in as_measured(level)]
    name = (
        "Coverage: disjoint measured comparisons, of A/A and of all levels, whose interval contains the planted value"
    )
    share = shares(holds)
    if share is None:
        return FigureRow(name, f"compatible with {COVERAGE:.0%}", "none yet", False, "no session contains a comparison")
    fewest = fewest_compatible(share.total, COVERAGE)
    required = f"compatible with {COVERAGE:.0%}: at least {fewest} of {share.total}"
    met = share.count >= fewest
    return FigureRow(name, required, proportion(share), met, "" if met else "intervals are too narrow")


def _percent(interval: Interval) -> str:
    """An interval of log ratios as text: `+0.2% (-0.3% to +0.7%)`."""
    middle, low, high = (math.expm1(log) for log in (interval.estimate, interval.low, interval.high))
    return f"{middle:+.2%} ({low:+.2%} to {high:+.2%})"


def _bias_row(levels: Sequence[SlowedDown]) -> FigureRow:
    """The deviation of the measured ratios from the planted ones, over all forks of a level."""
    shown = ", ".join(f"{_percent(level.off)} at +{level.level:.0%}" for level in levels)
    met = all(level.off.low <= 0 <= level.off.high for level in levels)
    why = "likely because a request's cost in turns includes the slow beginning of each turn, which a spin does not lengthen"
    return FigureRow(
        "Bias: measured ratio over the planted ratio, all forks, 95% interval",
        "contains 0",
        shown,
        met,
        "" if met else why,
    )
