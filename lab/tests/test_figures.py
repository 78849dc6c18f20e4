"""The figures beside a verdict: they come from the judged slices, and lie in their own intervals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from steelyard.analyse.analysis import Analysis, analyse_run
from steelyard.models.verdict import Figure
from steelyard.results.stored_run import read_run
from steelyard.statistics.interval import student_interval
from steelyard.statistics.refusal import Refusal, refusals, share
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
MIB = 1024 * 1024


def analysed(folder: Path, **planted: Any) -> Analysis:
    return analyse_run(read_run(write_run(folder, Planted(**planted))))


def figure(analysis: Analysis, subject: str, measure: str) -> Figure:
    (found,) = [one for one in analysis.verdicts.figures if (one.subject, one.measure) == (subject, measure)]
    return found


def test_memory_lies_in_its_interval_though_a_fork_says_its_highest(tmp_path: Path) -> None:
    forks = {(trial, A): (100 + 2 * trial) * MIB for trial in range(1, 8)} | {(8, A): 140 * MIB}
    found = figure(analysed(tmp_path / "run", forks=8, memory_bytes=forks), A, "memory")
    assert found.value is not None and found.interval is not None
    assert found.interval[0] < found.value < found.interval[1] < 140


def test_every_figure_lies_in_its_interval_and_a_percentile_of_some_forks_alone_has_none(tmp_path: Path) -> None:
    """In two of four forks the server answered so slowly that a p99 is not supported there, as in the kept run of WS-Security."""
    slow = {(trial, pair, A): {"completed": 60} for trial in (3, 4) for pair in range(10)}
    analysis = analysed(tmp_path / "run", changes=slow)
    tail, middle = (figure(analysis, A, f"response_time_{name}") for name in ("p99", "p50"))
    assert tail.value is not None and (tail.interval, tail.forks) == (None, 2)
    assert middle.interval is not None and middle.forks == 4
    shown = [each for each in analysis.verdicts.figures if each.value is not None and each.interval is not None]
    assert len(shown) > 10
    assert [each for each in shown if not each.interval[0] <= each.value <= each.interval[1]] == []  # type: ignore[index, operator]


def test_where_forks_differ_much_the_percentile_of_all_requests_widens_its_interval(tmp_path: Path) -> None:
    """The slow forks have the tail of all requests together, and weigh in it more than they do among forks."""
    analysis = analysed(tmp_path / "run", forks=12, pairs=4, seed=4, fork_deviation=0.6)
    tails = [each for each in analysis.figures if (each.subject, each.measure.name) == (A, "response_time_p99")]
    (whole,) = [each for each in tails if each.fork is None]
    over_forks = student_interval([math.log(each.value or 0.0) for each in tails if each.fork is not None]).exp()
    assert whole.value is not None and whole.value > over_forks.high
    assert whole.bounds == (over_forks.low, whole.value)


@pytest.mark.parametrize("nothing", [False, True])
def test_what_is_counted_of_a_fork_is_told_of_one_and_not_of_all_together(tmp_path: Path, nothing: bool) -> None:
    """Answers of eight forks are eight times those of one; where a fork has none, there is a mean and no interval."""
    measure = """
[[measures]]
name = "refusals"
title = "Refusals"
short = "refused"
unit = "requests"
better = "lower"
source = "slices"
formula = "refused"
"""
    changes = {(trial, pair, A): {"refused": 100} for trial in range(1, 9) for pair in range(10)}
    changes |= {(1, pair, A): {"refused": 0 if nothing else 100} for pair in range(10)}
    found = figure(analysed(tmp_path / "run", forks=8, changes=changes, study=measure), A, "refusals")
    assert found.value == pytest.approx(875 if nothing else 1000, rel=0.01)
    assert (found.interval is None) is nothing


def test_figures_come_from_the_pairs_that_made_the_verdict(tmp_path: Path) -> None:
    """A compiler woke up in one subject's slice: the other's slice of that pair, five times too fast, counts for nothing either."""
    seconds = Planted().slice_seconds
    rate = Planted().rates[B]
    spoilt = {(1, pair, B): {"completed": round(5 * rate * seconds), "response_ns_sum": 1} for pair in (0, 1, 2)}
    bursts = frozenset((1, pair, A) for pair in (0, 1, 2))
    found = analysed(tmp_path / "run", changes=spoilt, jit_bursts=bursts, fork_deviation=0.001, pair_deviation=0.001)
    value = figure(found, B, "throughput").value
    assert value == pytest.approx(rate, rel=0.01)
    (primary,) = [one for one in found.verdicts.comparisons if one.primary]
    counted = sum(one.requests for one in found.figures if one.fork == 1 and one.subject == B) / len(
        [one for one in found.figures if one.fork == 1 and one.subject == B]
    )
    assert primary.pairs == 37 and counted == pytest.approx(7 * rate * seconds, rel=0.01)


def test_a_fork_that_keeps_too_few_pairs_is_in_no_figure(tmp_path: Path) -> None:
    spoilt = {(2, pair, one): {"completed": 3} for pair in range(10) for one in (A, B)}
    bursts = frozenset((2, pair, A) for pair in range(6))
    found = figure(analysed(tmp_path / "run", changes=spoilt, jit_bursts=bursts), B, "throughput")
    assert found.forks == 3 and found.value == pytest.approx(Planted().rates[B], rel=0.05)


def test_what_was_compared_with_nothing_has_figures_all_the_same(tmp_path: Path) -> None:
    alone = analysed(tmp_path / "run", rates={B: 10_000.0}, design="as-published", forks=1, pairs=1)
    assert figure(alone, B, "throughput").value == pytest.approx(10_000, rel=0.1)


def test_a_fall_back_from_turns_to_stretches_is_said(tmp_path: Path) -> None:
    in_turns = {
        (trial, pair, one): {"measured_ns": 1_900_000_000}
        for trial in range(1, 5)
        for pair in range(10)
        for one in (A, B)
    }
    kept = analysed(tmp_path / "kept", turn_ms=150, changes=in_turns)
    assert not [note for note in kept.verdicts.notes if "took no turns" in note]
    slow = {key: value for key, value in in_turns.items() if key[:2] != (3, 4)}
    fell = analysed(tmp_path / "fell", turn_ms=150, changes=slow)
    (note,) = [note for note in fell.verdicts.notes if "took no turns" in note]
    assert note.startswith("2 of 80 slices on echoStruct took no turns")
    assert "because answers are too slow" in note
    at_rest = analysed(tmp_path / "at-rest", turn_ms=150, at_rest={A: 0.012, B: 0.001})
    (note,) = [note for note in at_rest.verdicts.notes if "took no turns" in note]
    assert f"took no turns, because {A} used processor time without requests" in note
    unasked = analysed(tmp_path / "unasked", turn_ms=0, changes=slow)
    assert not [note for note in unasked.verdicts.notes if "took no turns" in note]


def test_several_cells_that_fell_back_from_turns_are_one_caveat(tmp_path: Path) -> None:
    cells = {"echoStruct": 1.0, "echoList": 0.5}
    (note,) = [note for note in analysed(tmp_path, turn_ms=150, cells=cells).verdicts.notes if "took no turns" in note]
    assert note.startswith("80 of 80 slices on echoStruct and 80 of 80 slices on echoList took no turns")


def test_no_failure_in_any_fork_has_an_upper_bound_that_is_not_shown_as_none() -> None:
    """Of n requests without a failure the exact bound is near 3.7 / n (two-sided, 95%)."""
    forks = [Refusal(None, 30, share(0, 250_000), {}, None) for _ in range(4)]
    found = refusals(forks)
    assert (found.low, found.share) == (0.0, 0.0)
    assert found.high == pytest.approx(3.689 / 1_000_000, rel=0.001)
    assert "share of failures: 95% interval 0% to 0.00037%, 4 forks" in found.sentence("go")
    some = refusals([*forks[:3], Refusal(None, 30, share(50, 250_000), {"reset": 50}, None)])
    assert some.low == 0.0 and some.high > 50 / 1_000_000


@pytest.mark.parametrize(
    ("awake", "said"),
    [
        ([1], "only the engine's processors kept awake"),
        ([0, 1], "all processors kept awake"),
        ([], "no processor kept awake"),
    ],
)
def test_the_tail_of_an_open_load_says_how_it_was_measured(tmp_path: Path, awake: list[int], said: str) -> None:
    environment = {"processors_shared": {"server": [0], "engine": [1], "awake": awake}}
    opened = analysed(tmp_path / "open", open_rate=500.0, environment=environment)
    assert [said in note for note in opened.verdicts.notes if "tails of open load" in note] == [True]
    closed = analysed(tmp_path / "closed", environment=environment)
    assert not [note for note in closed.verdicts.notes if "tails of open load" in note]
