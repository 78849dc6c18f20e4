"""Upward drift: found where response time rises, no alarm under autocorrelated noise, steady only with enough data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from noise import WITHIN, fork_noise
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.drift import Course, Drift, drift, growth


def simulated(seed: int, seconds: int, rise: float, forks: int = 4, deviation: float = WITHIN) -> Drift:
    draw = np.random.default_rng(seed)
    line = 1 + rise * np.arange(seconds) / seconds
    return drift([0.2 * line * fork_noise(draw, seconds, deviation) for _ in range(forks)])


def rate(course: Course, seconds: int, rise: float, forks: int = 4, runs: int = 300) -> float:
    return sum(simulated(seed, seconds, rise, forks).course is course for seed in range(runs)) / runs


def test_the_growth_of_a_clean_exponential_is_what_was_put_in() -> None:
    found = growth(np.exp(np.linspace(0, math.log(1.5), 800)))
    assert found.estimate == pytest.approx(math.log(1.5), rel=0.01)


def test_a_response_time_that_rises_by_a_quarter_in_every_fork_is_unstable() -> None:
    found = simulated(1, 30, 0.25)
    assert found.course is Course.RISING and found.low > 0 and found.forks == 4
    assert found.sentence("weblogic").startswith("weblogic is unstable under constant load: its response time rises by")


def test_an_even_response_time_is_steady_and_silent() -> None:
    found = simulated(2, 180, 0.0, deviation=0.02)
    assert found.course is Course.STEADY
    assert found.sentence("tomcat").startswith("tomcat sustains the load")


@pytest.mark.parametrize(("seconds", "forks"), [(12, 4), (18, 4), (120, 1)])
def test_noise_with_a_memory_raises_few_alarms(seconds: int, forks: int) -> None:
    """The two-sided 95% interval promises 2.5% above 0; 300 runs may show twice that."""
    assert rate(Course.RISING, seconds, 0.0, forks) <= 0.05


@pytest.mark.parametrize(("seconds", "rise", "least"), [(12, 0.3, 0.9), (18, 0.3, 0.95), (120, 0.1, 0.9)])
def test_a_rise_that_matters_is_nearly_always_found_in_four_forks(seconds: int, rise: float, least: float) -> None:
    assert rate(Course.RISING, seconds, rise, runs=100) >= least


def test_a_rise_under_the_practical_threshold_is_never_called_unstable_however_certain() -> None:
    certain = [np.exp(np.linspace(0, math.log(1.02), 120)) * factor for factor in (1, 1.0001, 0.9999)]
    found = drift(certain)
    assert found.low > 0 and found.course is Course.STEADY


def test_forks_that_disagree_are_undecided_and_said_so() -> None:
    found = drift([np.linspace(1, end, 40) for end in (1.5, 0.8, 1.3, 0.7)])
    assert found.course is Course.UNDECIDED
    assert found.sentence("go").startswith("Undecided whether go sustains the load")


def test_stray_seconds_do_not_make_a_trend_and_seconds_without_an_answer_are_left_out() -> None:
    series = np.full(80, 0.1)
    series[[70, 78]] = 5.0
    series[[3, 40]] = np.nan
    assert growth(series).estimate == pytest.approx(0, abs=1e-9)


def test_too_few_seconds_are_refused() -> None:
    with pytest.raises(InsufficientDataError, match="needs 8 seconds of settled load in each fork, and one has 7"):
        drift([np.ones(7), np.ones(9)])
    silent = np.ones(16)
    silent[:2] = np.nan
    with pytest.raises(InsufficientDataError, match="8 equal parts"):
        drift([silent, np.ones(16)])
    with pytest.raises(InsufficientDataError, match="one fork needs 24 seconds"):
        drift([np.ones(20)])
    with pytest.raises(InsufficientDataError, match="at least one fork"):
        drift([])
