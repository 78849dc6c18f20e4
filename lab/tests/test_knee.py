"""The knee: found where it was planted, with an interval that covers it; none where throughput still grows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from noise import BETWEEN
from numpy.typing import NDArray
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.knee import fork_knee, knee

LEVELS = np.array([1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40], float)
SATURATED = 70 * np.minimum(LEVELS, 8)
GROWING = 60 * LEVELS / (1 + 0.02 * (LEVELS - 1))
FLAT = np.full(len(LEVELS), 60.0)


def forks(curve: NDArray[np.float64], seed: int, count: int = 4) -> list[NDArray[np.float64]]:
    """Levels held long enough to deviate by 2%, in forks that deviate by BETWEEN."""
    draw = np.random.default_rng(seed)
    return [
        curve * np.exp(BETWEEN * draw.standard_normal() + 0.02 * draw.standard_normal(len(curve))) for _ in range(count)
    ]


def test_a_throughput_that_stops_at_8_users_has_its_knee_at_8() -> None:
    found = knee(LEVELS, [SATURATED, SATURATED * 1.05], 5)
    assert found.users == pytest.approx(8, abs=0.1) and (found.seen, found.forks) == (2, 2)


def test_a_throughput_that_still_grows_has_no_knee_and_says_up_to_where() -> None:
    found = knee(LEVELS, forks(GROWING, 1), 5)
    assert found.users is None and found.low is None
    assert found.sentence("wildfly") == "No knee of wildfly up to 40 users: its throughput still grows."


def test_a_throughput_that_falls_again_has_its_knee_before_it_falls() -> None:
    falling = 60 * LEVELS / (1 + 0.05 * (LEVELS - 1) + 0.002 * LEVELS * (LEVELS - 1))
    found = knee(LEVELS, forks(falling, 2), 5)
    assert found.users is not None and 8 < found.users < LEVELS[np.argmax(falling)]


def test_a_throughput_that_never_grows_has_its_knee_at_the_lowest_level() -> None:
    assert fork_knee(LEVELS, FLAT, 5) == (1, 1, 2)
    assert knee(LEVELS, forks(FLAT, 3), 5).sentence("go") == "go's throughput does not grow beyond 1 user (4 forks)."


def test_the_interval_over_forks_and_that_of_one_fork_cover_the_planted_knee() -> None:
    runs = 100
    over, alone = ([knee(LEVELS, forks(SATURATED, seed, count), 5) for seed in range(runs)] for count in (4, 1))
    assert all(one.users is not None for one in (*over, *alone))
    covered = [sum((one.low or 0) <= 8 <= (one.high or 0) for one in kind) / runs for kind in (over, alone)]
    assert covered[0] >= 0.88 and covered[1] >= 0.85
    assert np.median([(one.high or 0) - (one.low or 0) for one in over]) < 1


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("curve", [60 * LEVELS, GROWING], ids=["linear", "contended"])
def test_a_throughput_that_grows_is_shown_to_grow_in_19_of_20(curve: NDArray[np.float64], count: int) -> None:
    assert sum(knee(LEVELS, forks(curve, seed, count), 5).grows for seed in range(100)) >= 95


# Orders that a pet shop completed a second at 100 to 1,000 clients: 400 saturate it, and then they come in waves.
CLIENTS = np.array([100, 200, 300, 400, 500, 600, 800, 1000], float)
WAVES = np.array([302, 600, 880, 1230, 1258, 1290, 744, 1786], float) / 60


def test_a_throughput_that_scatters_beyond_its_knee_is_not_said_to_grow() -> None:
    found = knee(CLIENTS, [WAVES], 30)
    assert found.users is None and not found.grows
    assert found.sentence("shop") == (
        "Whether shop's throughput stops growing is not decided: its levels up to 1000 users scatter too much."
    )


def test_of_a_saturated_throughput_whose_levels_scatter_hardly_one_in_twenty_is_said_to_grow() -> None:
    draw = np.random.default_rng(5)
    flat = 20 * np.minimum(CLIENTS / 400, 1)
    scattered = [
        np.where(CLIENTS > 400, flat * np.exp(0.3 * draw.standard_normal(len(CLIENTS))), flat) for _ in range(200)
    ]
    assert sum(knee(CLIENTS, [one], 30).grows for one in scattered) <= 14


@pytest.mark.parametrize("curve", [60 * LEVELS, GROWING], ids=["linear", "contended"])
def test_noise_makes_no_knee_of_a_growing_throughput(curve: NDArray[np.float64]) -> None:
    alarms = sum(knee(LEVELS, forks(curve, seed), 5).users is not None for seed in range(100))
    alone = sum(knee(LEVELS, forks(curve, seed, 1), 5).users is not None for seed in range(100))
    assert alarms == 0 and alone <= 2


def test_levels_in_any_order_give_the_same_knee() -> None:
    assert fork_knee(LEVELS[::-1], SATURATED[::-1], 5) == fork_knee(LEVELS, SATURATED, 5)


def test_a_knee_that_most_forks_lack_is_none_and_the_sentence_counts_them() -> None:
    found = knee(LEVELS, [SATURATED, GROWING, GROWING], 5)
    assert found.users is None and "1 of 3 forks showed one" in found.sentence("go")


def test_the_sentence_gives_users_interval_and_forks() -> None:
    found = knee(LEVELS, forks(SATURATED, 3), 5)
    said = found.sentence("tomcat")
    assert re.fullmatch(
        r"tomcat's throughput stops growing at (8\.\d|7\.9)\d users \(95% interval 7\.\d+ to 8\.\d+, 4 forks\)\.", said
    )


@pytest.mark.parametrize(
    ("users", "held", "said"),
    [
        (LEVELS[:5], 5.0, "a knee needs 6 levels of users, and there are 5"),
        (LEVELS, 2.0, "held for 5 s, and one was held for 2 s"),
    ],
)
def test_too_few_levels_and_a_short_ramp_are_refused(users: NDArray[np.float64], held: float, said: str) -> None:
    with pytest.raises(InsufficientDataError, match=said):
        fork_knee(users, SATURATED[: len(users)], held)
    with pytest.raises(InsufficientDataError, match="at least one fork"):
        knee(LEVELS, [], 5)
