"""A change in a history is marked where it is, and a history without one has no marks."""

from __future__ import annotations

import random

import pytest
from steelyard.statistics.change_points import LEAST_EARLIER, HistoryValue, change_points


def history(seed: int, levels: list[float], deviation: float, own: float) -> list[HistoryValue]:
    """Runs around these levels, which vary by `deviation` from run to run; each knows its value within `own`."""
    draw = random.Random(seed)
    values = [level * (1 + draw.gauss(0, deviation)) for level in levels]
    return [HistoryValue(value, value * (1 - own), value * (1 + own)) for value in values]


@pytest.mark.parametrize("seed", range(10))
def test_a_step_of_a_tenth_is_marked_where_it_begins_and_only_there(seed: int) -> None:
    assert change_points(history(seed, [100.0] * 8 + [90.0] * 8, 0.01, 0.01)) == [8]


def test_a_history_without_a_change_is_marked_in_one_of_twenty() -> None:
    marked = [change_points(history(seed, [100.0] * 30, 0.03, 0.005)) for seed in range(200)]
    assert sum(bool(changes) for changes in marked) <= 16, marked  # one in twenty is expected


def test_intervals_that_hold_the_change_and_too_few_runs_mark_nothing() -> None:
    assert change_points(history(1, [100.0] * 8 + [90.0] * 8, 0.01, 0.2)) == []
    assert change_points(history(1, [100.0] * (LEAST_EARLIER - 1) + [50.0], 0.01, 0.01)) == []
    assert change_points([]) == []


def test_the_history_begins_anew_after_a_change() -> None:
    assert change_points(history(3, [100.0] * 8 + [80.0] * 8 + [100.0] * 8, 0.01, 0.01)) == [8, 16]
