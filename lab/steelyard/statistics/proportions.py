"""Shares of counts: the exact interval of one share (Clopper and Pearson 1934) and Fisher's exact test of two."""

from __future__ import annotations

import numpy as np

from .distributions import beta_quantile
from .interval import CONFIDENCE

_WINDOW_DEVIATIONS = (
    10  # standard deviations around the expected count; more than 100 counts beyond them have p < 1e-20
)
_TIE = 1e-9  # tables whose logarithmic probabilities differ by less are equally probable


def exact_interval(times: int, tries: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval, from 0 to 1, for the share behind `times` of `tries` independent trials; all of 0 to 1 without a trial.

    Raises ValueError where there are more times than tries.
    """
    if not 0 <= times <= tries:
        raise ValueError(f"{times} of {tries} is no share")
    alpha = 1 - confidence
    low = 0.0 if times == 0 else beta_quantile(alpha / 2, times, tries - times + 1)
    high = 1.0 if times == tries else beta_quantile(1 - alpha / 2, times + 1, tries - times)
    return low, high


def differ_beyond_chance(failed_a: int, total_a: int, failed_b: int, total_b: int, alpha: float = 0.01) -> bool:
    """Whether two shares of failures differ by more than chance explains: Fisher's exact test, two-sided, p below `alpha`.

    Counts and errors are those of `chance_of_difference`.
    """
    return chance_of_difference(failed_a, total_a, failed_b, total_b) < alpha


def chance_of_difference(failed_a: int, total_a: int, failed_b: int, total_b: int) -> float:
    """The p-value of Fisher's exact test, two-sided, for `failed_a` of `total_a` requests against `failed_b` of `total_b`.

    It is the probability, with all margins fixed, of all tables that are no more probable than the observed one. Requests count as
    independent of each other. Exact at every size; time and memory grow with the square root of the totals. 1.0 where a total is 0.
    Raises ValueError for a share outside 0 to 1.
    """
    for failed, total in ((failed_a, total_a), (failed_b, total_b)):
        if not 0 <= failed <= total:
            raise ValueError(f"{failed} of {total} is no share")
    total, failed = total_a + total_b, failed_a + failed_b
    lowest, highest = max(0, failed - total_b), min(failed, total_a)
    if lowest == highest:
        return 1.0
    share = failed / total
    expected = total_a * share
    deviation = (expected * (1 - share) * (total_b / (total - 1))) ** 0.5
    reach = _WINDOW_DEVIATIONS * deviation + 100
    lowest, highest = max(lowest, int(expected - reach)), min(highest, int(expected + reach) + 1)
    if not lowest <= failed_a <= highest:
        return 0.0
    below = np.arange(lowest, highest, dtype=float)
    steps = np.log((failed - below) / (below + 1)) + np.log((total_a - below) / (total_b - failed + below + 1))
    logarithms = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logarithms - logarithms.max())
    extreme = logarithms <= logarithms[failed_a - lowest] + _TIE
    return min(1.0, float(weights[extreme].sum() / weights.sum()))
