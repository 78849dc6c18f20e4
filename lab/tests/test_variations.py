"""A study's variations are one run, in which each subject has its own tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import steelyard
from pydantic import ValidationError
from steelyard.analyse.analysis import Analysis, full_analysis
from steelyard.catalogue import entries
from steelyard.models.job import BigBang
from steelyard.models.records import Schedule
from steelyard.models.study import Study
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.plan.stopping import trials_per_fork
from steelyard.report import write_report
from synthetic import Planted, write_run

FLIGHT, PETSTORE = entries.study("flight").model, entries.study("petstore").model


@pytest.fixture(scope="module")
def planned() -> Schedule:
    return schedule_only(FLIGHT, Request(variations=True, forks=2))


def test_the_papers_variations_are_twenty_three_and_the_small_heap_comes_beside(planned: Schedule) -> None:
    pairs = {(cell.name, label) for cell in planned.cells for label in planned.subjects_in(cell)}
    small = {(test, label) for test, label in pairs if label.endswith("@small")}
    assert len(pairs - small) == 23 and len(small) == 3
    assert {label for test, label in pairs if test != "breakdown"} == {"tomcat-metro", "tomcat-metro@small"}


def test_each_variation_is_driven_and_no_subject_meets_a_test_that_is_not_its_own(planned: Schedule) -> None:
    driven = {
        (cell.name, label)
        for trial in planned.trials
        for cell in planned.for_trial(trial).cells
        for label in trial.start_order
    }
    assert driven == {(cell.name, label) for cell in planned.cells for label in planned.subjects_in(cell)}


def test_a_fork_starts_each_subject_that_is_compared_once_beside_the_reference(planned: Schedule) -> None:
    fork = planned.trials[: trials_per_fork(planned)]
    started = [label for trial in fork for label in trial.start_order if label != planned.reference]
    assert sorted(started) == sorted(label for label in planned.subjects if label != planned.reference)
    assert all(planned.reference in trial.start_order for trial in fork) and len(planned.trials) == 2 * len(fork)


def test_without_variations_every_subject_has_every_test() -> None:
    schedule = schedule_only(FLIGHT, Request(tests="breakdown,users-2"))
    assert all(schedule.subjects_in(cell) == schedule.subjects for cell in schedule.cells)
    assert all(schedule.for_trial(trial).cells == schedule.cells for trial in schedule.trials)


@pytest.mark.parametrize("name", ["nosuch", next(fault.test for fault in PETSTORE.faults)])
def test_a_variation_is_of_a_test_that_measures(name: str) -> None:
    with pytest.raises(ValidationError, match=f"'{name}' is one of the variations"):
        Study.model_validate(PETSTORE.model_dump(mode="json") | {"variations": {name: ["wildfly"]}})


def test_a_dry_run_says_on_how_many_subjects_each_test_is_driven(tmp_path: Path) -> None:
    told = steelyard("run", "flight", "--variations", "--dry-run", folder=tmp_path).out
    (users,) = (line.split() for line in told.splitlines() if line.startswith("users-16"))
    (breakdown,) = (line.split() for line in told.splitlines() if line.startswith("breakdown"))
    assert (users[-2:], breakdown[-2:]) == (["1", "subject"], ["15", "subjects"])


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Three subjects in one test, and another test that the reference has alone."""
    load = BigBang(users=2, seconds=4)
    planted = Planted(
        rates={"a": 900.0, "b": 1000.0, "c": 700.0},
        reference="a",
        blocks={"shared": load, "own": load},
        driven_on={"shared": ["a", "b", "c"], "own": ["a"]},
        groups=(("a", "b", "c"), ("a",)),
    )
    return full_analysis(write_run(tmp_path_factory.mktemp("varied") / "run", planted))


def test_subjects_are_compared_and_have_figures_where_they_were_driven_and_nowhere_else(varied: Analysis) -> None:
    assert {(one.subject, one.cell) for one in varied.verdicts.figures} == {
        ("a", "shared"),
        ("b", "shared"),
        ("c", "shared"),
        ("a", "own"),
    }
    compared = {(one.a, one.b, one.cell) for one in varied.verdicts.comparisons if one.primary}
    assert {(frozenset((a, b)), cell) for a, b, cell in compared} == {
        (frozenset(pair), "shared") for pair in ("ab", "ac", "bc")
    }


def test_a_test_without_the_reference_has_verdicts_between_the_subjects_that_it_has(tmp_path: Path) -> None:
    planted = Planted(
        rates={"a": 900.0, "b": 1000.0, "c": 700.0},
        reference="a",
        blocks={"theirs": BigBang(users=2, seconds=4)},
        driven_on={"theirs": ["b", "c"]},
        groups=(("b", "c"),),
    )
    verdicts = full_analysis(write_run(tmp_path / "run", planted)).verdicts
    (only,) = [one for one in verdicts.comparisons if one.primary]
    assert {only.a, only.b} == {"b", "c"} and only.is_decided


def test_tests_that_other_subjects_were_put_to_are_decided_apart_and_those_of_one_subject_not_at_all(
    tmp_path: Path,
) -> None:
    load = BigBang(users=2, seconds=4)
    planted = Planted(
        rates={"a": 900.0, "b": 1000.0, "c": 700.0},
        reference="a",
        blocks={"all": load, "two": load, "one": load},
        driven_on={"two": ["a", "c"], "one": ["a"]},
        groups=(("a", "b", "c"), ("a", "c"), ("a",)),
    )
    verdicts = full_analysis(write_run(tmp_path / "run", planted)).verdicts
    decided = {tuple(test.test for test in one.tests): one.best for one in verdicts.decisions}
    assert decided == {("all",): "b", ("two",): "a"}
    assert "(test all): b" in verdicts.sentence and "(test two): a" in verdicts.sentence
    assert "test one" not in verdicts.sentence


@pytest.mark.parametrize(("others", "named"), [(4, 4), (7, 3)])
def test_a_sentence_names_the_nearest_of_many_contenders_and_how_many_more_there_are(
    tmp_path: Path, others: int, named: int
) -> None:
    rates = {"a": 1000.0, "far": 100.0} | {f"near-{n}": 995.0 - n for n in range(others)}
    planted = Planted(rates=rates, reference="a", blocks={"all": BigBang(users=2, seconds=4)}, fork_deviation=0.05)
    (decision,) = full_analysis(write_run(tmp_path / "run", planted)).verdicts.decisions
    assert len(decision.contenders) == others and decision.sentence.count(" to ") == named, decision.sentence
    assert decision.sentence.endswith(
        f"and {others - named} more not ruled out" if others > named else ") not ruled out"
    )


def test_each_test_is_measured_in_as_many_forks_as_the_run_has(varied: Analysis) -> None:
    forks = {(one.subject, one.cell): one.forks for one in varied.verdicts.figures if one.measure == "throughput"}
    assert len(forks) == 4 and {*forks.values()} == {4}


def test_a_report_of_variations_speaks_of_no_test_that_a_subject_does_not_have(varied: Analysis) -> None:
    page = write_report(varied.run.folder).read_text(encoding="utf-8")
    assert "test own" in page and "no right answer was measured" not in page
