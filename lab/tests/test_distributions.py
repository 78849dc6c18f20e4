"""Distributions against printed tables and closed forms."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from steelyard.statistics.distributions import (
    beta_quantile,
    fisher_quantile,
    noncentral_student_share,
    student_quantile,
    student_tail,
)
from steelyard.statistics.drift import growth
from steelyard.statistics.interval import two_sample_p_value
from steelyard.statistics.settling import level_and_band


@pytest.mark.parametrize(
    ("share", "freedom", "printed"),
    [(0.975, 1, 12.706205), (0.975, 3, 3.182446), (0.995, 10, 3.169273), (0.95, 30, 1.697261)],
)
def test_students_quantiles_are_those_of_the_tables(share: float, freedom: int, printed: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(printed, abs=1e-6)
    assert float(student_tail(printed, freedom)) == pytest.approx(1 - share, abs=1e-6)


def test_students_tail_with_one_degree_of_freedom_is_cauchys_however_far_out() -> None:
    far = np.array([0.0, 1.0, 50.0, 1e6])
    assert student_tail(far, 1) == pytest.approx(np.arctan2(1, far) / math.pi, rel=1e-12)


def test_fishers_quantile_is_that_of_the_table_and_the_square_of_students() -> None:
    assert fisher_quantile(0.95, 1, 10) == pytest.approx(4.964603, abs=1e-6)
    assert fisher_quantile(0.9, 1, 7) == pytest.approx(student_quantile(0.95, 7) ** 2, rel=1e-12)


def test_quantiles_of_the_beta_distribution_have_their_closed_forms() -> None:
    assert beta_quantile(0.025, 1, 30) == pytest.approx(1 - 0.975 ** (1 / 30), rel=1e-12)
    assert beta_quantile(0.975, 30, 1) == pytest.approx(0.975 ** (1 / 30), rel=1e-12)


def test_the_noncentral_distribution_is_the_central_one_unshifted_and_normal_below_zero() -> None:
    for value in (-2.0, 0.3, 4.0):
        assert noncentral_student_share(value, 5, 0.0) == pytest.approx(1 - float(student_tail(value, 5)), rel=1e-12)
    for shift in (0.5, 2.0, 4.0):
        assert noncentral_student_share(0.0, 5, shift) == pytest.approx(NormalDist().cdf(-shift), rel=1e-10)


def test_two_samples_have_the_p_of_the_closed_form() -> None:
    # Means 2 and 4, both variances 1, three values each: t is sqrt(6) with 4 degrees of freedom, whose tail is closed.
    t = math.sqrt(6)
    tail = 0.5 - t * (6 + t**2) / (2 * (4 + t**2) ** 1.5)
    assert two_sample_p_value([1, 2, 3], [3, 4, 5]) == pytest.approx(2 * tail, rel=1e-12)
    assert two_sample_p_value([1, 1], [1, 1]) == 1.0
    assert two_sample_p_value([1, 1], [2, 2]) == 0.0


def test_a_growth_is_the_line_of_least_squares_with_its_textbook_interval() -> None:
    # Logarithms 0, 1, 0, 1 ... at the middles of eight parts: Sxx is 42/64, Sxy 1/4, Syy 2.
    found = growth([1, math.e] * 4)
    slope = 0.25 / (42 / 64)
    half = 2.446912 * math.sqrt((2 - 0.25 * slope) / 6 / (42 / 64))
    assert [found.low, found.estimate, found.high] == pytest.approx([slope - half, slope, slope + half], abs=1e-6)


def test_one_wild_second_bends_no_trend_so_the_band_is_that_of_the_noise() -> None:
    straight = [10.0] * 8 + [10 + 0.01 * second for second in range(9)]
    wild = [*straight[:-1], 1000.0]
    assert level_and_band(np.array(straight), 0.001)[1] == pytest.approx(0.001)
    assert level_and_band(np.array(wild), 0.001)[1] == pytest.approx(0.001)
