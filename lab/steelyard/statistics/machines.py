"""One question on several machines, the machine as the highest level: what machines such as these say, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from .campaigns import Between, Found, random_effects
from .interval import Interval, larger_p


@dataclass(frozen=True)
class MachinesTogether:
    """What several machines say of one log ratio; `mean` has its interval over machines such as these.

    `spread` is the standard deviation between machines beyond what their forks explain, `prediction` holds what the next machine
    would find (None for fewer than three). `error` is the mean's standard error by how machines differ, `least_error` by how their
    forks do and what machines differ beyond that: machines that agree more closely did so by luck.
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


def over_machines(machines: Sequence[Found], confidence: float = 0.95) -> MachinesTogether:
    """The mean over machines such as these, replicated at the highest level that is generalised to (Kalibera and Jones 2013,
    "Rigorous benchmarking in reasonable time"); raises InsufficientDataError for fewer than two.

    Spread, mean and prediction are those of `random_effects`. Its mean's error is taken from how machines differ, which for a few
    that
    happen to agree is nearly nothing; so the interval is never narrower than the normal one of the weights' own error (Jackson,
    Law, Ruecker and Schwarzer 2017, "The Hartung-Knapp modification for random-effects meta-analysis: a useful refinement but are
    there any residual concerns?", on taking the wider of the two).
    """
    pooled: Between = random_effects(machines, confidence)
    weights = [1 / (machine.error**2 + pooled.spread**2) for machine in machines]
    least_error = math.sqrt(1 / math.fsum(weights))
    mean = pooled.mean
    half = max(mean.high - mean.estimate, NormalDist().inv_cdf((1 + confidence) / 2) * least_error)
    widened = Interval(mean.estimate, mean.estimate - half, mean.estimate + half, confidence, mean.count)
    return MachinesTogether(widened, pooled.spread, pooled.prediction, pooled.error, least_error)
