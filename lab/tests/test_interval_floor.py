"""An interval is never narrower than its pairs allow, without more false alarms."""

from __future__ import annotations

import math
import random
from statistics import NormalDist, median, stdev

import pytest
from steelyard.statistics.interval import equivalence_p_value, p_value, predicted_deviation, student_interval
from steelyard.statistics.verdict_words import Better, Judged, Word, words

LUCKY = [-0.2010, -0.2015, -0.2005, -0.2012]  # four forks that agree within 0.05%


def drawn(draw: random.Random, forks: int, pairs: int, between: float = 0.0) -> list[list[float]]:
    """Log ratios of pairs that vary by 1 within a fork; forks vary by `between` on top of that."""
    return [[draw.gauss(centre, 1) for _ in range(pairs)] for centre in (draw.gauss(0, between) for _ in range(forks))]


@pytest.mark.parametrize("pairs", [3, 5, 10])
def test_what_pairs_predict_is_how_forks_vary_that_are_all_alike(pairs: int) -> None:
    draw = random.Random(pairs)
    forks = drawn(draw, 4000, pairs)
    assert predicted_deviation(forks) == pytest.approx(stdev(median(fork) for fork in forks), rel=0.06)


def test_forks_of_one_pair_predict_nothing() -> None:
    assert predicted_deviation([[0.1], [0.2]]) == 0.0
    assert predicted_deviation([]) == 0.0


def test_forks_that_agree_by_luck_get_the_interval_that_their_pairs_ask_for() -> None:
    alone, floored = student_interval(LUCKY), student_interval(LUCKY, least_deviation=0.032)
    assert alone.high - alone.low < 0.002
    assert (floored.high - floored.low) / 2 == pytest.approx(NormalDist().inv_cdf(0.975) * 0.032 / 2)
    assert floored.estimate == alone.estimate


def test_forks_that_vary_by_more_than_their_pairs_keep_their_own_interval() -> None:
    values = [-0.3, -0.1, -0.25, -0.15]
    assert student_interval(values, least_deviation=0.01) == student_interval(values)


@pytest.mark.parametrize("least", [0.0, 0.01, 0.05, 0.2])
def test_p_values_are_the_duals_of_the_interval(least: float) -> None:
    values = [0.05, 0.09, 0.11, 0.07]
    for alpha in (0.2, 0.05, 0.01, 0.001):
        interval = student_interval(values, 1 - alpha, least)
        assert (p_value(values, least_deviation=least) <= alpha) == (interval.low >= 0 or interval.high <= 0)
        slack = math.log(1.15)
        within = interval.low >= -slack and interval.high <= slack
        assert (equivalence_p_value(values, 0.15, least) <= alpha) == within


def test_words_obey_the_floor() -> None:
    (alone,) = words([Judged([-0.03, -0.0301, -0.0299, -0.03], Better.HIGHER)], 0.05, margin=0.01)
    assert alone.word is Word.SLOWER
    floored = Judged([-0.03, -0.0301, -0.0299, -0.03], Better.HIGHER, least_deviation=0.06)
    (wider,) = words([floored], 0.05, margin=0.01)
    assert (wider.word, wider.direction) == (Word.UNDECIDED, None)


@pytest.mark.parametrize(("between", "least", "most"), [(0.0, 0.005, 0.04), (1.0, 0.02, 0.055)])
def test_alarms_stay_at_or_below_what_is_promised(between: float, least: float, most: float) -> None:
    """Four forks of five pairs, nothing differs: where pairs explain all, the floor makes alarms rarer than 5 of 100; where forks
    vary by more than their pairs, it changes little. Never more than promised."""
    draw = random.Random(20260102)
    rounds, alarms = 4000, 0
    for _ in range(rounds):
        forks = drawn(draw, 4, 5, between)
        values = [median(fork) for fork in forks]
        alarms += p_value(values, least_deviation=predicted_deviation(forks)) <= 0.05
    assert least <= alarms / rounds <= most
