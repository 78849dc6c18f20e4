"""Sentences say ratios as people do: 12 times from 10 on, and 13 times lower below 0.1; tables keep the ratio."""

from __future__ import annotations

from pathlib import Path

import pytest
from steelyard.analyse.analysis import analyse_run
from steelyard.base.text import spoken_range, spoken_ratio
from steelyard.report import standings
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run


@pytest.mark.parametrize(
    ("ratio", "interval", "text"),
    [
        (0.62, (0.60, 0.65), "0.62"),
        (0.987, (0.98, 0.99), "0.987"),
        (9.79, (9.5, 10.2), "9.79"),
        (9.996, None, "10"),
        (11.71, (11.2, 12.4), "12"),
        (0.076, (0.07, 0.09), "13 times lower"),
        (0.1, None, "0.10"),
        (0.0, None, "0.000"),
    ],
)
def test_a_ratio_in_a_sentence(ratio: float, interval: tuple[float, float] | None, text: str) -> None:
    assert spoken_ratio(ratio, interval) == text


@pytest.mark.parametrize(
    ("interval", "ratio", "text"),
    [
        ((0.60, 0.65), None, "0.60 to 0.65"),
        ((2.28, 11.71), None, "2.28 to 12"),
        ((0.042, 0.089), None, "11 to 24 times lower"),
        ((0.05, 0.6), 0.05, "1.67 to 20 times lower"),
        ((0.09, 0.11), 0.098, "9.09 to 11 times lower"),
        ((0.09, 0.11), 0.101, "0.090 to 0.110"),
    ],
)
def test_an_interval_in_a_sentence(interval: tuple[float, float], ratio: float | None, text: str) -> None:
    assert spoken_range(interval, ratio) == text


def sentence(tmp_path: Path, rate: float) -> str:
    planted = Planted(rates={"a": rate, "b": 12_000.0}, reference="b", pairs=5)
    return analyse_run(read_run(write_run(tmp_path / "run", planted))).verdicts.sentence


def test_a_verdict_says_how_many_times_lower_a_slow_server_is(tmp_path: Path) -> None:
    said = sentence(tmp_path, 600.0)
    assert "a is slower than b on echoStruct: throughput " in said and " times lower" in said and "0.0" not in said


def test_a_verdict_says_a_large_ratio_without_decimals(tmp_path: Path) -> None:
    said = sentence(tmp_path, 240_000.0)
    assert "a is faster than b on echoStruct: 20 times the throughput" in said


def test_a_cost_says_how_many_times_less_memory_a_small_server_holds(tmp_path: Path) -> None:
    planted = Planted(pairs=3, memory_bytes={(t, "tomcat-metro"): 4 * 2**20 for t in (1, 2, 3, 4)})
    (why,) = standings.cost_sentences(analyse_run(read_run(write_run(tmp_path / "run", planted))))
    assert " times less memory (4.00 against " in why
