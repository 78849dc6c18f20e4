"""Redraws under the stopping rule, against the rule itself, closed-form values and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.interval import student_interval
from steelyard.statistics.looks import LOOKS, alpha_of
from steelyard.statistics.redraws import (
    BLOCK,
    Conclusion,
    clopper_pearson,
    disjoint_comparisons,
    fewest_compatible,
    judge_at_looks,
    lag_1_correlation,
    lag_1_p_value,
    redrawn,
    swap_labels,
)
from steelyard.statistics.verdict_words import Better, Judged, Word, words

WORDS = {
    Word.UNDECIDED: Conclusion.UNDECIDED,
    Word.EQUIVALENT: Conclusion.EQUIVALENT,
    Word.FASTER: Conclusion.ABOVE,
    Word.SLOWER: Conclusion.BELOW,
}


def forks(comparisons: int, deviation: float, effect: float = 0.0, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(effect, deviation, (comparisons, LOOKS[-1]))


@pytest.mark.parametrize("deviation", [0.005, 0.013, 0.02, 0.05])
def test_many_comparisons_end_as_each_alone_would(deviation: float) -> None:
    alpha = alpha_of(LOOKS)
    values = forks(60, deviation, effect=0.012)
    together = judge_at_looks(values)
    for place, row in enumerate(values):
        for look in LOOKS:
            (given,) = words([Judged(list(row[:look]), Better.HIGHER)], alpha)
            word = given.word
            if word is not Word.UNDECIDED or look == LOOKS[-1]:
                break
        interval = student_interval(list(row[:look]), 1 - alpha)
        assert (together.forks[place], together.decision[place]) == (look, WORDS[word])
        assert (together.low[place], together.high[place]) == pytest.approx((interval.low, interval.high))
        assert together.alarms[place] == (interval.low > 0 or interval.high < 0)


@pytest.mark.parametrize("least", [0.005, 0.02, 0.06])
def test_many_comparisons_with_floors_and_lost_forks_end_as_each_alone_would(least: float) -> None:
    alpha, draw = alpha_of(LOOKS), np.random.default_rng(6)
    values = forks(60, 0.02, effect=0.03, seed=7)
    values[draw.random(values.shape) < 0.2] = np.nan
    scatter = (least * draw.uniform(0.5, 1.5, values.shape)) ** 2
    together = judge_at_looks(values, scatter=scatter)
    widened = 0
    for place, row in enumerate(values):
        for look in LOOKS:
            kept = [n for n in range(look) if not math.isnan(row[n])]
            floor = math.sqrt(np.mean([scatter[place, n] for n in kept])) if kept else 0.0
            word = Word.UNDECIDED
            if len(kept) >= LOOKS[0]:
                (given,) = words([Judged([row[n] for n in kept], Better.HIGHER, floor)], alpha)
                word = given.word
            if word is not Word.UNDECIDED or look == LOOKS[-1]:
                break
        interval = student_interval([row[n] for n in kept], 1 - alpha, floor)
        assert (together.forks[place], together.decision[place]) == (look, WORDS[word])
        assert (together.low[place], together.high[place]) == pytest.approx((interval.low, interval.high))
        widened += interval != student_interval([row[n] for n in kept], 1 - alpha)
    assert (widened > 40) == (least > 0.05)


def test_a_floor_makes_alarms_rarer_where_pairs_explain_all_and_never_more_frequent() -> None:
    values = forks(20_000, 0.02)
    without, floored = (
        judge_at_looks(values).alarms,
        judge_at_looks(values, scatter=np.full(values.shape, 0.02**2)).alarms,
    )
    assert floored.mean() < 0.6 * without.mean()


def test_where_most_forks_are_lost_nothing_is_decided() -> None:
    values = forks(50, 0.001, effect=0.2)
    values[:, 3:] = np.nan
    found = judge_at_looks(values)
    assert set(found.decision) == {Conclusion.UNDECIDED} and not found.alarms.any() and set(found.forks) == {LOOKS[-1]}


@pytest.mark.parametrize("deviation", [0.008, 0.018, 0.04, 0.2])
def test_equal_subjects_raise_no_more_than_five_alarms_of_a_hundred(deviation: float) -> None:
    rate = float(np.mean(judge_at_looks(forks(20_000, deviation)).alarms))
    assert rate <= 0.053
    if deviation >= 0.2:  # nothing is equivalent then, so every look is used
        assert rate >= 0.047


def test_forks_that_follow_each_other_too_closely_raise_more_alarms_and_are_seen() -> None:
    draw = np.random.default_rng(3)
    noise = draw.normal(0, 0.02, (5_000, LOOKS[-1]))
    for place in range(1, LOOKS[-1]):
        noise[:, place] += 0.7 * noise[:, place - 1]
    assert np.mean(judge_at_looks(noise).alarms) > 0.12
    long = [0.0]
    for step in draw.normal(0, 0.02, 400):
        long.append(0.7 * long[-1] + step)
    assert lag_1_correlation(long) == pytest.approx(0.7, abs=0.1)


def test_swapped_labels_leave_no_difference_and_redraws_stay_within_the_bank() -> None:
    draw = np.random.default_rng(4)
    bank = draw.normal(0.05, 0.01, 60)
    places, blocks = redrawn([1] * len(bank), 10_000, draw)
    assert places.shape == (10_000, LOOKS[-1]) and places.min() == 0 and places.max() == 59
    values = swap_labels(bank[places], blocks, draw)
    assert np.mean(values) == pytest.approx(0, abs=0.001)
    assert np.allclose(np.sort(np.unique(np.abs(values))), np.sort(np.abs(bank)))


def test_a_redraw_keeps_neighbours_together_within_their_sitting() -> None:
    sittings = [1] * 3 + [2] * 20 + [3] * 7
    places, blocks = redrawn(sittings, 2_000, np.random.default_rng(8))
    first = np.flatnonzero([place == 0 or sittings[place] != sittings[place - 1] for place in range(30)])
    after = {place: place + 1 for place in range(29)} | dict(zip((2, 22, 29), first, strict=True))
    for column in range(1, LOOKS[-1]):
        if blocks[0, column] == blocks[0, column - 1]:
            assert [after[place] for place in places[:, column - 1]] == list(places[:, column])
    assert list(blocks[0]) == [column // BLOCK for column in range(LOOKS[-1])]
    assert np.bincount(places[:, 0], minlength=30).min() > 30, "every fork begins blocks"


def test_labels_are_swapped_by_blocks_so_that_neighbours_stay_alike() -> None:
    draw = np.random.default_rng(9)
    bank = np.repeat(draw.normal(0.05, 0.001, 15), 4)
    places, blocks = redrawn([1] * 60, 2_000, draw)
    values = swap_labels(bank[places], blocks, draw)
    assert np.all(np.ptp(np.sign(values[:, :BLOCK]), axis=1) == 0)
    assert 0.4 < np.mean(values[:, 0] > 0) < 0.6


def test_forks_that_resemble_their_neighbours_raise_more_alarms_where_redraws_keep_them_together() -> None:
    draw = np.random.default_rng(10)
    bank = list(draw.normal(0, 0.02, 400))
    for place in range(1, 400):
        bank[place] += 0.8 * bank[place - 1]

    def alarms(block: int) -> float:
        places, blocks = redrawn([1] * 400, 10_000, np.random.default_rng(11), block=block)
        return float(np.mean(judge_at_looks(swap_labels(np.asarray(bank)[places], blocks, draw), margin=1e-9).alarms))

    assert alarms(BLOCK) > 1.5 * alarms(1)


def test_dependence_is_judged_by_permutation() -> None:
    draw = np.random.default_rng(12)
    alike = list(draw.normal(0, 1, 60))
    for place in range(1, 60):
        alike[place] += 0.6 * alike[place - 1]
    assert lag_1_p_value(alike) < 0.01
    free = [lag_1_p_value(list(draw.normal(0, 1, 20))) for _ in range(100)]
    assert 1 <= sum(p <= 0.05 for p in free) <= 12
    assert lag_1_p_value([1.0] * 5) == 1.0


@pytest.mark.parametrize(("total", "fewest"), [(3, 2), (19, 16), (200, 184)])
def test_the_fewest_that_a_share_is_compatible_with(total: int, fewest: int) -> None:
    assert fewest_compatible(total, 0.95) == fewest
    assert clopper_pearson(fewest, total).high >= 0.95 > clopper_pearson(fewest - 1, total).high


def test_redraws_of_a_large_bank_find_a_difference_as_often_as_fresh_forks_do() -> None:
    draw = np.random.default_rng(5)
    bank = draw.normal(0.05, 0.02, 2_000)
    seen = judge_at_looks(bank[redrawn([1] * len(bank), 10_000, draw)[0]])
    fresh = judge_at_looks(forks(10_000, 0.02, effect=0.05, seed=6))
    for word in (Conclusion.ABOVE, Conclusion.BELOW, Conclusion.EQUIVALENT):
        assert np.mean(seen.decision == word) == pytest.approx(np.mean(fresh.decision == word), abs=0.03)


def test_disjoint_comparisons_follow_each_other_and_what_is_left_over_is_none() -> None:
    found = disjoint_comparisons([0.1, 0.11, 0.1, 0.11, 0.001, -0.001, 0.0, 0.002, 0.3, -0.3, 0.1, 0.0, 0.2])
    assert [(one.forks, one.alarm, one.decision) for one in found] == [
        (4, True, Conclusion.ABOVE),
        (4, False, Conclusion.EQUIVALENT),
    ]
    undecided = [0.3, -0.3, 0.1, 0.0] * 3
    assert [one.forks for one in disjoint_comparisons(undecided)] == [12]


def test_clopper_pearson_is_the_binomial_turned_round() -> None:
    found = clopper_pearson(7, 40)
    assert binom.sf(6, 40, found.low) == pytest.approx(0.025)
    assert binom.cdf(7, 40, found.high) == pytest.approx(0.025)
    none = clopper_pearson(0, 10)
    assert (none.low, none.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 10)))
    assert clopper_pearson(10, 10).high == 1.0


def test_values_that_take_turns_are_correlated_against_each_other() -> None:
    assert lag_1_correlation([1.0, -1.0] * 50) == pytest.approx(-0.99)
    draw = np.random.default_rng(8)
    outside = [abs(lag_1_correlation(list(draw.normal(size=60)))) > 2 / math.sqrt(60) for _ in range(2_000)]
    assert np.mean(outside) == pytest.approx(0.045, abs=0.02)


def test_too_little_to_judge_is_said() -> None:
    with pytest.raises(InsufficientDataError):
        judge_at_looks(np.zeros((3, 4)))
    with pytest.raises(InsufficientDataError):
        redrawn([1], 10, np.random.default_rng(1))
    with pytest.raises(InsufficientDataError):
        clopper_pearson(3, 2)
