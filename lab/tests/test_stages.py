"""Loads in stages of users or of a rate: what is typed, what the engine is asked for, and what a server sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import steelyard
from own_service import serving
from steelyard.base.errors import ConfigurationError
from steelyard.models.job import Rate, UserStages
from steelyard.plan import shapes
from steelyard.workload.load_spec import LoadSpec, with_stages
from steelyard.workload.planned_load import load_text, stretch_of

ALONE = {"read": 1.0}


def test_stages_of_users_climb_hold_and_fall() -> None:
    spec = with_stages(LoadSpec(), "0..50/30s, 50/5m,50..0/500ms")
    assert isinstance(spec.shape, UserStages)
    found = [(stage.from_users, stage.to_users, stage.seconds) for stage in spec.shape.stages]
    assert found == [(0, 50, 30.0), (50, 50, 300.0), (50, 0, 0.5)]
    stretch = stretch_of(spec, ALONE, None)
    assert shapes.seconds_of(stretch.profile) == 330.5 and shapes.most_users(stretch.profile) == 50
    assert load_text(spec, stretch) == "stages of 0 to 50 users for 330.5 s"


def test_stages_of_a_rate_are_requests_per_second_whatever_the_unit() -> None:
    spec = with_stages(LoadSpec(poisson=True), "60..1200/m/30s,20/s/1m")
    assert isinstance(spec.shape, Rate) and spec.shape.arrivals == "poisson"
    found = [(stage.from_rate, stage.to_rate, stage.seconds) for stage in spec.shape.stages]
    assert found == [(1.0, 20.0, 30.0), (20.0, 20.0, 60.0)]
    text = load_text(spec, stretch_of(spec, ALONE, None))
    assert text == "1 to 20 requests/s, in 2 stages, at random (Poisson), for 90 s"


@pytest.mark.parametrize("words", ["", "50", "50/5", "a..b/3s", "0..50/30s,,50/1m", "5/s/10", "-1..5/3s", "1...5/3s"])
def test_what_is_no_stage_is_named(words: str) -> None:
    with pytest.raises(ConfigurationError, match="is not a stage"):
        with_stages(LoadSpec(), words)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("50/30s,200/s/30s", "not both"),
        ("0/30s", "no users"),
        ("0..100001/30s", "100000"),
        ("1.5/30s", "whole number"),
        ("1/s/0s", "is not a time"),
    ],
)
def test_stages_that_cannot_be_driven_are_refused(words: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        with_stages(LoadSpec(), words)


def test_a_load_in_stages_has_its_users_at_each_time(tmp_path: Path) -> None:
    with serving(0.002) as address:
        words = ["--stages", "1..3/1500ms,3/1s,1/1s", "--json", "--out", "runs"]
        ran = steelyard("load", address, *words, folder=tmp_path, environment={"STEELYARD_STRANGERS": "yes"})
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert outcome["load"] == "stages of 1 to 3 users for 3.5 s" and outcome["failed"] == 0
    users = [row["users"] for row in outcome["by_users"]]
    assert users[0][0] == 1 and users[-1][1] == 3
    assert "stages" in (tmp_path / outcome["run"] / "report.html").read_text()


def test_stages_exclude_what_they_replace(tmp_path: Path) -> None:
    ran = steelyard("load", "http://127.0.0.1:9/", "--stages", "1/1s", "--users", "4", folder=tmp_path)
    assert ran.code == 64 and "--stages has the users or rates" in ran.err
