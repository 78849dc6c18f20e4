"""Stretches: the measurement of slow answers, its cost, and the required minimum."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import analyse
from steelyard.measure.trial.jobs import Answering, cycle_ns
from steelyard.measure.trial.stretches import TrialStretches, expected_answering
from steelyard.models.job import BigBang, Rate, Stage
from steelyard.models.records import Cell, PlannedStretches, Schedule, SlicePlan, TrialPlan
from steelyard.models.verdict import Comparison, Verdicts
from steelyard.plan.stretches import (
    FORK_ANSWERS,
    HEADROOM,
    SETTLE_SECONDS,
    STRETCH_ANSWERS,
    cost_text,
    lengthen_stretches,
    may_be_stretched,
    pair_seconds,
    plan_stretches,
    stretch_of,
)
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
CELL = Cell(name="echo", mix={"echo": 1.0}, users=20, profile=BigBang(users=20, seconds=2), primary=True)
TRIAL = TrialPlan(number=1, seed=7, start_order=[A, B])


def schedule(pairs: int = 4, **more: Any) -> Schedule:
    known: dict[str, Any] = {
        "study": "s", "service": "s", "seed": 1, "design": "alternating", "subjects": [A, B], "reference": B,
        "cells": [CELL], "trials": [TRIAL], "pairs_per_cell": pairs, "slice_seconds": 2.0, "turn_ms": 150.0,
        "warm_up_limit_seconds": 60.0, "parameters": {},
    }  # fmt: skip
    return Schedule.model_validate(known | more)


@pytest.mark.parametrize("pairs", [1, 3, 4, 38])
@pytest.mark.parametrize("response_s", [0.001, 0.05, 0.2, 1.1, 8.0])
def test_each_stretch_holds_ten_response_times_and_a_fork_fifty(pairs: int, response_s: float) -> None:
    plan = plan_stretches(schedule(pairs), CELL, 2, response_s)
    assert plan.fits and 1 <= plan.pairs <= pairs
    assert plan.seconds >= max(2.0, HEADROOM * STRETCH_ANSWERS * response_s)
    assert plan.pairs * plan.seconds >= HEADROOM * FORK_ANSWERS * response_s


def test_quick_answers_cost_no_more_than_the_schedules_own_slices() -> None:
    plan = plan_stretches(schedule(38), CELL, 2, 0.01)
    assert (plan.pairs, plan.seconds) == (38, 2.0)


def test_many_pairs_of_slow_answers_are_fewer_and_longer_with_as_much_load() -> None:
    plan = plan_stretches(schedule(38), CELL, 2, 1.1)
    assert plan.pairs < 7
    assert 66.0 <= plan.pairs * plan.seconds <= 80.0


def test_users_start_over_one_response_time_and_the_lead_in_is_two_and_a_part_drawn_by_the_seed() -> None:
    plan = plan_stretches(schedule(), CELL, 2, 1.0)
    drawn = [stretch_of(plan, str(seed)) for seed in range(200)]
    assert {one.spread_ms for one in drawn} == {1000.0}
    lead_ins = [one.lead_in_ms for one in drawn]
    assert 2000 <= min(lead_ins) < 2100 and 2900 < max(lead_ins) <= 3000
    assert stretch_of(plan, "3") == drawn[3]


def test_a_budget_that_holds_fewer_stretches_gets_the_fewest_that_hold_enough() -> None:
    whole = plan_stretches(schedule(38), CELL, 2, 1.1)
    tight = plan_stretches(schedule(38), CELL, 2, 1.1, within=whole.pairs * pair_seconds(whole.seconds, 1.1, 2) - 1)
    assert tight.fits and tight.pairs == 3


def test_a_budget_that_holds_too_little_is_said_with_what_it_would_take() -> None:
    plan = plan_stretches(schedule(), CELL, 2, 1.1, within=60.0)
    assert not plan.fits and plan.pairs * pair_seconds(plan.seconds, 1.1, 2) <= 60.5
    said = cost_text(plan, CELL, 2)
    assert "throughput needs about 2 min" in said and said.endswith("so there will be no verdict on it")
    enough = plan_stretches(schedule(), CELL, 2, 1.1, within=200.0)
    assert enough.fits and "each subject has 4 stretches of 16 s, 2 min 45 s per fork" in cost_text(enough, CELL, 2)


def test_stretches_to_come_grow_where_answers_turn_out_slower() -> None:
    plan = plan_stretches(schedule(), CELL, 2, 0.5)
    assert lengthen_stretches(plan, 0.55, [plan.seconds], 2) == plan, "the headroom is for that"
    longer = lengthen_stretches(plan, 2.0, [plan.seconds], 2)
    assert longer.fits and 3 * longer.seconds >= HEADROOM * FORK_ANSWERS * 2.0
    assert lengthen_stretches(plan, 2.0, [plan.seconds] * plan.pairs, 2) == plan, "none is left"


@pytest.mark.parametrize("within", [None, 60.0])
@pytest.mark.parametrize("slower", [1.19, 1.4, 3.0])
def test_stretches_that_hold_enough_of_slower_answers_keep_their_length(slower: float, within: float | None) -> None:
    plan = plan_stretches(schedule(), CELL, 2, 0.002, within, SETTLE_SECONDS)
    kept = lengthen_stretches(plan, 0.002 * slower, [plan.seconds], 2, within)
    assert plan.fits and (kept.seconds, kept.fits) == (plan.seconds, True)


def test_stretches_do_not_grow_beyond_a_budget_and_then_fit_no_more() -> None:
    plan = plan_stretches(schedule(), CELL, 2, 0.5, within=100.0)
    assert plan.fits
    kept = lengthen_stretches(plan, 2.0, [plan.seconds], 2, within=100.0)
    assert (kept.fits, kept.seconds) == (False, plan.seconds)
    assert lengthen_stretches(plan, 2.0, [plan.seconds], 2, within=1000.0).fits


def test_only_constant_users_that_are_compared_in_pairs_are_stretched() -> None:
    rate = Rate(stages=[Stage(from_rate=5, to_rate=5, seconds=2)])
    assert may_be_stretched(schedule(), CELL)
    assert not may_be_stretched(schedule(), CELL.model_copy(update={"profile": rate}))
    assert not may_be_stretched(schedule(), CELL.model_copy(update={"kind": "block"}))
    assert not may_be_stretched(schedule(design="as-published"), CELL)


def test_a_trial_plans_once_and_says_the_cost_once() -> None:
    stretches = TrialStretches(schedule(), TRIAL)
    slow = [Answering(mean_ms=1100, cycle_ms=1100), Answering(mean_ms=200, cycle_ms=200)]
    assert "answers take 1.1 s on echo, too long for turns" in stretches.plan(CELL, slow, None)
    pair = [SlicePlan(number=n, subject=one, cell="echo", phase="measure", pair=0) for n, one in enumerate((A, B))]
    first, second = stretches.next(pair)
    assert first.seconds == second.seconds == stretches.plans[0].seconds and first.lead_in_ms != second.lead_in_ms
    assert stretches.plan(CELL, slow, None) == "" and not stretches.is_complete(CELL)
    for _ in range(stretches.plans[0].pairs - 1):
        stretches.next(pair)
    assert stretches.is_complete(CELL)


def test_where_turns_distorted_a_subject_each_stretch_begins_with_the_time_to_spend_what_it_saved() -> None:
    quick = [Answering(mean_ms=10, cycle_ms=10)] * 2
    stretches = TrialStretches(schedule(), TRIAL, SETTLE_SECONDS)
    assert stretches.plan(CELL, quick, None) == ""
    pair = [SlicePlan(number=n, subject=one, cell="echo", phase="measure", pair=0) for n, one in enumerate((A, B))]
    assert [edges.lead_in_ms for edges in stretches.next(pair)] == [SETTLE_SECONDS * 1000] * 2
    within = 60.0
    tight = plan_stretches(schedule(), CELL, 2, 0.01, within, SETTLE_SECONDS)
    assert tight.pairs * pair_seconds(SETTLE_SECONDS + tight.seconds, 0.01, 2) <= within + 0.5


def test_a_cell_that_was_not_warmed_up_is_expected_to_answer_as_the_slowest_of_its_operation_by_users() -> None:
    other = CELL.model_copy(update={"name": "more", "users": 40})
    cells = {"echo": CELL, "more": other, "alien": CELL.model_copy(update={"name": "alien", "mix": {"order": 1.0}})}
    seen = {
        (A, "more"): Answering(mean_ms=800),
        (A, "alien"): Answering(mean_ms=9000),
        (B, "more"): Answering(mean_ms=5),
    }
    assert expected_answering(CELL, A, seen, cells).mean_ms == 400
    assert expected_answering(CELL, A, seen | {(A, "echo"): Answering(mean_ms=100)}, cells).mean_ms == 100
    assert expected_answering(cells["alien"], B, seen, cells) == Answering()


@pytest.mark.parametrize(
    ("completed", "outside", "observed_s", "response_s"),
    [
        (40, 20, 3.3, 1.1),  # two rounds of 20 users within 2 s, one in the drain
        (20, 40, 3.3, 1.1),  # the same where the edges lie otherwise
        (0, 20, 3.0, 3.0),
        (0, 0, 9.0, 9.0),  # no answer at all
    ],
)
def test_the_time_between_a_users_answers_does_not_hang_on_where_a_short_slice_ends(
    completed: int, outside: int, observed_s: float, response_s: float
) -> None:
    row = {
        "completed": str(completed),
        "lead_in_completed": str(outside),
        "measured_ns": "2000000000",
        "cpu_own_ns": "",
    }
    assert cycle_ns(row, 20, round(observed_s * 1e9)) == pytest.approx(response_s * 1e9)


def test_in_turns_the_time_between_a_users_answers_is_that_of_its_own_turns() -> None:
    row = {"completed": "8000", "lead_in_completed": "0", "measured_ns": "1000000000", "cpu_own_ns": "990000000"}
    assert cycle_ns(row, 8, 2_500_000_000) == 1_000_000


def judged(folder: Path, pairs: int, **more: Any) -> Verdicts:
    """A run of slow answers in stretches of 10 s: 8 users, 9.6 or 12 answers of each user a stretch."""
    made = write_run(
        folder, Planted(rates={A: 9.6, B: 9.6}, slice_seconds=10.0, pairs=pairs, pair_deviation=0.001, **more)
    )
    plan = PlannedStretches(cell="echoStruct", response_s=0.8, seconds=10.0, pairs=pairs)
    for path in made.glob("trials/*/trial.json"):
        record = json.loads(path.read_text())
        path.write_text(json.dumps(record | {"stretches": [plan.model_dump()]}))
    return analyse(made)


def primary(verdicts: Verdicts) -> Comparison:
    return next(one for one in verdicts.comparisons if one.primary)


def test_a_fork_with_fewer_than_fifty_answers_of_each_user_gives_no_word_on_throughput(tmp_path: Path) -> None:
    short = primary(judged(tmp_path / "short", 4))
    assert short.verdict == "too few forks" and short.forks == 0
    assert "trial 1 has 48 answers per user, but throughput needs 50" in " ".join(short.why_not)
    assert primary(judged(tmp_path / "enough", 5)).forks == 4


def test_other_measures_keep_the_forks_that_are_too_short_for_throughput(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, 4)
    mean = next(one for one in verdicts.comparisons if one.measure == "response_time_mean")
    assert mean.forks == 4 and mean.ratio is not None


def test_a_stretch_of_fewer_than_ten_answers_of_each_user_voids_its_pair(tmp_path: Path) -> None:
    few = {(1, 0, A): {"completed": 79}, (2, 1, B): {"completed": 80}}
    found = primary(judged(tmp_path, 6, changes=few))
    assert found.voided == {"stretch of fewer than 10 answers of each user": 1}


def test_a_forks_value_is_the_ratio_of_sums_over_its_stretches(tmp_path: Path) -> None:
    """One stretch of five with a third more: the median would not know of it."""
    more = {(fork, 0, A): {"completed": 160} for fork in range(1, 5)}
    assert primary(judged(tmp_path, 6, changes=more, fork_deviation=0.0001)).ratio == pytest.approx(
        (160 + 5 * 96) / (6 * 96), rel=0.01
    )
