"""Answers too slow for turns: two servers with exactly known throughput, measured in stretches."""

from __future__ import annotations

import json

import pytest
from conftest import Lab

PROCESSOR = {
    "a": 10_000,
    "b": 55_000,
}  # us of one processor for each request, on one processor: 0.2 and 1.1 s of response time
DELAY = {"a": 200_000, "b": 1_100_000}  # us until each answer, any number of them at once


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize(("word", "microseconds"), [("spend", PROCESSOR), ("delay", DELAY)])
def test_the_ratio_of_slow_answers_is_true_within_two_percent(
    lab: Lab, word: str, microseconds: dict[str, int]
) -> None:
    found = lab.compare_two(word, microseconds, "--users", "20", name=word, pairs=4, slice_seconds=2)
    assert found["verdict"] == "slower" and found["forks"] == 4
    assert found["ratio"] == pytest.approx(microseconds["a"] / microseconds["b"], rel=0.02)
    assert not any("by processor time" in why for why in found["why_not"])


@pytest.mark.alone
@pytest.mark.long  # in short: lab/tests/test_main_job.py, with a played engine
def test_a_budget_that_cannot_hold_the_stretches_says_so_and_gives_no_word_on_throughput(lab: Lab) -> None:
    slow = {"a": 150_000, "b": 400_000}
    subjects = [{"label": label, "server": "odd", "delay": str(each)} for label, each in slow.items()]
    study = lab.study(subjects, name="short", forks=4, pairs=3, slice_seconds=0.5, warm_up=2)
    ran = lab.run("run", study, "--users", "4", "--json", "--budget", "100s")
    assert ran.code == 2, ran.err
    assert "throughput needs about" in ran.err and "so there will be no verdict on it" in ran.err
    found = ran.json()
    primary = next(one for one in found["comparisons"] if one["primary"])
    assert primary["verdict"] in ("too few forks", None) and primary["forks"] == 0
    assert "answers per user, but throughput needs 50" in " ".join(primary["why_not"])
    mean = next(one for one in found["comparisons"] if one["measure"] == "response_time_mean")
    assert mean["forks"] > 0, "what does not hang on throughput has its figures"
    record = json.loads((lab.runs()[-1] / "trials" / "01" / "trial.json").read_text())
    (plan,) = record["stretches"]
    assert plan["fits"] is False and plan["response_s"] >= 0.4
