"""The greatest rate at which a service keeps a promise on response times, from stretches of open load near it.

Near saturation a queue has a long memory: a stretch of 16 s at 92 requests/s on a worker of 10 ms holds about three
independent looks at it, and shares of slow requests in such stretches differ by their own size. Most of that is luck of the
arrivals, and the arrivals are known. So what was seen is held against a queue of one worker under the very same arrivals: its
capacity is fitted so that it has as many slow requests as the service had, all stretches together, and the limit is that
queue's own, for arrivals without end. What the queue does not explain is left between the stretches and makes the interval
wide (jackknife over stretches). Any service whose requests wait for something shared is such a queue near its limit (heavy
traffic), and rates near the limit are what is asked.

Sources: Lindley 1952 for the queue; Kingman 1962 and Koellerstroem 1974 for queues of several workers near saturation; Tukey
1958 for the jackknife.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .distributions import student_quantile

Values = npt.NDArray[np.float64]

LEAST_STRETCHES = 4
LEAST_HALF_WIDTH = 0.01  # of the limit: what hour and machine change anyway
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
    """A stretch of open load that began with an empty queue: when each request came, in s, and how many were slow or failed."""

    due: Values
    slow: int

    @property
    def share(self) -> float:
        """Of its requests, those that were slow or failed."""
        return self.slow / max(1, len(self.due))


@dataclass(frozen=True)
class Queue:
    """What a service does alone: its response time `base` in s, and draws of it with mean 1; `even`: so are its arrivals."""

    base: float
    work: Values
    even: bool = False

    @property
    def is_steady(self) -> bool:
        """Whether every request is the same work."""
        return len(self.work) == 1

    @classmethod
    def of_times(cls, times: Values, *, even: bool) -> Queue:
        """Of the response times in s of requests that met nobody; where they spread by less than 5%, the work is one constant."""
        base = float(np.median(times))
        trimmed = np.sort(times)[: max(1, int(len(times) * 0.995))]
        steady = len(trimmed) < 2 or float(np.std(trimmed)) < 0.05 * float(np.mean(trimmed))
        return cls(base, np.ones(1) if steady else trimmed / float(np.mean(trimmed)), even)


@dataclass(frozen=True)
class Limit:
    """The limit in requests/s with its 95% interval, and the capacity of the queue that was fitted."""

    rate: float
    low: float
    high: float
    capacity: float


def waits(due: Values, work: Values) -> Values:
    """How long each request waits for one worker that takes them in order; `due` and `work` in s (Lindley's recursion)."""
    before = np.cumsum(work) - work
    return np.maximum.accumulate(due - before) + before - due


def slow_in(stretch: OpenStretch, queue: Queue, capacity: float, goal: Goal, seed: int = 1) -> float:
    """How many requests of a stretch are slow in a queue of this capacity (requests/s), on average over draws of its work."""
    return float(np.mean(_slow_by_draw(stretch, queue, capacity, goal, seed)))


def most_slow_in(stretch: OpenStretch, queue: Queue, capacity: float, goal: Goal, seed: int = 1) -> int:
    """The same in the slowest of the draws."""
    return max(_slow_by_draw(stretch, queue, capacity, goal, seed))


def _slow_by_draw(stretch: OpenStretch, queue: Queue, capacity: float, goal: Goal, seed: int) -> list[int]:
    draw = np.random.default_rng(seed)
    most = goal.seconds - queue.base
    draws = 1 if queue.is_steady else _DRAWS
    works = (draw.choice(queue.work, len(stretch.due)) / capacity for _ in range(draws))
    return [int(np.sum(waits(stretch.due, work) > most)) for work in works]


def fitted_capacity(stretches: Sequence[OpenStretch], queue: Queue, goal: Goal) -> float | None:
    """The capacity at which the queue has as many slow requests as were seen; None where none was slow, or all were."""
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
    """The rate up to which a queue of this capacity keeps the promise, arrivals going on without end, by simulation."""
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
    """The fitted capacity without one of the stretches; where that leaves none slow, or all, as far off as is looked."""
    others = [stretch for number, stretch in enumerate(stretches) if number != left]
    fitted = fitted_capacity(others, queue, goal)
    if fitted is not None:
        return fitted
    return capacity * _SPAN if sum(stretch.slow for stretch in others) == 0 else capacity / _SPAN
