"""Throughput as a power of the message size, with the interval of the exponent over forks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InsufficientDataError
from ..base.text import existence_clause
from .interval import CONFIDENCE, Interval, student_interval

LEAST_SIZES = 5


@dataclass(frozen=True)
class Growth:
    """throughput(size) is proportional to size ** -exponent between the smallest and the largest of `sizes`, in bytes.

    `last_step` is the exponent between the two largest sizes. It exceeds `exponent` where the decrease steepens, for example
    while the fixed cost per message still dominates small messages.
    """

    sizes: tuple[float, ...]
    exponent: Interval
    last_step: Interval

    @property
    def steepens(self) -> bool:
        """Whether the last step decreases faster than the whole, beyond both intervals."""
        return self.last_step.low > self.exponent.high


def growth(sizes: Sequence[float], forks: Sequence[Sequence[float]], confidence: float = CONFIDENCE) -> Growth:
    """The exponents of each fork, by least squares on the logarithms, and Student's t intervals over the forks.

    `forks` holds a throughput for each of `sizes`, fork by fork. The effect of one server start is common to all sizes of a fork
    and cancels in the fork's slope, so only forks are replicates (METHODOLOGY, rule 7). Raises InsufficientDataError under five
    sizes or two forks, or where a value is not above 0.
    """
    at, measured = np.asarray(sizes, float), np.asarray(forks, float)
    if len(set(sizes)) < LEAST_SIZES:
        raise InsufficientDataError(f"an exponent needs {LEAST_SIZES} sizes, and {existence_clause(len(set(sizes)))}")
    if len(forks) < 2:
        raise InsufficientDataError(f"an exponent needs 2 forks, and {existence_clause(len(forks))}")
    if not (np.all(np.isfinite(measured)) and np.all(measured > 0) and np.all(at > 0)):
        raise InsufficientDataError("an exponent needs sizes and throughputs above 0")
    order = np.argsort(at)
    size_logs, logs = np.log(at[order]), np.log(measured[:, order])
    return Growth(
        tuple(float(size) for size in at[order]),
        student_interval(_falls(size_logs, logs), confidence),
        student_interval(_falls(size_logs[-2:], logs[:, -2:]), confidence),
    )


def _falls(size_logs: NDArray[np.float64], logs: NDArray[np.float64]) -> list[float]:
    """The negative slope of each row of `logs` over `size_logs`."""
    centred = size_logs - size_logs.mean()
    return [float(-(row @ centred) / (centred @ centred)) for row in logs]
