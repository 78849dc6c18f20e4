"""A second witness of throughput, by processor time: whether answers and work were counted over the same time.

Of a subject, in one fork: X right answers and B seconds of processor time, both per measured second, and C seconds of processor
time per answer over everything that was observed. Where each answer costs the same whenever it is asked for, X = B / C, so
w = X * C / B is 1, whether or not the processor is the limit. An error of X alone moves w: B is read at the edges of the measured
time, and C has no edges. Utilisation law: Denning and Buzen 1978, "The operational analysis of queueing network models"
(U = X * D).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .interval import Interval, student_interval

LEAST_PROCESSORS = (
    0.1  # a subject that uses less of a processor is not judged: clock errors and background work weigh too much
)


@dataclass(frozen=True)
class AnswersAndWork:
    """One subject in one fork: right answers and processor time (ns) of the measured time (s), and answers and processor time
    (ns) of the whole observed time."""

    answers: int
    seconds: float
    cpu_ns: float
    all_answers: int
    all_cpu_ns: float

    @property
    def processors(self) -> float:
        """The number of busy processors in the measured time (B)."""
        return self.cpu_ns / 1e9 / self.seconds

    @property
    def witness(self) -> float | None:
        """w = X * C / B; None where a divisor is 0."""
        if not (self.answers and self.all_answers and self.cpu_ns > 0 and self.all_cpu_ns > 0):
            return None
        return self.answers * (self.all_cpu_ns / self.all_answers) / self.cpu_ns


def disagreement(log_witnesses: Sequence[float], confidence: float) -> Interval:
    """The interval of w_A / w_B over forks, from its logarithms; raises InsufficientDataError under two forks."""
    return student_interval(log_witnesses, confidence).exp()


def disagree(ratio: Interval, margin: float) -> bool:
    """Whether the two witnesses disagree by more than half the margin, and by more than chance."""
    beyond = abs(math.log(ratio.estimate)) > math.log1p(margin / 2)
    return beyond and not ratio.low <= 1 <= ratio.high


def hull(first: Interval, second: Interval) -> Interval:
    """The narrowest interval that contains both, with the estimate of the first."""
    return Interval(
        first.estimate, min(first.low, second.low), max(first.high, second.high), first.confidence, first.count
    )
