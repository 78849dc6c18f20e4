"""The end of a stress test: after a held level that failed, was silent or was too slow, and never before."""

from typing import Any

import pytest
from steelyard.measure.trial.stress import Stress
from steelyard.models import study
from steelyard.models.job import Steps
from steelyard.models.study import Until

STEPS = Steps(kind="steps", levels=[1, 2, 4], hold_seconds=3)
UNTIL = Until(failed_share=0.01, response_ms=500)


def seconds(*each: tuple[int, int, float | None]) -> list[dict[str, Any]]:
    """The engine's ticks from each second's (right answers, failures, mean response in ms); its counts are running sums."""
    found, completed, failed = [], 0, 0
    for place, (right, wrong, response) in enumerate(each, 1):
        completed, failed = completed + right, failed + wrong
        tick = {
            "elapsed_s": float(place),
            "completed": completed,
            "failed": failed,
            "wrong": 0,
            "response_ms": response,
        }
        found.append(tick)
    return found


def ended_after(ticks: list[dict[str, Any]]) -> int | None:
    stress = Stress(STEPS, UNTIL)
    return next((place for place, tick in enumerate(ticks, 1) if stress.is_over_limit(tick)), None)


WELL = (1000, 0, 2.0)


def test_what_answers_everything_quickly_is_driven_to_its_end() -> None:
    assert ended_after(seconds(*[WELL] * 9)) is None


def test_one_percent_of_failures_is_borne() -> None:
    assert ended_after(seconds(*[(990, 10, 2.0)] * 9)) is None


@pytest.mark.parametrize(
    ("second", "what"),
    [((500, 500, 2.0), "failures"), ((3, 0, 9000.0), "slow answers")],
)
def test_a_level_that_passes_a_limit_is_held_to_its_end_and_is_the_last(
    second: tuple[int, int, float], what: str
) -> None:
    del what
    assert ended_after(seconds(WELL, WELL, WELL, second, second, second, WELL)) == 6


def test_a_silent_level_is_enough() -> None:
    assert ended_after(seconds(WELL, WELL, WELL, *[(0, 0, None)] * 3)) == 6


def test_a_level_is_judged_by_all_of_its_seconds_and_by_no_other_levels() -> None:
    assert ended_after(seconds(WELL, WELL, (999, 20, 2.0), *[(1000, 0, 400.0)] * 3, *[(1000, 0, 501.0)] * 3)) == 9


def test_wrong_answers_are_failures() -> None:
    ticks = [{**tick, "wrong": 100 * place} for place, tick in enumerate(seconds(*[WELL] * 3), 1)]
    assert ended_after(ticks) == 3


def test_only_held_steps_can_end_early() -> None:
    profile = {"kind": "big-bang", "users": 1, "seconds": 1}
    until = UNTIL.model_dump()
    with pytest.raises(ValueError, match="needs a profile of steps, not big-bang"):
        study.Test.model_validate(
            {"name": "1", "title": "t", "source": "s", "operation": "o", "profile": profile, "until": until}
        )
