"""Settling at the start: found after a transient, 0 without one, and none where the level is never held."""

from __future__ import annotations

import numpy as np
import pytest
from noise import WITHIN, fork_noise
from numpy.typing import NDArray
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.settling import settling, settling_sentence, since_inside, times


def start(seed: int, seconds: int, transient: int, deviation: float = WITHIN) -> NDArray[np.float64]:
    """Response times that are thrice as long for `transient` seconds."""
    at = np.arange(seconds)
    return np.where(at < transient, 3.0, 1.0) * fork_noise(np.random.default_rng(seed), seconds, deviation)


def test_a_clean_transient_of_five_seconds_settles_after_five() -> None:
    found = settling([9, 7, 5, 3, 2] + [1.0] * 20)
    assert (found.seconds, found.level, found.band) == (5, 1.0, 0.1)


def test_throughput_that_grows_into_its_level_settles_likewise() -> None:
    assert settling([100, 300, 500, 690] + [720] * 16).seconds == 3


def test_an_even_start_has_settled_at_once() -> None:
    assert settling([1.0] * 12).seconds == 0


def test_a_steady_rise_never_settles_and_is_said_so() -> None:
    found = settling(np.linspace(1, 2, 40))
    assert found.seconds is None
    assert settling_sentence("go", [found]) == "go settled within 40 s in 0 of 1 start."


@pytest.mark.parametrize(("seconds", "transient"), [(12, 0), (12, 2), (30, 4), (120, 10)])
def test_under_noise_the_planted_transient_is_found_to_a_second_17_times_in_20(seconds: int, transient: int) -> None:
    found = [settling(start(seed, seconds, transient)).seconds for seed in range(200)]
    near = sum(one is not None and transient <= one <= transient + 1 for one in found)
    assert near >= 170
    assert sum(one is None for one in found) <= 10


def test_a_stray_second_is_forgiven_and_a_relapse_is_not() -> None:
    stray = np.ones(40)
    stray[20] = 4
    assert settling(stray).seconds == 0
    relapse = np.ones(40)
    relapse[10:14] = 4
    assert settling(relapse).seconds == 14


def test_since_inside_is_the_length_where_it_never_stays() -> None:
    assert since_inside(np.array([False] * 6)) == 6
    assert since_inside(np.array([True] * 6)) == 0


def test_times_over_forks_are_students_interval_widened_by_half_a_second_and_never_under_0() -> None:
    found = times([3, 4, 5, 4])
    assert (found.mean, found.low, found.high) == pytest.approx((4, 4 - 1.299 - 0.5, 4 + 1.299 + 0.5), abs=1e-3)
    assert times([0, 1, 0, 0]).low == 0
    same = times([2, 2, 2])
    assert (same.low, same.high) == (1.5, 2.5)


def test_a_fork_that_never_settled_leaves_a_count_instead_of_a_mean() -> None:
    found = times([3, None, 5])
    assert found.mean is None and (found.reached, found.forks) == (2, 3)
    assert times([3]).low is None and str(times([3])) == "3.00 s (one fork, no interval)"


def test_the_sentence_gives_seconds_interval_and_forks() -> None:
    said = settling_sentence("tomcat", [settling(start(seed, 30, 4, 0.02)) for seed in range(4)])
    assert said.startswith("tomcat settles after 4.") and "95% interval" in said and said.endswith("4 forks).")


def test_too_few_seconds_or_answers_are_refused() -> None:
    with pytest.raises(InsufficientDataError, match="at least 8 seconds"):
        settling([1.0] * 7)
    with pytest.raises(InsufficientDataError, match="too few seconds with an answer"):
        settling([1.0] * 10 + [np.nan] * 10)
