"""Fisher's exact test of two shares: known answers, symmetry, and its rate of false alarms."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steelyard.statistics.proportions import chance_of_difference, differ_beyond_chance

COUNT = st.integers(0, 40)


@pytest.mark.parametrize(
    ("failed_a", "total_a", "failed_b", "total_b", "chance"),
    [
        (3, 4, 1, 4, 34 / 70),  # Fisher's lady tasting tea
        (8, 9, 2, 7, 0.034965034965),
        (0, 10, 10, 10, 2 / comb(20, 10)),
        (0, 100, 0, 100, 1.0),
        (0, 0, 5, 10, 1.0),
    ],
)
def test_known_answers(failed_a: int, total_a: int, failed_b: int, total_b: int, chance: float) -> None:
    assert chance_of_difference(failed_a, total_a, failed_b, total_b) == pytest.approx(chance, rel=1e-9)


@given(COUNT, COUNT, COUNT, COUNT)
def test_it_equals_the_sum_of_exact_fractions(failed_a: int, right_a: int, failed_b: int, right_b: int) -> None:
    total_a, total_b, failed = failed_a + right_a, failed_b + right_b, failed_a + failed_b
    tables = [
        comb(total_a, count) * comb(total_b, failed - count)
        for count in range(max(0, failed - total_b), min(failed, total_a) + 1)
    ]
    observed = comb(total_a, failed_a) * comb(total_b, failed_b)
    exact = Fraction(sum(table for table in tables if table <= observed), sum(tables))
    assert chance_of_difference(failed_a, total_a, failed_b, total_b) == pytest.approx(float(exact), rel=1e-7)
    assert chance_of_difference(failed_b, total_b, failed_a, total_a) == pytest.approx(float(exact), rel=1e-7)


@pytest.mark.parametrize(
    ("counts", "differ"),
    [
        ((0, 1000, 160, 1000), True),
        ((10, 1000, 12, 1000), False),
        ((0, 1000, 7, 1000), False),  # p = 0.0155
        ((0, 1000, 9, 1000), True),  # p = 0.0039
        ((10_000_000, 1_000_000_000, 10_020_000, 1_000_000_000), True),  # z = 4.5
        ((10_000_000, 1_000_000_000, 10_005_000, 1_000_000_000), False),  # z = 1.1
        ((0, 10**12, 10**12, 10**12), True),
        ((0, 1, 0, 10**12), False),
    ],
)
def test_differences_are_told_from_chance_at_every_size(counts: tuple[int, int, int, int], differ: bool) -> None:
    assert differ_beyond_chance(*counts) is differ


def test_alpha_decides() -> None:
    assert not differ_beyond_chance(8, 9, 2, 7)
    assert differ_beyond_chance(8, 9, 2, 7, alpha=0.05)


def test_equal_services_raise_at_most_one_alarm_in_a_hundred() -> None:
    draw = np.random.default_rng(1)
    for share in (0.001, 0.02, 0.5):
        pairs = draw.binomial(1000, share, (2000, 2)).tolist()
        alarms = sum(differ_beyond_chance(first, 1000, second, 1000) for first, second in pairs)
        assert alarms <= 2000 * 0.01 + 14  # three standard deviations above 1%


def test_counts_that_are_no_share_are_refused() -> None:
    for counts in ((-1, 5, 1, 5), (1, 5, 6, 5)):
        with pytest.raises(ValueError, match="is no share"):
            differ_beyond_chance(*counts)
