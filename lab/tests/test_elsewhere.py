"""What another session would find: known answers, coverage by simulation, and the prior between sessions that kept answers give."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import pytest
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.campaigns import Found, between, pooled_spread
from steelyard.statistics.elsewhere import predicted_elsewhere


def test_one_session_predicts_another_from_the_prior_and_twice_its_own_error() -> None:
    """By hand: 1.96 times the root of 2 (0.03^2 + 0.004^2) where the error has a million degrees of freedom."""
    predicted = predicted_elsewhere([Found(math.log(0.62), 0.004)], 10**6, 0.03)
    half = 1.959964 * math.sqrt(2 * (0.03**2 + 0.004**2))
    assert predicted.high - math.log(0.62) == pytest.approx(half, rel=1e-6)
    assert math.log(0.62) - predicted.low == pytest.approx(half, rel=1e-6)


def test_an_error_of_few_forks_has_the_freedom_of_satterthwaite() -> None:
    """By hand: equal parts of a known variance and of one with 3 degrees of freedom have (2 v)^2 / (v^2 / 3) = 12."""
    predicted = predicted_elsewhere([Found(0.0, 0.03)], 3, 0.03)
    assert predicted.high == pytest.approx(2.178813 * math.sqrt(4 * 0.03**2), rel=1e-6)  # Student's t, 12 degrees


def test_two_sessions_are_weighed_by_their_errors_and_predict_more_closely_than_one() -> None:
    one, two = Found(0.10, 0.01), Found(0.20, 0.04)
    predicted = predicted_elsewhere([one, two], 10**7, 0.03)
    weights = 1 / (0.03**2 + 0.01**2), 1 / (0.03**2 + 0.04**2)
    assert predicted.estimate == pytest.approx((weights[0] * 0.10 + weights[1] * 0.20) / sum(weights))
    variance = 0.03**2 + 1 / sum(weights) + 0.025**2  # of the next session, of the mean, of the median error
    assert predicted.high - predicted.estimate == pytest.approx(1.959964 * math.sqrt(variance), rel=1e-6)


@pytest.mark.parametrize(
    ("deviation", "error", "forks"), [(0.03, 0.01, 4), (0.09, 0.01, 4), (0.03, 0.03, 4), (0.01, 0.03, 6)]
)
def test_it_holds_another_sessions_ratio_in_95_of_100_where_the_prior_is_right(
    deviation: float, error: float, forks: int
) -> None:
    draw = random.Random(20261127)

    def session() -> tuple[float, float]:
        """What a session finds with its standard error, of forks about a truth of its own."""
        truth = draw.gauss(0.2, deviation)
        values = [draw.gauss(truth, error * math.sqrt(forks)) for _ in range(forks)]
        mean = math.fsum(values) / forks
        return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (forks - 1) / forks)

    rounds, held = 4000, 0
    for _ in range(rounds):
        found, own = session()
        predicted = predicted_elsewhere([Found(found, own)], forks - 1, deviation)
        held += predicted.low <= session()[0] <= predicted.high
    assert 0.935 <= held / rounds <= 0.97


def test_counting_the_deviation_once_would_hold_83_of_100() -> None:
    """Why it counts twice: this session's ratio varies about the common mean as the next one's does."""
    draw = random.Random(20261128)
    rounds, held = 4000, 0
    half = NormalDist().inv_cdf(0.975) * 0.03
    for _ in range(rounds):
        held += abs(draw.gauss(0.0, 0.03) - draw.gauss(0.0, 0.03)) <= half
    assert 0.80 <= held / rounds <= 0.87


def test_what_cannot_be_predicted_is_refused() -> None:
    with pytest.raises(InsufficientDataError, match="without a session"):
        predicted_elsewhere([], 3, 0.03)
    for session, freedom, deviation in (
        (Found(0.0, 0.0), 3, 0.03),
        (Found(0.0, 0.1), 0, 0.03),
        (Found(0.0, 0.1), 3, 0.0),
    ):
        with pytest.raises(ValueError, match="above 0"):
            predicted_elsewhere([session], freedom, deviation)


def test_the_pooled_spread_of_one_question_is_that_of_its_campaigns() -> None:
    campaigns = [Found(math.log(ratio), 0.008) for ratio in (0.747, 0.816, 0.772)]
    assert pooled_spread([campaigns]) == pytest.approx(between(campaigns).spread)
    assert pooled_spread([campaigns, [Found(3.0, 0.1)]]) == pytest.approx(between(campaigns).spread)


def test_the_pooled_spread_finds_the_deviation_that_questions_share() -> None:
    draw = random.Random(20261129)
    questions = []
    for place in range(300):
        questions.append([Found(draw.gauss(draw.gauss(place, 0.03), 0.01), 0.01) for _ in range(3)])
    assert pooled_spread(questions) == pytest.approx(0.03, rel=0.08)


def test_questions_that_agree_within_their_errors_have_no_spread_and_none_asked_twice_is_refused() -> None:
    assert pooled_spread([[Found(0.1, 0.02), Found(0.101, 0.02)]]) == 0.0
    with pytest.raises(InsufficientDataError, match="two campaigns"):
        pooled_spread([[Found(0.1, 0.02)]])
