"""The prediction for another session: known answers, coverage by simulation, and the prior from kept sessions."""

from __future__ import annotations

import math
import random
from pathlib import Path
from statistics import NormalDist

import pytest
from steelyard.analyse.analysis import analyse
from steelyard.analyse.elsewhere import holds, kind_of_pair, priors
from steelyard.base.errors import InsufficientDataError
from steelyard.commands import gate
from steelyard.models.verdict import Comparison, Verdicts
from steelyard.statistics.campaigns import Found, pooled_spread, random_effects
from steelyard.statistics.elsewhere import prediction_interval
from steelyard.statistics.verdict_words import Word
from synthetic import Planted, write_run


def test_one_session_predicts_another_from_the_prior_and_twice_its_own_error() -> None:
    """By hand: 1.96 times the root of 2 (0.03^2 + 0.004^2) where the error has a million degrees of freedom."""
    predicted = prediction_interval([Found(math.log(0.62), 0.004)], 10**6, 0.03)
    half = 1.959964 * math.sqrt(2 * (0.03**2 + 0.004**2))
    assert predicted.high - math.log(0.62) == pytest.approx(half, rel=1e-6)
    assert math.log(0.62) - predicted.low == pytest.approx(half, rel=1e-6)


def test_an_error_of_few_forks_has_the_freedom_of_satterthwaite() -> None:
    """By hand: equal parts of a known variance and of one with 3 degrees of freedom have (2 v)^2 / (v^2 / 3) = 12."""
    predicted = prediction_interval([Found(0.0, 0.03)], 3, 0.03)
    assert predicted.high == pytest.approx(2.178813 * math.sqrt(4 * 0.03**2), rel=1e-6)  # Student's t, 12 degrees


def test_two_sessions_are_weighed_by_their_errors_and_predict_more_closely_than_one() -> None:
    one, two = Found(0.10, 0.01), Found(0.20, 0.04)
    predicted = prediction_interval([one, two], 10**7, 0.03)
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
        predicted = prediction_interval([Found(found, own)], forks - 1, deviation)
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
    with pytest.raises(InsufficientDataError, match="at least one session"):
        prediction_interval([], 3, 0.03)
    for session, freedom, deviation in (
        (Found(0.0, 0.0), 3, 0.03),
        (Found(0.0, 0.1), 0, 0.03),
        (Found(0.0, 0.1), 3, 0.0),
    ):
        with pytest.raises(ValueError, match="above 0"):
            prediction_interval([session], freedom, deviation)


def test_the_pooled_spread_of_one_question_is_that_of_its_campaigns() -> None:
    campaigns = [Found(math.log(ratio), 0.008) for ratio in (0.747, 0.816, 0.772)]
    assert pooled_spread([campaigns]) == pytest.approx(random_effects(campaigns).spread)
    assert pooled_spread([campaigns, [Found(3.0, 0.1)]]) == pytest.approx(random_effects(campaigns).spread)


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


def test_every_kind_of_pair_has_a_prior_and_none_is_known_from_fewer_than_eight_degrees_of_freedom() -> None:
    assert {prior.name for prior in priors().kinds} == {"one-server", "one-runtime", "two-runtimes"}
    for prior in priors().kinds:
        for deviation in (prior.like_machines, prior.any_machines):
            assert deviation.assumed == (deviation.freedom < 8)
        assert prior.like_machines.used <= prior.any_machines.used


def test_the_kind_of_a_pair_is_read_off_its_servers_and_what_they_run_on() -> None:
    metro, cxf = {"server": "tomcat-metro", "jdk": "25"}, {"server": "tomcat-cxf", "jdk": "25"}
    go, gsoap = {"server": "go", "jdk": None}, {"server": "gsoap", "jdk": None}
    subjects = {"metro": [metro], "metro@heap=1g": [metro], "cxf": [cxf], "go": [go], "gsoap": [gsoap]}
    environment = {"subjects": subjects}
    assert kind_of_pair(environment, "metro", "metro@heap=1g") == "one-server"
    assert kind_of_pair(environment, "metro", "cxf") == kind_of_pair(environment, "go", "gsoap") == "one-runtime"
    assert kind_of_pair(environment, "go", "metro") == "two-runtimes"
    assert kind_of_pair({}, "go", "metro") == kind_of_pair({"subjects": {"go": "?"}}, "go", "metro") == "two-runtimes"


@pytest.mark.parametrize(
    ("word", "interval", "held"),
    [
        (Word.SLOWER, (0.57, 0.69), True),
        (Word.SLOWER, (0.91, 1.02), False),
        (Word.FASTER, (1.01, 1.20), True),
        (Word.EQUIVALENT, (0.98, 1.02), True),
        (Word.EQUIVALENT, (0.92, 1.08), False),
        (Word.UNDECIDED, (0.92, 1.08), None),
        (None, (0.57, 0.69), None),
    ],
)
def test_a_word_holds_elsewhere_where_the_interval_expected_there_gives_it_too(
    word: Word | None, interval: tuple[float, float], held: bool | None
) -> None:
    assert holds(word, interval, 0.03) is held
    assert holds(word, None, 0.03) is None


def test_a_small_difference_is_slower_here_and_not_expected_elsewhere_and_check_judges_it_by_its_word(
    tmp_path: Path,
) -> None:
    rates = {"tomcat-metro": 9_300.0, "go": 10_000.0}
    verdicts = analyse(write_run(tmp_path / "run", Planted(rates=rates, fork_deviation=0.004)))
    (found,) = [one for one in verdicts.comparisons if one.primary]
    assert (found.verdict, found.holds_elsewhere) == ("slower", False)
    assert " times the throughput, on this machine, at this hour (95% interval" in verdicts.sentence
    assert gate.report_of(verdicts, 0.05).answer is gate.Gate.REGRESSION
    assert all(one.elsewhere is None and one.holds_elsewhere is None for one in verdicts.comparisons if not one.primary)


def test_of_a_measure_without_a_prior_nothing_is_expected_elsewhere(tmp_path: Path) -> None:
    verdicts = analyse(write_run(tmp_path / "run", Planted(judged_by="cpu_per_request")))
    (found,) = [one for one in verdicts.comparisons if one.primary]
    assert found.verdict is not None and found.elsewhere is None and found.holds_elsewhere is None
    assert verdicts.sentence.count("on this machine, at this hour") == 1 and "expected" not in verdicts.sentence


def test_comparisons_of_older_runs_are_read_without_what_is_expected_elsewhere(tmp_path: Path) -> None:
    verdicts = analyse(write_run(tmp_path / "run", Planted()))
    older = verdicts.model_dump(mode="json")
    for comparison in older["comparisons"]:
        del comparison["elsewhere"], comparison["holds_elsewhere"]
    read = Verdicts.model_validate(older)
    assert all(isinstance(one, Comparison) and one.holds_elsewhere is None for one in read.comparisons)
