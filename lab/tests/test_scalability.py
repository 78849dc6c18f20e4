"""The scalability law over forks: its interval covers planted values, and its sentence marks extrapolation."""

from __future__ import annotations

import numpy as np
import pytest
from noise import BETWEEN
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.scalability import Scalability, fit, over_forks, scalability_sentence

LEVELS = np.array([1, 2, 4, 8, 16, 32, 64], float)


def forks(seed: int, contention: float, coherency: float, count: int = 4) -> list[Scalability]:
    """Fits of levels that deviate by 2%, in forks that deviate by BETWEEN."""
    draw = np.random.default_rng(seed)
    curve = 1000 * LEVELS / (1 + contention * (LEVELS - 1) + coherency * LEVELS * (LEVELS - 1))
    noise = [BETWEEN * draw.standard_normal() + 0.02 * draw.standard_normal(len(LEVELS)) for _ in range(count)]
    return [fit(list(LEVELS), list(curve * np.exp(one))) for one in noise]


def test_the_interval_over_forks_covers_planted_contention_and_coherency() -> None:
    runs = 60
    found = [over_forks(forks(seed, 0.05, 0.001)) for seed in range(runs)]
    assert sum(one.contention.low <= 0.05 <= one.contention.high for one in found) / runs >= 0.88
    assert sum(one.coherency.low <= 0.001 <= one.coherency.high for one in found) / runs >= 0.88
    assert all(one.levels == tuple(LEVELS) for one in found)


def test_one_fork_keeps_its_own_interval_and_none_is_refused() -> None:
    alone = forks(1, 0.05, 0.001, 1)
    assert over_forks(alone) is alone[0]
    with pytest.raises(InsufficientDataError, match="at least one fork"):
        over_forks([])


def test_a_peak_among_the_levels_is_told_and_one_beyond_them_is_called_extrapolated() -> None:
    within = scalability_sentence("tomcat", over_forks(forks(2, 0.05, 0.001)))
    beyond = scalability_sentence("tomcat", over_forks(forks(2, 0.05, 0.00005)))
    assert "95% interval); its throughput peaks at 3" in within and "extrapolated" not in within
    assert beyond.endswith("users, if at all, extrapolated.")


def test_where_nothing_falls_no_peak_is_told() -> None:
    clean = fit(list(LEVELS), list(1000 * LEVELS / (1 + 0.05 * (LEVELS - 1))))
    assert scalability_sentence("go", clean).endswith("; no peak is in sight of 64 users.")


def test_a_fit_on_its_boundary_is_told_as_one_and_has_no_interval() -> None:
    bent = (
        1000 * LEVELS / (1 + 0.05 * (LEVELS - 1)) * (1 + 0.002 * LEVELS)
    )  # grows more steeply than any law with coherency
    clean = [fit(list(LEVELS), list(bent * factor)) for factor in (1.0, 1.02, 0.99)]
    said = scalability_sentence("go", over_forks(clean))
    assert "no coherency found (the fit lies on its boundary)" in said and "0.00000" not in said
    assert "contention 0.0" in said and "95% interval)" in said
    mixed = over_forks([*clean, *forks(3, 0.05, 0.001, 2)])
    assert (mixed.coherency.at_bound, mixed.coherency.forks) == (3, 5)
    assert "95% interval; on its boundary in 3 of 5 fits)" in scalability_sentence("go", mixed)
    planted = scalability_sentence("go", over_forks(forks(2, 0.05, 0.001)))
    assert "boundary" not in planted
    assert scalability_sentence("go", clean[0]).count("the fit lies on its boundary") == 1


def test_a_server_that_breaks_down_follows_no_law() -> None:
    """As Metro on Tomcat in the mesh: as many answers from 1 user to 24, and next to none with 32."""
    users = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
    with pytest.raises(
        InsufficientDataError, match=r"does not fit: with \d+ users it predicts .+/s, but .+/s were measured"
    ):
        fit(users, [253.2, 255.0, 268.6, 265.8, 250.8, 243.0, 242.4, 239.4, 221.8, 0.2])


def test_noise_of_a_tenth_is_no_reason_to_doubt_the_law() -> None:
    curve = 1000 * LEVELS / (1 + 0.05 * (LEVELS - 1) + 0.001 * LEVELS * (LEVELS - 1))
    for seed in range(100):
        noise = 0.1 * np.random.default_rng(seed).standard_normal(len(LEVELS))
        assert fit(list(LEVELS), list(curve * np.exp(noise))).levels == tuple(LEVELS)


def test_what_falls_from_the_first_user_on_is_highest_there() -> None:
    falling = fit(list(LEVELS), list(1000 * LEVELS / (1 + 1.2 * (LEVELS - 1))))
    assert scalability_sentence("go", falling).endswith("; its throughput is highest with 1 user.")
