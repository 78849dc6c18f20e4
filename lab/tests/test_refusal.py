"""Refusal under overload: where it begins and how much is refused; a stray failure is none, and none is a result."""

from __future__ import annotations

import numpy as np
import pytest
from steelyard.base.errors import InsufficientDataError
from steelyard.statistics.refusal import Refusal, overload_sentence, refusal, refusals, share

USERS = np.repeat(np.arange(1, 31), 4)


def ramp(seed: int, onset: int | None, refused: float = 0.1, stray: float = 0.0005) -> Refusal:
    """One to 30 users, four seconds each, about 60 requests a second; `refused` of them fail from `onset` users on."""
    draw = np.random.default_rng(seed)
    requests = draw.poisson(60, len(USERS))
    chance = np.where((onset <= USERS) if onset else np.zeros(len(USERS), bool), refused, stray)
    failed = draw.binomial(requests, chance)
    right = requests - failed
    return refusal(USERS, right, {"reset": failed, "timeout": np.zeros(len(USERS))}, right * USERS / 60)


def test_an_exact_interval_is_the_textbooks() -> None:
    """Clopper and Pearson 1934: 3 of 10 lie between 6.7% and 65.2%; none of 100 under 3.6%, all of 100 above 96.4%."""
    three = share(3, 10)
    assert (three.low, three.high) == pytest.approx((0.0667, 0.6525), abs=1e-4)
    assert share(0, 100).low == 0 and share(0, 100).high == pytest.approx(0.0362, abs=1e-4)
    assert share(100, 100).high == 1 and share(100, 100).low == pytest.approx(0.9638, abs=1e-4)
    with pytest.raises(InsufficientDataError):
        share(0, 0)


def test_an_exact_interval_covers_at_least_as_often_as_it_says() -> None:
    failed = np.random.default_rng(5).binomial(500, 0.02, 1000)
    bounds = [share(int(count), 500) for count in failed]
    assert sum(one.low <= 0.02 <= one.high for one in bounds) >= 940


def test_refusal_from_24_users_on_is_found_there_with_share_and_kind() -> None:
    found = refusals([ramp(seed, 24) for seed in range(4)])
    assert found.earliest_users is not None and found.latest_users is not None
    assert 24 <= found.earliest_users <= found.latest_users <= 26
    assert found.low < 0.1 < found.high and set(found.kinds) == {"reset"}
    assert found.refusing == found.forks == 4


def test_stray_failures_are_no_refusal_and_none_up_to_n_users_is_a_result() -> None:
    found = refusals([ramp(seed, None) for seed in range(4)])
    assert found.earliest_users is None and found.most_users == 30 and found.share < 0.01
    assert (
        found.clause("wildfly")
        == "wildfly answers nearly all requests up to 30 users but takes 30.0 times as long as with the fewest"
    )


def test_simulated_ramps_raise_no_alarm_and_miss_no_refusal() -> None:
    alarms = sum(ramp(seed, None).onset_users is not None for seed in range(200))
    onsets = [ramp(seed, 24).onset_users for seed in range(200)]
    assert alarms == 0
    assert all(onset is not None and onset >= 24 for onset in onsets)
    assert sum((onset or 99) <= 26 for onset in onsets) >= 190


def test_one_bad_second_in_a_ramp_is_no_refusal() -> None:
    failed = np.zeros(len(USERS))
    failed[20] = 30
    found = refusal(USERS, np.full(len(USERS), 60), {"timeout": failed}, np.ones(len(USERS)))
    assert found.onset_users is None and found.kinds == {"timeout": 30}


def test_the_theses_182_errors_of_test_9_are_a_refusal_and_its_6_of_test_12_are_none() -> None:
    """Rates and errors of tables 4.12 and 4.15: Tomcat with 25 threads over 180 s, and with 35 over 130 s of bursts."""
    many = refusal(np.full(180, 25), np.full(180, 65), {"missing": np.eye(180)[0] * 182}, np.ones(180))
    few = refusal(np.full(130, 35), np.full(130, 56), {"missing": np.eye(130)[0] * 6}, np.ones(130))
    assert many.onset_users == 25 and many.share.value == pytest.approx(0.0153, abs=1e-4)
    assert few.onset_users is None


def test_a_server_that_refuses_everything_is_said_so_without_a_slow_down() -> None:
    found = refusal([1, 1, 2], [0, 0, 0], {"refused": [5, 6, 9]}, [0, 0, 0])
    assert found.onset_users == 1 and found.share.value == 1 and found.slow_down is None
    assert refusals([found]).clause("go") == "go refuses from 1 user on (100.0% of requests: refused)"


def test_forks_that_differ_give_a_span_and_their_count() -> None:
    found = refusals([ramp(1, 20), ramp(2, 24), ramp(3, 24), ramp(4, None)])
    assert (found.refusing, found.forks) == (3, 4)
    assert "to 2" in found.clause("tomcat") and "in 3 of 4 forks" in found.clause("tomcat")
    assert "4 forks" in found.sentence("tomcat")


def test_all_servers_are_told_in_one_sentence_the_earliest_refusal_first() -> None:
    calm = refusals([refusal([1, 10], [100, 100], {}, [1, 4])])
    said = overload_sentence({"wildfly": calm, "tomcat": refusals([ramp(1, 24)])})
    assert said.startswith("tomcat refuses from 2")
    assert said.endswith(
        "reset); wildfly answers all requests up to 10 users but takes 4.0 times as long as with the fewest."
    )


def test_nothing_requested_is_refused_as_data() -> None:
    with pytest.raises(InsufficientDataError, match="at least one second"):
        refusal([0, 5], [0, 0], {}, [0, 0])
    with pytest.raises(InsufficientDataError, match="at least one fork"):
        refusals([])
