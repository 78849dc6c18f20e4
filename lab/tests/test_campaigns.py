"""Several campaigns of one question: spread, mean and prediction against published values, and by simulation."""

from __future__ import annotations

import math
import random

import pytest
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.campaigns import Found, random_effects

# Colditz and others 1994, "Efficacy of BCG vaccine in the prevention of tuberculosis": cases and others, vaccinated and not.
BCG = (
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600),
    (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
)  # fmt: skip


def risk_ratio(cases: int, others: int, control_cases: int, control_others: int) -> Found:
    treated, control = cases + others, control_cases + control_others
    variance = 1 / cases - 1 / treated + 1 / control_cases - 1 / control
    return Found(math.log(cases / treated) - math.log(control_cases / control), math.sqrt(variance))


def test_the_published_values_of_the_bcg_trials_come_out() -> None:
    found = random_effects([risk_ratio(*trial) for trial in BCG])
    assert found.spread**2 == pytest.approx(0.3088, abs=5e-5)
    assert found.mean.estimate == pytest.approx(-0.7141, abs=5e-5)


def test_campaigns_that_agree_within_their_errors_have_no_spread() -> None:
    found = random_effects([Found(-0.30, 0.02), Found(-0.31, 0.02), Found(-0.29, 0.02)])
    assert found.spread == 0.0
    assert found.mean.estimate == pytest.approx(-0.30)
    assert found.prediction is not None and found.prediction.low <= found.mean.low


def test_campaigns_whose_intervals_exclude_each_other_have_one() -> None:
    found = random_effects([Found(math.log(ratio), 0.008) for ratio in (0.747, 0.816, 0.772)])
    assert 0.03 < found.spread < 0.06
    assert found.prediction is not None
    low, high = math.exp(found.prediction.low), math.exp(found.prediction.high)
    assert low < 0.70 and high > 0.86


def test_two_campaigns_predict_nothing_and_one_is_refused() -> None:
    assert random_effects([Found(0.0, 0.1), Found(0.1, 0.1)]).prediction is None
    with pytest.raises(InsufficientDataError, match="at least 2"):
        random_effects([Found(0.0, 0.1)])
    with pytest.raises(ValueError, match="above 0"):
        random_effects([Found(0.0, 0.0), Found(0.1, 0.1)])


@pytest.mark.parametrize(("count", "spread"), [(3, 0.04), (6, 0.04), (6, 0.02), (10, 0.04)])
def test_intervals_hold_what_they_promise(count: int, spread: float) -> None:
    """The next finding lies within the prediction in 93 to 99 of 100, also where the spread is no larger than the error."""
    draw = random.Random(20260101)
    rounds, predicted = 2000, 0
    for _ in range(rounds):
        found = random_effects([Found(draw.gauss(draw.gauss(0.1, spread), 0.02), 0.02) for _ in range(count)])
        assert found.prediction is not None
        predicted += found.prediction.low <= draw.gauss(draw.gauss(0.1, spread), 0.02) <= found.prediction.high
    assert 0.93 <= predicted / rounds <= 0.99


def test_the_means_interval_holds_the_truth_as_often_as_it_says() -> None:
    draw = random.Random(20260102)
    rounds, covered = 2000, 0
    for _ in range(rounds):
        found = random_effects([Found(draw.gauss(draw.gauss(0.1, 0.04), 0.02), 0.02) for _ in range(6)])
        covered += found.mean.low <= 0.1 <= found.mean.high
    assert 0.93 <= covered / rounds <= 0.97
