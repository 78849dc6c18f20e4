"""From pairs to forks to one interval: each fork yields one number, and only forks are replicates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, median, stdev, variance

from ..base.errors import InsufficientDataError
from ..base.text import existence_clause
from .distributions import student_quantile, student_tail

CONFIDENCE = 0.95  # of an interval, unless several looks share it


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval for the mean of `count` values, on their scale."""

    estimate: float
    low: float
    high: float
    confidence: float
    count: int

    def exp(self) -> Interval:
        """The same interval for the ratio, where the values are logarithms of ratios."""
        return Interval(math.exp(self.estimate), math.exp(self.low), math.exp(self.high), self.confidence, self.count)


def fork_value(pair_log_ratios: Sequence[float]) -> float:
    """One fork's value: the median of its pairs' log ratios; raises InsufficientDataError without a pair."""
    if not pair_log_ratios:
        raise InsufficientDataError("a fork without a pair has no value")
    return median(pair_log_ratios)


def predicted_deviation(forks: Sequence[Sequence[float]], *, of_sums: bool = False) -> float:
    """The standard deviation between forks' values that the scatter of their pairs alone predicts, if all forks were equal.

    `of_sums`: a fork's value is a ratio of sums over its pairs, and varies like their mean. Else a fork's value is the median of
    its pairs; the median of m normal values varies by pi / (2 m + pi - 2) of their variance, within 2% of the exact factor from
    three values on. Forks with fewer than two pairs are ignored; 0 where none is left.
    """
    repeated = [pairs for pairs in forks if len(pairs) > 1]
    each = (variance(pairs) / len(pairs) if of_sums else predicted_variance(pairs) for pairs in repeated)
    return math.sqrt(fmean(each)) if repeated else 0.0


def predicted_variance(pairs: Sequence[float]) -> float:
    """The variance of one fork's value from its pairs, two or more; see `predicted_deviation`."""
    return variance(pairs) * math.pi / (2 * len(pairs) + math.pi - 2)


def student_interval(values: Sequence[float], confidence: float = CONFIDENCE, least_deviation: float = 0.0) -> Interval:
    """Student's t interval for the mean of `values`, one per fork. It is never narrower than for a known deviation of
    `least_deviation`: forks that agree more closely than their own pairs allow do so by chance.

    Source: Student 1908, "The probable error of a mean"; applied to VM invocations by Georges, Buytaert, Eeckhout 2007,
    "Statistically rigorous Java performance evaluation". Raises InsufficientDataError under two values.
    """
    count = len(values)
    if count < 2:
        raise InsufficientDataError(f"an interval needs at least 2 forks, and {existence_clause(count)}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    mean = fmean(values)
    half = max(
        student_quantile((1 + confidence) / 2, count - 1) * stdev(values),
        NormalDist().inv_cdf((1 + confidence) / 2) * least_deviation,
    ) / math.sqrt(count)
    return Interval(mean, mean - half, mean + half, confidence, count)


def p_value(values: Sequence[float], least_deviation: float = 0.0) -> float:
    """Two-sided p of Student's t test that the mean of `values` is 0; the dual of `student_interval`."""
    count = len(values)
    if count < 2:
        raise InsufficientDataError(f"a test needs at least 2 forks, and {existence_clause(count)}")
    distance, error = abs(fmean(values)), stdev(values) / math.sqrt(count)
    return larger_p(distance, error, count - 1, least_deviation / math.sqrt(count))


def larger_p(distance: float, error: float, freedom: int, least_error: float) -> float:
    """The larger of the two-sided p of Student's test and of the normal test with the least error, `distance` from the null."""
    if distance == 0:
        return 1.0
    by_forks = float(2 * student_tail(distance / error, freedom)) if error > 0 else 0.0
    by_pairs = math.erfc(distance / least_error / math.sqrt(2)) if least_error > 0 else 0.0
    return max(by_forks, by_pairs)


def two_sample_p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of Student's t test that two samples of equal variance have one mean."""
    freedom = len(first) + len(second) - 2
    if min(len(first), len(second)) < 2:
        raise InsufficientDataError("a test of two samples needs at least 2 values in each")
    pooled = (variance(first) * (len(first) - 1) + variance(second) * (len(second) - 1)) / freedom
    error = math.sqrt(pooled * (1 / len(first) + 1 / len(second)))
    distance = abs(fmean(first) - fmean(second))
    if error == 0:
        return 1.0 if distance == 0 else 0.0
    return float(2 * student_tail(distance / error, freedom))


def equivalence_p_value(values: Sequence[float], margin: float, least_deviation: float = 0.0) -> float:
    """The smallest alpha whose 1 - alpha interval of log ratios lies within +-log(1 + margin); 1 where none does.

    Twice the larger p of Schuirmann's two one-sided tests (1987), since METHODOLOGY requires the whole two-sided interval.
    """
    count = len(values)
    if count < 2:
        raise InsufficientDataError(f"a test needs at least 2 forks, and {existence_clause(count)}")
    slack, error = math.log1p(margin) - abs(fmean(values)), stdev(values) / math.sqrt(count)
    if slack < 0:
        return 1.0
    return larger_p(slack, error, count - 1, least_deviation / math.sqrt(count))
