"""Loads with a shape: named, shortened, planned as blocks."""

from __future__ import annotations

from typing import Any

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.measure.trial import jobs
from steelyard.models.job import BigBang, Bursts, Ramp, Steps
from steelyard.models.records import Schedule
from steelyard.models.study import Study
from steelyard.plan import shapes
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of

TESTS: list[dict[str, Any]] = [
    {"name": "1", "profile": {"kind": "big-bang", "users": 5, "seconds": 120}},
    {"name": "2", "profile": {"kind": "ramp", "from_users": 1, "to_users": 40, "seconds": 300}},
    {"name": "3", "operation": "echoVoid", "profile": {"kind": "big-bang", "users": 50, "seconds": 180}},
]


def study(**more: Any) -> Study:
    tests = [{"title": "a test", "source": "section 1", "operation": "echoStruct", **test} for test in TESTS]
    known = {
        "name": "shaped",
        "title": "t",
        "question": "q",
        "service": "wstest",
        "reference": "a",
        "primary": "echoStruct",
    }
    subjects = [{"label": label, "parts": [{"server": "go"}]} for label in "abc"]
    operations = ["echoStruct", "echoVoid"]
    return Study.model_validate({**known, "subjects": subjects, "operations": operations, "tests": tests, **more})


def schedule(**wishes: Any) -> Schedule:
    request = Request(**wishes)
    one = study()
    return schedule_of(one, entries.service("wstest").model, request, merge_parameters(one, request), 8)


def test_each_test_is_a_judged_block_with_its_most_users() -> None:
    assert [(cell.name, cell.users, cell.kind, cell.primary) for cell in schedule().cells] == [
        ("1", 5, "block", True),
        ("2", 40, "block", True),
        ("3", 50, "block", True),
    ]


@pytest.mark.parametrize(
    ("words", "names"), [("1", ["1"]), ("1-2", ["1", "2"]), ("3,1", ["1", "3"]), ("", ["1", "2", "3"])]
)
def test_tests_are_chosen_by_name_and_by_range(words: str, names: list[str]) -> None:
    assert [cell.name for cell in schedule(tests=words).cells] == names


def test_an_unknown_test_is_named() -> None:
    with pytest.raises(ConfigurationError, match="no test '4'"):
        schedule(tests="1,4")


def test_a_study_without_tests_takes_neither_tests_nor_a_scale() -> None:
    wstest, request = entries.study("wstest").model, Request(scale=0.1)
    with pytest.raises(ConfigurationError, match="has no tests with a shape"):
        schedule_of(wstest, entries.service("wstest").model, request, merge_parameters(wstest, request), 8)


def test_a_scale_shortens_times_and_is_recorded() -> None:
    short = schedule(scale=0.1)
    assert short.scale == 0.1
    assert [shapes.seconds_of(cell.profile) for cell in short.cells] == pytest.approx([12, 30, 18])


def test_held_steps_and_bursts_keep_a_least_length_and_their_number() -> None:
    steps = shapes.scale_profile(Steps(levels=[1, 2, 4], hold_seconds=10, pause_seconds=2), 0.1)
    assert isinstance(steps, Steps)
    assert (steps.hold_seconds, steps.pause_seconds, steps.levels) == (5.0, pytest.approx(0.2), [1, 2, 4])
    bursts = shapes.scale_profile(Bursts(users=35, idle_seconds=10, on_seconds=30, off_seconds=10, seconds=170), 0.1)
    assert isinstance(bursts, Bursts)
    assert (bursts.on_seconds, bursts.off_seconds, bursts.idle_seconds) == (8.0, 1.0, 1.0)
    assert bursts.seconds == pytest.approx(1 + 4 * 9)
    held = Steps(levels=[1], hold_seconds=3)
    assert shapes.scale_profile(held, 0.5) == held, "what is short already is not made longer"


def test_the_most_users_and_the_length_of_each_shape_are_known() -> None:
    assert shapes.most_users(Ramp(from_users=50, to_users=25, seconds=9)) == 50
    assert shapes.most_users(BigBang(users=3, seconds=9)) == 3
    assert shapes.seconds_of(Steps(levels=[1, 2], hold_seconds=5, ramp_seconds=1, pause_seconds=2)) == 16


def planned(number: int) -> jobs.TrialSlices:
    one = schedule(forks=6)
    return jobs.plan_slices(one, one.trials[number], {"a": False, "b": False, "c": False})


def test_a_block_is_driven_once_a_fork_on_one_subject_after_another() -> None:
    driven = [(plan.cell, plan.subject) for plan in planned(0).measure]
    assert len(driven) == 9 and len(set(driven)) == 9
    assert all(len({cell for cell, _ in driven[start : start + 3]}) == 1 for start in (0, 3, 6))


def test_who_begins_in_a_block_moves_on_so_that_each_subject_does_so_equally_often() -> None:
    first = [next(plan.subject for plan in planned(number).measure if plan.cell == "2") for number in range(6)]
    assert sorted(first) == ["a", "a", "b", "b", "c", "c"]


def test_blocks_of_one_mix_share_their_warm_up() -> None:
    assert sorted({cell for _, cell in planned(0).warm_up}) == ["1", "3"]


def test_four_subjects_with_tests_share_a_trial() -> None:
    one = study(subjects=[{"label": label, "parts": [{"server": "go"}]} for label in "abcd"])
    request = Request(forks=2)
    plan = schedule_of(one, entries.service("wstest").model, request, merge_parameters(one, request), 8)
    assert [sorted(trial.start_order) for trial in plan.trials] == [["a", "b", "c", "d"]] * 2


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (BigBang(users=1, seconds=60), "constant, 1 user, 60 s"),
        (Ramp(from_users=1, to_users=40, seconds=30), "ramp, 1 to 40 users, 30 s"),
        (Steps(levels=[1, 2, 4], hold_seconds=5), "steps, 1 to 4 users, 3 levels of 5 s, 15 s"),
        (Steps(levels=[4], hold_seconds=5), "steps, 4 users, 1 level of 5 s, 5 s"),
    ],
)
def test_a_load_is_told_in_a_few_words(profile: Any, said: str) -> None:
    assert shapes.words(profile) == said


def test_bursts_and_levels_are_known_by_their_seconds() -> None:
    bursts = Bursts(users=35, idle_seconds=10, on_seconds=30, off_seconds=10, seconds=115)
    assert shapes.bursts_of(bursts) == ([10, 50, 90], [40, 80, 115])
    assert shapes.levels_of(Steps(levels=[2, 4], hold_seconds=5, ramp_seconds=1)) == [(2, 1, 6), (4, 7, 12)]
