"""The interval of a mean within one process, from seconds that are not independent: batch means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from .interval import CONFIDENCE, Interval, student_interval

LEAST_BATCHES = 8


@dataclass(frozen=True)
class BatchMeans:
    """A mean over one process with its interval; `length` observations make a batch. `independent`: no correlation between
    batches was found. Where even the longest possible batches correlate, the interval is too narrow."""

    interval: Interval
    length: int
    independent: bool


def batch_means(values: Sequence[float], confidence: float = CONFIDENCE) -> BatchMeans | None:
    """The mean of equally long observations of one process (such as seconds), with Student's t interval over batches. Batches are
    lengthened until neighbours no longer correlate; None for fewer than LEAST_BATCHES observations.

    Sources: Conway 1963, "Some tactical problems in digital simulation" (batches); Fishman 1978, "Grouping observations in
    digital simulation" (longer batches until von Neumann's ratio, 1941, shows no correlation between neighbours).
    """
    length = 1
    means: BatchMeans | None = None
    while len(values) // length >= LEAST_BATCHES:
        batches = means_of_batches(values, length)
        means = BatchMeans(student_interval(batches, confidence), length, not has_correlation(batches))
        if means.independent:
            break
        length *= 2
    return means


def means_of_batches(values: Sequence[float], length: int) -> list[float]:
    """The means of all whole batches of `length`; the remainder is dropped at the beginning, where the process settles."""
    over = len(values) % length
    return [fmean(values[start : start + length]) for start in range(over, len(values), length)]


def has_correlation(values: Sequence[float], level: float = 0.1) -> bool:
    """Whether neighbours are more alike than independent values, by von Neumann's ratio at this level (one-sided).

    The ratio of the mean square of successive differences to twice the variance, less 1, is nearly normal with variance (n - 2) /
    (n^2 - 1) for independent values.
    """
    count = len(values)
    mean = fmean(values)
    spread = math.fsum((value - mean) ** 2 for value in values)
    if spread <= 0 or count < 3:
        return False
    differences = math.fsum((value - other) ** 2 for value, other in zip(values[1:], values, strict=False))
    resemblance = 1 - differences / (2 * spread)
    return resemblance * math.sqrt((count**2 - 1) / (count - 2)) > NormalDist().inv_cdf(1 - level)
