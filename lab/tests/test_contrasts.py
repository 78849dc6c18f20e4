"""Contrasts of a study: planted differences are reported with intervals, chance differences are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from steelyard.analyse.contrasts import differences
from steelyard.analyse.figures import ForkFigure
from steelyard.models.verdict import Difference
from steelyard.results.stored_run import Run

ERRORS: Any = SimpleNamespace(name="errors", title="System errors", unit="%")
BETWEEN_TESTS = {"text": "Cold against warm", "measure": "errors", "test": "cold", "than": "warm"}
BETWEEN_SUBJECTS = {"text": "What the root does", "measure": "errors", "test": "warm"}


def figures(values: dict[tuple[str, str], list[float]]) -> list[ForkFigure]:
    """A value a fork, by subject and test; and one over all forks, which is no fork's."""
    return [
        ForkFigure(subject, cast(Any, SimpleNamespace(name=test)), ERRORS, fork, value, None, 1, 1, None)
        for (subject, test), forks in values.items()
        for fork, value in [*enumerate(forks, 1), (None, 99.0)]
    ]


def told(contrast: dict[str, str], values: dict[tuple[str, str], list[float]]) -> list[Difference]:
    subjects = list(dict.fromkeys(subject for subject, _ in values))
    run = SimpleNamespace(
        study={"contrasts": [contrast]}, schedule=SimpleNamespace(subjects=subjects, reference="root")
    )
    return list(differences(cast(Run, run), {"errors": ERRORS}, figures(values)))


def test_two_tests_of_a_subject_differ_by_the_mean_over_its_forks() -> None:
    (found,) = told(BETWEEN_TESTS, {("root", "cold"): [12, 14, 13], ("root", "warm"): [2, 3, 4]})
    assert found.value == pytest.approx(10) and found.forks == 3
    assert found.interval is not None and found.interval[0] < 10 < found.interval[1]
    assert found.interval == (
        pytest.approx(7.52, abs=0.01),
        pytest.approx(12.48, abs=0.01),
    )  # 4.303 / sqrt(3), deviation 1
    assert "13.0 in cold, 3.00 in warm: 10.0 percent points more" in found.sentence


def test_subjects_are_held_against_the_reference_which_is_not_held_against_itself() -> None:
    (found,) = told(BETWEEN_SUBJECTS, {("root", "warm"): [30, 31], ("plain", "warm"): [3, 4]})
    assert (found.subject, found.than_subject, found.value) == ("plain", "root", pytest.approx(-27))
    assert "27.0 percent points less" in found.sentence


def test_a_difference_whose_interval_holds_none_is_not_told_apart() -> None:
    (found,) = told(BETWEEN_TESTS, {("root", "cold"): [1, 5, 3], ("root", "warm"): [3, 2, 4]})
    assert "no difference detected" in found.sentence and " more" not in found.sentence


def test_one_fork_has_no_interval_and_a_test_that_was_not_run_no_difference() -> None:
    (found,) = told(BETWEEN_TESTS, {("root", "cold"): [5], ("root", "warm"): [3]})
    assert found.interval is None and "too few for an interval" in found.sentence
    assert told(BETWEEN_TESTS, {("root", "cold"): [5, 6]}) == []


def test_forks_are_paired_by_their_number() -> None:
    (found,) = told(BETWEEN_TESTS, {("root", "cold"): [5, 6, 7], ("root", "warm"): [3, 4]})
    assert found.forks == 2 and found.value == pytest.approx(2)
