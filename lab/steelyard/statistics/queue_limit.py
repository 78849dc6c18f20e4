"""The greatest rate at which a service meets a goal on response times, from stretches of open load near it.

Near saturation a queue has a long memory: a stretch of 16 s at 92 requests/s on a worker of 10 ms contains about three
independent observations, and the shares of slow requests in such stretches vary by their own size. Most of this variation comes
from the arrivals, and the arrivals are known. So the observations are compared with a queue of one worker under the same
arrivals. Its capacity is fitted so that it has as many slow requests as the service, over all stretches, and the limit is that of
this queue for unlimited arrivals. The remaining variation between stretches widens the interval (jackknife over stretches). Any
service whose requests wait for a shared resource behaves like such a queue near its limit (heavy traffic), and only rates near
the limit matter here.

Sources: Lindley 1952 for the queue; Kingman 1962 and Koellerstroem 1974 for queues of several workers near saturation; Tukey 1958
for the jackknife.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .distributions import student_quantile

Values = npt.NDArray[np.float64]

LEAST_STRETCHES = 4
LEAST_HALF_WIDTH = 0.01  # share of the limit: its usual variation with time and machine
_DRAWS = 8
_STEPS = 22
_SPAN = 1.6
_QUICK, _EXACT = 300_000, 1_000_000


@dataclass(frozen=True)
class Goal:
    """At most a share `allowed` of requests takes longer than `seconds`, or fails."""

    seconds: float
    allowed: float


@dataclass(frozen=True)
class OpenStretch:
    """A stretch of open load that began with an empty queue: the arrival of each request in s, and the number of slow or failed
    ones."""

    due: Values
    slow: int

    @property
    def share(self) -> float:
        """The share of requests that were slow or failed."""
        return self.slow / max(1, len(self.due))


@dataclass(frozen=True)
class Queue:
    """A service without queueing: its response time `base` in s, and draws of it with mean 1; `even`: arrivals are evenly
    spaced."""

    base: float
    work: Values
    even: bool = False

    @property
    def is_steady(self) -> bool:
        """Whether all requests have the same work."""
        return len(self.work) == 1

    @classmethod
    def of_times(cls, times: Values, *, even: bool) -> Queue:
        """The queue of these response times in s, measured without queueing; where they spread by less than 5%, the work is
        constant."""
        base = float(np.median(times))
        trimmed = np.sort(times)[: max(1, int(len(times) * 0.995))]
        steady = len(trimmed) < 2 or float(np.std(trimmed)) < 0.05 * float(np.mean(trimmed))
        return cls(base, np.ones(1) if steady else trimmed / float(np.mean(trimmed)), even)


@dataclass(frozen=True)
class Limit:
    """The limit in requests/s with its 95% interval, and the capacity of the fitted queue."""

    rate: float
    low: float
    high: float
    capacity: float


def waits(due: Values, work: Values) -> Values:
    """The waiting time of each request for one worker that serves in order; `due` and `work` in s (Lindley's recursion)."""
    before = np.cumsum(work) - work
    return np.maximum.accumulate(due - before) + before - due


def slow_in(stretch: OpenStretch, queue: Queue, capacity: float, goal: Goal, seed: int = 1) -> float:
    """The number of slow requests of a stretch in a queue of this capacity (requests/s), averaged over draws of its work."""
    return float(np.mean(_slow_by_draw(stretch, queue, capacity, goal, seed)))


def most_slow_in(stretch: OpenStretch, queue: Queue, capacity: float, goal: Goal, seed: int = 1) -> int:
    """The number of slow requests in the slowest of the draws."""
    return max(_slow_by_draw(stretch, queue, capacity, goal, seed))


def _slow_by_draw(stretch: OpenStretch, queue: Queue, capacity: float, goal: Goal, seed: int) -> list[int]:
    draw = np.random.default_rng(seed)
    most = goal.seconds - queue.base
    draws = 1 if queue.is_steady else _DRAWS
    works = (draw.choice(queue.work, len(stretch.due)) / capacity for _ in range(draws))
    return [int(np.sum(waits(stretch.due, work) > most)) for work in works]


def fitted_capacity(stretches: Sequence[OpenStretch], queue: Queue, goal: Goal) -> float | None:
    """The capacity at which the queue has as many slow requests as observed; None where no request was slow, or all were."""
    seen = sum(stretch.slow for stretch in stretches)
    if seen == 0 or seen >= sum(len(stretch.due) for stretch in stretches):
        return None
    rates = [len(stretch.due) / max(1e-9, float(stretch.due[-1] - stretch.due[0])) for stretch in stretches]
    low, high = min(rates) / 4, max(rates) * 4
    for _ in range(_STEPS):
        middle = float(np.sqrt(low * high))
        had = sum(slow_in(stretch, queue, middle, goal, number) for number, stretch in enumerate(stretches))
        low, high = (middle, high) if had > seen else (low, middle)
    return float(np.sqrt(low * high))


def limit_of(capacity: float, queue: Queue, goal: Goal, *, exact: bool = False) -> float:
    """The rate up to which a queue of this capacity meets the goal under unlimited arrivals, by simulation."""
    draw = np.random.default_rng(7)
    count = _EXACT if exact else _QUICK
    gaps = np.ones(count) if queue.even else draw.exponential(size=count)
    arrivals = np.cumsum(gaps)
    work = (draw.choice(queue.work, count) if len(queue.work) > 1 else np.ones(count)) / capacity
    most = goal.seconds - queue.base
    low, high = 0.0, capacity
    for _ in range(14):
        rate = (low + high) / 2
        share = float(np.mean(waits(arrivals / rate, work)[count // 100 :] > most))
        low, high = (rate, high) if share <= goal.allowed else (low, rate)
    return (low + high) / 2


def limit(stretches: Sequence[OpenStretch], queue: Queue, goal: Goal) -> Limit | None:
    """The limit with its interval; None where no request was slow, all were, or there are too few stretches.

    The interval is Student's t over the jackknife's pseudo-values of the fitted capacity's logarithm, never narrower than
    LEAST_HALF_WIDTH.
    """
    if len(stretches) < LEAST_STRETCHES:
        return None
    capacity = fitted_capacity(stretches, queue, goal)
    if capacity is None:
        return None
    without = np.array(
        [_capacity_without(number, stretches, queue, goal, capacity) for number in range(len(stretches))]
    )
    count = len(stretches)
    pseudo = count * np.log(capacity) - (count - 1) * np.log(without)
    error = float(np.std(pseudo, ddof=1)) / np.sqrt(count)
    half = max(np.log1p(LEAST_HALF_WIDTH), student_quantile(0.975, count - 1) * error)
    rate = limit_of(capacity, queue, goal, exact=True)
    return Limit(rate, float(rate / np.exp(half)), float(rate * np.exp(half)), capacity)


def _capacity_without(left: int, stretches: Sequence[OpenStretch], queue: Queue, goal: Goal, capacity: float) -> float:
    """The fitted capacity without one of the stretches; where the rest has no slow requests, or only slow ones, the bound of the
    search."""
    others = [stretch for number, stretch in enumerate(stretches) if number != left]
    fitted = fitted_capacity(others, queue, goal)
    if fitted is not None:
        return fitted
    return capacity * _SPAN if sum(stretch.slow for stretch in others) == 0 else capacity / _SPAN
