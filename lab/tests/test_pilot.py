"""The number of pairs per fork, from the first fork."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.measures import registry
from steelyard.measure.pilot import FORK_DEVIATION, pairs_after_pilot
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run


def pairs(folder: Path, fork_deviation: float = FORK_DEVIATION, **planted: Any) -> int:
    run = write_run(folder, Planted(forks=1, pairs=40, **planted))
    return pairs_after_pilot(read_run(run), registry({}), fork_deviation)


def test_the_number_is_that_of_kalibera_and_jones(tmp_path: Path) -> None:
    # 70 s a fork less 2 x 40 slices of 2.3 s would be below zero, so a fork is free beside its pairs: the least suffices.
    assert pairs(tmp_path / "a", slice_seconds=2.0) == 3
    # 70 s less 2 x 40 slices of 0.5 s (0.3 s of it between them) is 30 s beside pairs of 1 s; log ratios of pairs deviate by 3%.
    expected = math.sqrt(30 / 1.0 * 0.03**2 / FORK_DEVIATION**2)
    assert pairs(tmp_path / "b", slice_seconds=0.2) == pytest.approx(expected, rel=0.3)


def test_noisier_pairs_ask_for_more_of_them_and_noisier_forks_for_fewer(tmp_path: Path) -> None:
    quiet = pairs(tmp_path / "a", slice_seconds=0.2, pair_deviation=0.01)
    loud = pairs(tmp_path / "b", slice_seconds=0.2, pair_deviation=0.03)
    forks = pairs(tmp_path / "c", slice_seconds=0.2, pair_deviation=0.03, fork_deviation=0.06)
    assert forks < loud and quiet < loud


def test_what_was_planned_stays_where_the_first_fork_failed(tmp_path: Path) -> None:
    assert pairs(tmp_path, slice_seconds=0.2, cut_after_pairs={1: 1}) == 40
