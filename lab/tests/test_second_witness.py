"""The second witness: throughput by processor time, where answers and work were counted over different times."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from kept_runs import KEPT_RUNS
from steelyard.analyse.analysis import analyse, analyse_run
from steelyard.models.verdict import Comparison, Verdicts
from steelyard.results.stored_run import read_run
from steelyard.statistics.interval import Interval
from steelyard.statistics.processor_witness import AnswersAndWork, disagree, disagreement, hull
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
FORKS, PAIRS = range(1, 5), range(10)


def test_a_witness_is_one_where_answers_and_work_were_counted_over_the_same_time() -> None:
    whole = AnswersAndWork(answers=100, seconds=10, cpu_ns=5e9, all_answers=130, all_cpu_ns=6.5e9)
    assert (whole.processors, whole.witness) == (0.5, pytest.approx(1.0))
    cut_off = AnswersAndWork(answers=80, seconds=10, cpu_ns=5e9, all_answers=130, all_cpu_ns=6.5e9)
    assert cut_off.witness == pytest.approx(0.8)
    assert AnswersAndWork(answers=0, seconds=10, cpu_ns=5e9, all_answers=0, all_cpu_ns=6e9).witness is None
    assert AnswersAndWork(answers=10, seconds=10, cpu_ns=0, all_answers=12, all_cpu_ns=0).witness is None


@pytest.mark.parametrize(
    ("ratios", "said"),
    [
        ([0.8, 0.81, 0.79, 0.8], True),
        ([1.02, 1.021, 1.019, 1.02], True),
        ([1.01, 1.011, 1.009, 1.01], False),  # certain, and within half the margin
        ([0.7, 1.3, 0.8, 1.1], False),  # chance
    ],
)
def test_witnesses_disagree_beyond_half_the_margin_and_beyond_chance(ratios: list[float], said: bool) -> None:
    assert disagree(disagreement([math.log(ratio) for ratio in ratios], 0.95), 0.03) is said


def test_the_interval_of_both_holds_both() -> None:
    assert hull(Interval(0.28, 0.25, 0.31, 0.95, 4), Interval(0.35, 0.3, 0.4, 0.95, 4)) == Interval(
        0.28, 0.25, 0.4, 0.95, 4
    )


def judged(folder: Path, edge: float, *, rest: float = 0.0, busy: float = 1.0, **planted: Any) -> Verdicts:
    """Runs in which a share of the first subject's answers is counted outside the measured time, and its work within.

    Each slice's clocks were read at its edges; each subject is `busy` for that share of 0.95 of a processor.
    """
    changes = {}
    rates = {A: 8000.0, B: 10_000.0} | planted.pop("rates", {})
    for fork in FORKS:
        for pair in PAIRS:
            for one, rate in rates.items():
                done, outside = round(rate * 2), round(rate * 0.2)
                moved = round(done * edge) if one == A else 0
                changes[fork, pair, one] = {
                    "completed": done - moved,
                    "lead_in_completed": outside + moved,
                    "cpu_window_ns": round(1.9e9 / 1.1 * busy),
                }
    at_rest = {A: rest, B: 0.0} if rest else {}
    folder = write_run(folder, Planted(changes=changes, rates=rates, at_rest=at_rest, **planted))
    if busy != 1.0:
        for path in folder.glob("trials/*/observations.csv"):
            path.write_text(path.read_text().replace(",1900000000,", f",{round(1.9e9 * busy)},"))
    return analyse(folder)


def primary(verdicts: Verdicts) -> Comparison:
    (found,) = [one for one in verdicts.comparisons if one.primary]
    return found


def test_where_both_agree_nothing_is_said_and_the_interval_is_that_of_the_answers(tmp_path: Path) -> None:
    found = primary(judged(tmp_path, 0.0))
    assert (found.verdict, found.why_not) == ("slower", [])
    assert found.interval is not None and found.interval[1] < 0.81


def test_where_they_disagree_both_are_said_and_the_interval_holds_both(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, 0.1)
    found = primary(verdicts)
    assert found.ratio == pytest.approx(0.72, rel=0.001) and found.verdict == "slower", "both give that word"
    assert found.interval is not None and found.interval[0] <= 0.72 and found.interval[1] >= 0.8
    (note,) = [note for note in verdicts.notes if "processor time predicts" in note]
    assert note.startswith("tomcat-metro on echoStruct: its throughput is 0.90 times what its processor time predicts")
    said = " ".join(found.why_not)
    assert "is 0.720 (0.720 to 0.720) by answers and 0.800 (0.800 to 0.800) by processor time" in said


def test_a_word_that_only_one_of_them_gives_is_not_given(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, 0.2, rates={A: 10_000.0})
    found = primary(verdicts)
    assert found.ratio == pytest.approx(0.8, rel=0.001) and found.verdict == "undecided"
    assert "they give different verdicts" in found.why_not
    assert verdicts.sentence.startswith(
        "Undecided between tomcat-metro and go on echoStruct: 0.80 times the throughput"
    )


def test_an_artefact_of_less_than_half_the_margin_is_borne(tmp_path: Path) -> None:
    assert primary(judged(tmp_path, 0.01)).why_not == []


def test_it_is_not_judged_of_a_subject_that_hardly_uses_a_processor(tmp_path: Path) -> None:
    idle = judged(tmp_path / "idle", 0.1, busy=0.1)
    assert primary(idle).why_not == []
    assert "by processor time" in " ".join(primary(judged(tmp_path / "busy", 0.1, busy=0.13)).why_not)


def test_it_is_not_judged_of_a_subject_that_works_at_rest(tmp_path: Path) -> None:
    found = judged(tmp_path, 0.1, rest=0.016)
    assert not any("by processor time" in why for why in primary(found).why_not)


@pytest.fixture(scope="module")
def tv_dinner() -> dict[tuple[str, str, str], Comparison]:
    """The throughput comparisons of the kept run of slow answers, by subjects and cell, as today's rules judge them."""
    verdicts = analyse_run(read_run(KEPT_RUNS["soakit-tv-dinner"])).verdicts
    return {(one.a, one.b, one.cell): one for one in verdicts.comparisons if one.measure == "throughput"}


@pytest.mark.parametrize(("subject", "by_answers", "true"), [("wildfly", 0.277, 0.356), ("glassfish", 0.512, 0.559)])
def test_kept_slices_of_fewer_than_three_response_times_are_found_out(
    tv_dinner: dict[tuple[str, str, str], Comparison], subject: str, by_answers: float, true: float
) -> None:
    """Two seconds of answers of 0.7 and 1.1 s, behind 0.2 s of lead-in; `true` is by all answers over all observed time."""
    found = tv_dinner[subject, A, "tv-dinner Sublines=60 users=20"]
    assert found.verdict is None and found.ratio == pytest.approx(by_answers, rel=0.02)
    assert found.interval is not None and found.interval[0] < by_answers and found.interval[1] > true
    assert any(why.startswith("Little's law is off by -") and subject in why for why in found.why_not)


def test_kept_slices_of_quick_answers_keep_their_words(tv_dinner: dict[tuple[str, str, str], Comparison]) -> None:
    quick = [one for (_, _, cell), one in tv_dinner.items() if cell == "tv-dinner Sublines=10 users=5"]
    assert len(quick) > 4 and all(one.verdict is not None for one in quick)
    assert not any("by processor time" in why for one in quick for why in one.why_not)
