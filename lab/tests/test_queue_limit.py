"""The limit of simulated queues whose limit is known by theory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from steelyard.statistics import queue_limit
from steelyard.statistics.queue_limit import Goal, OpenStretch, Queue, Values

PROMISE = Goal(0.2, 0.05)
SERVICE_S = 0.010
EXACTLY = Queue(SERVICE_S, np.ones(1))


def fixed(_: np.random.Generator, count: int) -> Values:
    return np.full(count, SERVICE_S)


def exponential(draw: np.random.Generator, count: int) -> Values:
    return draw.exponential(SERVICE_S, count)


def served(due: Values, work: Values, workers: int = 1) -> Values:
    """Response times, request by request: the plainest of simulations."""
    free, times = [0.0] * workers, []
    for arrival, taken in zip(due, work, strict=True):
        first = free.index(min(free))
        free[first] = max(free[first], arrival) + taken
        times.append(free[first] - arrival)
    return np.array(times)


def stretch(draw: np.random.Generator, rate: float, work: str, workers: int = 1, seconds: float = 16.0) -> OpenStretch:
    due = np.sort(draw.random(draw.poisson(rate * seconds)) * seconds)
    taken = {"fixed": fixed, "exponential": exponential}[work](draw, len(due)) * workers
    return OpenStretch(due, int(np.sum(served(due, taken, workers) > PROMISE.seconds)))


def test_waits_are_those_of_a_queue_worked_off_request_by_request() -> None:
    draw = np.random.default_rng(3)
    due, work = np.cumsum(draw.exponential(size=2000)), draw.exponential(0.9, 2000)
    assert np.allclose(queue_limit.waits(due, work) + work, served(due, work))


@pytest.mark.parametrize(
    ("queue", "truth"),
    [
        (EXACTLY, 92.5),
        (Queue(SERVICE_S, np.ones(1), even=True), 100.0),
        # M/M/1: response times are exponential with rate capacity - rate; the median alone is the base, so waits decide.
        (Queue(0.0, np.random.default_rng(1).exponential(size=5000)), 100 - math.log(1 / 0.05 * 0.85) / 0.2),
    ],
    ids=["fixed work", "fixed work, even arrivals", "exponential work"],
)
def test_the_limit_of_a_queue_is_that_of_theory(queue: Queue, truth: float) -> None:
    assert queue_limit.limit_of(100.0, queue, PROMISE, exact=True) == pytest.approx(truth, rel=0.01)


def test_times_that_hardly_spread_are_one_and_others_are_kept() -> None:
    draw = np.random.default_rng(5)
    assert len(Queue.of_times(SERVICE_S + draw.exponential(1e-4, 300), even=False).work) == 1
    spread = Queue.of_times(draw.exponential(SERVICE_S, 300), even=False)
    assert len(spread.work) > 250 and float(np.mean(spread.work)) == pytest.approx(1.0)


def test_nothing_is_said_where_nothing_was_slow_or_there_are_too_few_stretches() -> None:
    draw = np.random.default_rng(8)
    assert queue_limit.limit([stretch(draw, 30.0, "fixed") for _ in range(5)], EXACTLY, PROMISE) is None
    assert queue_limit.limit([stretch(draw, 99.0, "fixed") for _ in range(3)], EXACTLY, PROMISE) is None


def test_arrivals_of_a_server_that_is_the_queue_leave_no_luck() -> None:
    """Shares of slow requests differ by their own size between stretches, and the limit does not."""
    draw = np.random.default_rng(11)
    for _ in range(3):
        stretches = [stretch(draw, rate, "fixed") for rate in (91.0, 94.0) * 4]
        shares = [each.share for each in stretches]
        assert np.std(shares) > 0.5 * np.mean(shares)
        outcome = queue_limit.limit(stretches, EXACTLY, PROMISE)
        assert outcome is not None and outcome.rate == pytest.approx(92.5, rel=0.005)
        assert outcome.high / outcome.low == pytest.approx(1.01**2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("work", "workers", "truth", "widest"),
    [("fixed", 1, 92.5, 0.04), ("fixed", 4, 91.5, 0.04), ("exponential", 1, 100 - math.log(20) / 0.2, 0.10)],
    ids=["fixed work", "four workers", "exponential work"],
)
def test_the_interval_holds_the_limit_in_nineteen_of_twenty(
    work: str, workers: int, truth: float, widest: float
) -> None:
    draw = np.random.default_rng(21)
    alone = {"fixed": fixed, "exponential": exponential}[work](draw, 300) * workers
    queue = Queue.of_times(alone, even=False)
    held = 0
    for _ in range(20):
        stretches = [stretch(draw, truth * around, work, workers) for around in (0.985, 1.015) * 4]
        outcome = queue_limit.limit(stretches, queue, PROMISE)
        assert outcome is not None
        held += outcome.low <= truth <= outcome.high and (outcome.high - outcome.low) / 2 <= widest * outcome.rate
    assert held >= 18  # of 20 at 95%: fewer by chance in 8% of such twenties, and this one's draws are fixed
