"""One comparison on several machines, with the machine as the highest level: the result for such machines, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from .campaigns import Between, Found, random_effects
from .interval import CONFIDENCE, Interval, larger_p


@dataclass(frozen=True)
class MachinesTogether:
    """The joint log ratio of several machines; `mean` has its interval over such machines.

    `spread` is the standard deviation between machines beyond the variance of their forks; `prediction` is the interval for the
    next machine (None for fewer than three). `error` is the mean's standard error from the differences of machines, `least_error`
    from their forks and the spread: machines that agree more closely do so by chance.
    """

    mean: Interval
    spread: float
    prediction: Interval | None
    error: float
    least_error: float

    def difference_p(self) -> float:
        """The smallest alpha whose 1 - alpha interval of the mean excludes 0."""
        return larger_p(abs(self.mean.estimate), self.error, self.mean.count - 1, self.least_error)

    def equivalence_p(self, margin: float) -> float:
        """The smallest alpha whose 1 - alpha interval of the mean lies within +-log(1 + margin); 1 where none does."""
        slack = math.log1p(margin) - abs(self.mean.estimate)
        return larger_p(slack, self.error, self.mean.count - 1, self.least_error) if slack >= 0 else 1.0


def over_machines(machines: Sequence[Found], confidence: float = CONFIDENCE) -> MachinesTogether:
    """The mean over machines, replicated at the highest level of generalisation (Kalibera and Jones 2013, "Rigorous benchmarking
    in reasonable time"); raises InsufficientDataError for fewer than two.

    Spread, mean and prediction are those of `random_effects`. That mean's error comes from the differences of machines, which is
    nearly zero for a few machines that agree by chance. So the interval is never narrower than the normal one of the weights' own
    error (Jackson, Law, Ruecker and Schwarzer 2017, "The Hartung-Knapp modification for random-effects meta-analysis: a useful
    refinement but are there any residual concerns?", on taking the wider of the two).
    """
    pooled: Between = random_effects(machines, confidence)
    weights = [1 / (machine.error**2 + pooled.spread**2) for machine in machines]
    least_error = math.sqrt(1 / math.fsum(weights))
    mean = pooled.mean
    half = max(mean.high - mean.estimate, NormalDist().inv_cdf((1 + confidence) / 2) * least_error)
    widened = Interval(mean.estimate, mean.estimate - half, mean.estimate + half, confidence, mean.count)
    return MachinesTogether(widened, pooled.spread, pooled.prediction, pooled.error, least_error)
