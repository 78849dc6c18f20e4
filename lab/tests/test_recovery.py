"""Recovery between bursts: each burst by itself, back at the level or not, and a burst cut off by the end left out."""

from __future__ import annotations

import numpy as np
import pytest
from noise import fork_noise
from numpy.typing import NDArray
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.recovery import Recovery, recoveries, recovery_sentence
from steelyard.statistics.verdict_words import Better

BEGINS, ENDS = (10, 50, 90, 130, 170), (40, 80, 120, 160, 175)
TIME = np.arange(1, 181.0)


def bursts(disturbed: tuple[int, ...], seed: int | None = None, height: float = 3.0) -> NDArray[np.float64]:
    """Test 5's shape: 30 s on, 10 s off; `height` times the level in the first seconds of each burst, NaN in the breaks."""
    values = np.full(180, np.nan)
    for begin, end, bad in zip(BEGINS, ENDS, disturbed, strict=True):
        values[begin:end] = 0.04
        values[begin : begin + bad] *= height
    return values if seed is None else values * fork_noise(np.random.default_rng(seed), 180)


def seconds(found: tuple[Recovery, ...]) -> list[float | None]:
    return [one.seconds for one in found]


def test_each_burst_is_timed_by_itself_and_the_cut_off_one_left_out() -> None:
    found = recoveries(TIME, bursts((4, 3, 2, 0, 0)), BEGINS, ENDS)
    assert seconds(found) == [4, 3, 2, 0] and [one.burst for one in found] == [1, 2, 3, 4]


def test_a_burst_that_never_comes_back_to_a_given_level_has_no_recovery() -> None:
    found = recoveries(TIME, bursts((4, 30, 4, 4, 0)), BEGINS, ENDS, level=0.04)
    assert seconds(found) == [4, None, 4, 4]
    assert recovery_sentence("go", [found]).startswith(
        "go does not get back to its level in 1 of 4 bursts: burst 1 after 4"
    )


def test_throughput_recovers_from_below_and_more_of_it_is_no_disturbance() -> None:
    found = recoveries(TIME, bursts((3, 0, 0, 0, 0), height=0.4), BEGINS, ENDS, better=Better.HIGHER)
    assert seconds(found) == [3, 0, 0, 0]
    assert seconds(recoveries(TIME, bursts((3, 0, 0, 0, 0)), BEGINS, ENDS, better=Better.HIGHER)) == [0, 0, 0, 0]


def test_a_burst_without_answers_has_not_recovered() -> None:
    values = bursts((0, 0, 0, 0, 0))
    values[50:80] = np.nan
    assert seconds(recoveries(TIME, values, BEGINS, ENDS)) == [0, None, 0, 0]


def test_under_noise_planted_recoveries_are_found_and_calm_bursts_raise_no_alarm() -> None:
    disturbed = [seconds(recoveries(TIME, bursts((5,) * 5, seed), BEGINS, ENDS)) for seed in range(50)]
    calm = [seconds(recoveries(TIME, bursts((0,) * 5, seed), BEGINS, ENDS)) for seed in range(50)]
    found = [one for fork in disturbed for one in fork]
    quiet = [one for fork in calm for one in fork]
    assert sum(one is not None and 5 <= one <= 7 for one in found) >= 0.9 * len(found)
    assert sum(one is not None and one <= 2 for one in quiet) >= 0.9 * len(quiet)
    assert sum(one is None for one in (*found, *quiet)) <= 0.03 * 2 * len(found)


def test_the_sentence_tells_every_burst_over_the_forks() -> None:
    forks = [recoveries(TIME, bursts((4, 3, 2, 1, 0), seed), BEGINS, ENDS) for seed in range(4)]
    said = recovery_sentence("tomcat", forks)
    assert said.startswith("tomcat recovers in every burst: burst 1 after 4.")
    assert said.count("95% interval") == 4 and "burst 4" in said


def test_no_burst_of_eight_seconds_is_refused() -> None:
    with pytest.raises(InsufficientDataError, match="no burst lasts 8 seconds"):
        recoveries(TIME, bursts((0,) * 5), (10,), (15,))
    with pytest.raises(InsufficientDataError, match="too few seconds with an answer"):
        recoveries(TIME, np.full(180, np.nan), BEGINS, ENDS)
