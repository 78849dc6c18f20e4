"""Verdicts find planted effects, instrument checks find planted faults, and neither raises false alarms."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from steelyard.analyse.analysis import analyse, table
from steelyard.analyse.instrument import Level, examine
from steelyard.base.errors import MeasureError, SteelyardError
from steelyard.commands.options import require_verdict
from steelyard.measure.outcome import Outcome
from steelyard.models.job import BigBang
from steelyard.models.records import Check, Failure
from steelyard.models.verdict import Comparison, Verdicts
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
EQUAL = {A: 10_000.0, B: 10_000.0}


def judged(tmp_path: Path, **planted: Any) -> Verdicts:
    return analyse(write_run(tmp_path / "run", Planted(**planted)))


def primary(verdicts: Verdicts) -> Comparison:
    (found,) = [one for one in verdicts.comparisons if one.primary]
    return found


def test_a_planted_20_percent_is_called_slower(tmp_path: Path) -> None:
    verdicts = judged(tmp_path)
    found = primary(verdicts)
    assert verdicts.valid and verdicts.status == "complete" and not verdicts.notes
    assert (found.a, found.b, found.verdict, found.forks, found.pairs, found.voided_pairs) == (A, B, "slower", 4, 40, 0)
    assert found.interval is not None and found.interval[0] < 0.8 < found.interval[1] < 0.9
    assert verdicts.sentence == (
        "tomcat-metro is slower than go on echoStruct: 0.796 times the throughput "
        "(95% interval 0.785 to 0.807, 4 forks, 40 pairs; "
        "expected on another day or machine of this kind: 0.73 to 0.87, assuming that sessions differ by 3%)."
    )
    assert found.holds_elsewhere and found.elsewhere is not None and found.elsewhere.assumed
    low, high = found.elsewhere.interval
    assert found.elsewhere.any_machine[0] < low < found.interval[0] < found.interval[1] < high < 0.9


def headings(verdicts: Verdicts) -> list[str]:
    return [str(column.header) for column in table(verdicts).columns]


def test_what_is_judged_is_what_the_table_shows(tmp_path: Path) -> None:
    closed = judged(tmp_path / "closed")
    assert headings(closed)[2] == "requests/s"
    opened = judged(tmp_path / "open", open_rate=500.0)
    assert primary(opened).measure == "response_time_p99"
    assert headings(opened)[2] == "99th percentile of response time, ms"
    wished = judged(tmp_path / "wished", judged_by="response_time_mean")
    assert primary(wished).measure == "response_time_mean" and "times the mean response time" in wished.sentence
    assert headings(wished)[2] == "Mean response time, ms"


def places(verdicts: Verdicts) -> list[tuple[str, int, int]]:
    return [(one.subject, one.best, one.worst) for one in verdicts.ranks]


def test_a_planted_20_percent_the_other_way_is_called_faster(tmp_path: Path) -> None:
    assert primary(judged(tmp_path, rates={A: 12_000.0, B: 10_000.0})).verdict == "faster"


def test_equal_subjects_are_called_equivalent(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, rates=EQUAL)
    assert primary(verdicts).verdict == "equivalent"
    assert "are equivalent on echoStruct, within 3%: 0.995 times" in verdicts.sentence
    assert (
        " times the throughput, on this machine, at this hour (95%" in verdicts.sentence
    )  # 3% between sessions is no margin
    assert primary(verdicts).holds_elsewhere is False


def test_a_small_difference_that_is_certain_is_told_with_its_direction_and_its_word_stays(tmp_path: Path) -> None:
    rates = {A: 10_000.0 / 1.015, B: 10_000.0}
    verdicts = judged(tmp_path, rates=rates, forks=12, fork_deviation=0.003, pair_deviation=0.01, looks=(12,))
    small = primary(verdicts)
    assert (small.verdict, small.direction) == ("equivalent", "slower")
    assert "tomcat-metro is slower than go on echoStruct, by less than the margin of 3%: 0.98" in verdicts.sentence
    (row,) = [row for row in rows(verdicts) if A in row]
    assert "slower, by less than the margin (against go)" in row


def rows(verdicts: Verdicts) -> list[str]:
    """The lines of the terminal's table."""
    console = Console(width=250, record=True, file=io.StringIO())
    console.print(table(verdicts))
    return console.export_text().splitlines()


def test_equal_subjects_in_noise_are_undecided_with_what_more_time_would_buy(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, rates=EQUAL, fork_deviation=0.06, seed=3)
    assert primary(verdicts).verdict == "undecided"
    assert verdicts.valid and "5% could be decided in about" in verdicts.sentence


@pytest.mark.parametrize("seed", range(12))
def test_equal_subjects_are_hardly_ever_called_different(tmp_path: Path, seed: int) -> None:
    assert primary(judged(tmp_path, rates=EQUAL, pairs=4, seed=seed)).verdict in {"equivalent", "undecided"}


def test_only_the_primary_measure_of_the_primary_cell_has_a_word(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, cells={"echoStruct": 1.0, "echoVoid": 1.5})
    words = [(one.cell, one.measure) for one in verdicts.comparisons if one.verdict is not None]
    assert words == [("echoStruct", "throughput")]
    secondary = next(one for one in verdicts.comparisons if (one.cell, one.measure) == ("echoVoid", "throughput"))
    assert secondary.interval is not None and secondary.interval[0] < 0.8 < secondary.interval[1]


def test_response_times_move_against_throughput(tmp_path: Path) -> None:
    found = {one.measure: one for one in judged(tmp_path).comparisons}
    for measure in ("response_time_mean", "response_time_p50", "response_time_p99", "cpu_per_request"):
        assert found[measure].ratio == pytest.approx(1.25, rel=0.03), measure
    assert found["memory"].ratio == pytest.approx(400 / 150, rel=1e-5)


def test_a_wrong_answer_voids_its_pair_and_is_shown(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, changes={(2, 5, B): {"wrong": 1}})
    found = primary(verdicts)
    assert (found.voided_pairs, found.voided, found.pairs) == (1, {"wrong answers": 1}, 39)
    assert any("go on echoStruct: 1 wrong answer among" in note for note in verdicts.notes)


def test_a_wrong_answer_that_only_the_full_check_saw_voids_its_pair_too(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, wrong_samples=((1, 4, A),))
    assert primary(verdicts).voided == {"wrong answers": 1}
    assert any("wrong answer: tomcat-metro, echoStruct, trial 1" in note for note in verdicts.notes)


def test_a_burst_of_compiling_voids_its_pair(tmp_path: Path) -> None:
    found = primary(judged(tmp_path, jit_bursts=frozenset({(1, 0, A), (1, 1, A), (4, 9, B)})))
    assert found.voided == {"compiling": 3} and found.forks == 4


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"stale": 500}, "stale connections"),
        ({"valid": 0, "why_not": "the clock stepped"}, "engine not valid"),
        ({"valid": 0, "why_not": "1 wrong answers", "wrong": 1}, "wrong answers"),
        ({"completed": 0, "refused": 40}, "no right answer"),
        ({"completed": 0}, "answers only after the slice, which is too short"),
    ],
)
def test_other_reasons_to_void_a_pair_are_counted(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    assert primary(judged(tmp_path, changes={(3, 3, A): change})).voided == {reason: 1}


def test_stale_connections_up_to_one_percent_are_borne(tmp_path: Path) -> None:
    assert primary(judged(tmp_path, changes={(3, 3, A): {"stale": 100}})).voided_pairs == 0


def test_a_fork_that_lost_most_of_its_pairs_does_not_count(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, jit_bursts=frozenset((2, pair, A) for pair in range(6)))
    found = primary(verdicts)
    assert found.forks == 3 and found.verdict == "too few forks"
    assert verdicts.sentence.startswith("Too few forks to judge tomcat-metro against go on echoStruct: ")
    assert (
        "Only 3 forks of at least 4 can be counted: trial 2 kept 4 of at least 5 pairs needed (compiling in 6)."
        in verdicts.sentence
    )


def test_a_violation_of_littles_law_replaces_the_verdict(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, response_factor=0.9)
    assert not verdicts.valid and primary(verdicts).verdict is None
    assert verdicts.sentence.startswith("No verdict: Little's law is off by -10.0% for tomcat-metro on echoStruct")
    assert verdicts.why_not == primary(verdicts).why_not


def test_a_small_deviation_from_littles_law_is_borne(tmp_path: Path) -> None:
    assert judged(tmp_path, response_factor=0.985).valid


def test_littles_law_does_not_make_up_for_what_the_edges_of_slices_cut_off(tmp_path: Path) -> None:
    """Of eight users' 2 s a tenth is in no answer of the slice: that much of throughput or of response time is not measured."""
    waiting = {"unfinished_ns_sum": 1_600_000_000}
    every = {(fork, pair, one): waiting for fork in range(1, 5) for pair in range(10) for one in (A, B)}
    verdicts = judged(tmp_path, response_factor=0.9, changes=every)
    assert not verdicts.valid and "Little's law is off by -10.0%" in verdicts.sentence


def test_littles_law_is_asked_of_slow_answers_too(tmp_path: Path) -> None:
    slow = {A: 80.0, B: 100.0}
    assert judged(tmp_path / "holds", rates=slow).valid
    verdicts = judged(tmp_path / "off", rates=slow, response_factor=0.9)
    assert not verdicts.valid and "Little's law is off by -10.0%" in verdicts.sentence


def test_littles_law_is_about_the_stretches_of_a_fork_together(tmp_path: Path) -> None:
    """A stretch alone may hold more or fewer answers than its users' time; over a fork that evens out."""
    length = 2_000_000_000 * 8
    uneven = {
        (fork, pair, one): {"response_ns_sum": round(length * (1.3 if pair % 2 else 0.7))}
        for fork in range(1, 5)
        for pair in range(10)
        for one in (A, B)
    }
    assert judged(tmp_path, rates={A: 80.0, B: 100.0}, changes=uneven).valid


def test_a_saturated_engine_replaces_the_verdict(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, engine_share=0.97)
    assert not verdicts.valid and "the load engine was 97% busy" in verdicts.why_not[0]


def in_turns(*, other_ns: int) -> dict[tuple[int, int, str], dict[str, int]]:
    """All measured slices of the default run, in turns, with so much of the first subject's work in others' turns."""
    of = {A: other_ns, B: 0}
    used = {one: {"cpu_own_ns": 1_800_000_000, "cpu_other_ns": of[one], "cpu_between_ns": 0} for one in of}
    return {(fork, pair, one): used[one] for fork in range(1, 5) for pair in range(10) for one in (A, B)}


def test_work_done_in_the_others_turns_replaces_the_verdict_if_it_is_more_than_half_the_margin(tmp_path: Path) -> None:
    borne = judged(tmp_path / "borne", changes=in_turns(other_ns=20_000_000))
    assert borne.valid and primary(borne).verdict == "slower"
    verdicts = judged(tmp_path / "leaks", changes=in_turns(other_ns=60_000_000))
    assert not verdicts.valid
    assert verdicts.why_not == [
        "tomcat-metro used 3.2% of its processor time on echoStruct outside its own turns, where it did not pay for it: "
        "more than half the margin of 3%"
    ]


def test_work_that_nobody_asks_for_replaces_the_verdict_if_it_is_more_than_half_the_margin(tmp_path: Path) -> None:
    borne = judged(tmp_path / "borne", at_rest={A: 0.012, B: 0.0})
    assert borne.valid and primary(borne).verdict == "slower"
    verdicts = judged(tmp_path / "busy", at_rest={A: 0.021, B: 0.0})
    assert not verdicts.valid
    assert verdicts.why_not == [
        "tomcat-metro used 2.1% of a processor without load, more than half the margin of 3%: paused in others' turns, "
        "it may do such work in its own turns and be charged twice; a margin of 4% or more allows for that"
    ]


def test_what_was_compiled_is_held_against_a_subjects_own_time_and_not_that_of_its_pair(tmp_path: Path) -> None:
    # 2 ms are 0.1% of the 2 s for which both were observed, and 3% of what was measured of the one.
    key, short = (1, 1, A), {"measured_ns": 60_000_000}
    unfrozen = judged(tmp_path / "unfrozen", changes={key: short}, pairs=6)
    assert primary(unfrozen).voided == {}
    turn = short | {"cpu_own_ns": 60_000_000, "cpu_other_ns": 0, "cpu_between_ns": 0}
    assert primary(judged(tmp_path / "frozen", changes={key: turn}, pairs=6)).voided == {"compiling": 1}


def test_a_trouble_of_another_cell_leaves_the_verdict_alone(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, cells={"echoStruct": 1.0, "echoVoid": 1.5}, engine_shares={"echoVoid": 0.97})
    assert verdicts.valid and primary(verdicts).verdict == "slower"
    secondary = next(one for one in verdicts.comparisons if (one.cell, one.measure) == ("echoVoid", "throughput"))
    assert "the load engine was 97% busy" in secondary.why_not[0]


def test_late_sending_refuses_tail_percentiles_and_nothing_else(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, lateness_ns=1_500_000)
    found = {one.measure: one for one in verdicts.comparisons}
    assert found["response_time_p99"].ratio is None and found["response_time_p99_9"].ratio is None
    assert found["response_time_p50"].ratio is not None and found["throughput"].verdict == "slower"
    assert any("sent late" in note for note in verdicts.notes)
    assert all(figure.value is None for figure in verdicts.figures if figure.measure == "response_time_p99")


def test_an_open_load_is_judged_by_its_99th_percentile(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, open_rate=5000.0)
    found = primary(verdicts)
    assert (found.measure, found.verdict) == ("response_time_p99", "slower")
    assert found.ratio == pytest.approx(1.25, rel=0.03)
    assert "1.26 times the 99th percentile of response time" in verdicts.sentence


def test_late_sending_leaves_an_open_load_without_a_verdict(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, open_rate=5000.0, lateness_ns=1_500_000)
    assert not verdicts.valid
    assert verdicts.sentence == "No verdict: requests to tomcat-metro were sent late, and 1 more reason."


def test_stolen_time_warns_and_much_of_it_replaces_the_verdict(tmp_path: Path) -> None:
    warned = judged(tmp_path / "some", steal_s=0.05)
    assert warned.valid and any("took 2.4% of the processors' time" in note for note in warned.notes)
    assert not judged(tmp_path / "much", steal_s=0.4).valid


def test_a_quota_that_ran_out_warns_and_where_it_halted_the_servers_replaces_the_verdict(tmp_path: Path) -> None:
    assert not any("quota" in note for note in judged(tmp_path / "held", throttled=(0, 0.0)).notes)
    warned = judged(tmp_path / "once", throttled=(1, 0.001))
    assert warned.valid and any("ran out in 80 periods on echoStruct" in note for note in warned.notes)
    halted = judged(tmp_path / "halted", throttled=(3, 0.1))
    assert not halted.valid and "the quota of processor time ran out in 240 periods" in halted.sentence


def test_a_server_that_closes_connections_is_warned_of(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, changes={(1, pair, A): {"closes": 1000} for pair in range(10)})
    assert verdicts.valid and any("tomcat-metro on echoStruct closed 15." in note for note in verdicts.notes)


def test_a_machine_that_was_not_quiet_is_noted_once(tmp_path: Path) -> None:
    busy = Check(name="other processes", found="backup 40%", good=False, advice="end them")
    quiet = Check(name="swap", found="0 MiB", good=True, advice="")
    verdicts = judged(tmp_path, machine={1: busy, 2: quiet, 3: busy})
    assert verdicts.notes == ["other processes before trials 1, 3: backup 40%"]


def test_percentiles_need_enough_requests(tmp_path: Path) -> None:
    found = {one.measure: one for one in judged(tmp_path, rates={A: 80.0, B: 100.0}, pairs=3).comparisons}
    assert found["response_time_p90"].ratio is not None
    assert found["response_time_p99"].ratio is None
    assert "p99 needs 1,000 requests" in found["response_time_p99"].why_not[0]


def test_a_run_as_published_has_ratios_and_no_interval(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, design="as-published", forks=1, pairs=1, slice_seconds=60.0)
    found = primary(verdicts)
    assert found.verdict == "too few forks" and found.interval is None and found.ratio == pytest.approx(0.8, rel=0.1)
    assert "(one unbroken run each). Run as published, once each" in verdicts.sentence


def test_a_failed_trial_is_a_result_and_its_fork_does_not_count(tmp_path: Path) -> None:
    failure = Failure(kind="died", subject=A, message="tomcat-metro died under load")
    verdicts = judged(tmp_path, forks=5, failures={2: failure}, cut_after_pairs={2: 8})
    assert primary(verdicts).forks == 4 and primary(verdicts).verdict == "slower"
    assert verdicts.status == "partial" and verdicts.failures[0].kind == "died"
    assert "4 of 5 planned trials were completed" in verdicts.notes


def test_an_interrupted_run_is_analysed_as_far_as_it_went(tmp_path: Path) -> None:
    stopped = Failure(kind="interrupted", message="stopped by the user")
    verdicts = judged(tmp_path, failures={4: stopped}, cut_after_pairs={4: 2})
    assert verdicts.status == "partial" and (primary(verdicts).forks, primary(verdicts).verdict) == (3, "too few forks")


def test_an_interrupted_trial_with_enough_pairs_counts(tmp_path: Path) -> None:
    stopped = Failure(kind="interrupted", message="stopped by the user")
    assert primary(judged(tmp_path, failures={4: stopped}, cut_after_pairs={4: 7})).forks == 4


def test_a_run_without_a_pair_says_why(tmp_path: Path) -> None:
    failure = Failure(kind="contract", subject=A, message="item 3: '4' is not '5'")
    verdicts = judged(tmp_path, forks=1, failures={1: failure}, cut_after_pairs={1: 0})
    assert not verdicts.valid and verdicts.sentence == "No verdict: trial 1 failed: item 3: '4' is not '5'."


def test_one_subject_alone_is_described_and_compared_with_nothing(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, rates={B: 10_000.0})
    assert verdicts.valid and not verdicts.comparisons
    assert (
        verdicts.sentence.startswith("Throughput of go on echoStruct: ")
        and "no other subject to compare it with" in verdicts.sentence
    )
    assert "4 forks" in verdicts.sentence


def test_figures_of_which_no_slice_counts_say_what_voided_them(tmp_path: Path) -> None:
    always = frozenset((fork, pair, B) for fork in (1, 2) for pair in range(20))
    analyse(write_run(tmp_path / "run", Planted(rates={B: 10_000.0}, forks=2, pairs=3, jit_bursts=always)))
    with (tmp_path / "run" / "results.csv").open() as file:
        refusals = {row["refusal"] for row in csv.DictReader(file) if row["measure"] == "throughput"}
    (refusal,) = refusals
    assert refusal.startswith("none of its slices counts: compiling in ")


def test_one_subject_that_only_failed_is_described_too(tmp_path: Path) -> None:
    failure = Failure(kind="died", subject=B, message="go died")
    verdicts = judged(tmp_path, rates={B: 10_000.0}, forks=1, failures={1: failure}, cut_after_pairs={1: 0})
    assert "Throughput of go on echoStruct: no right answer was measured" in verdicts.sentence
    assert verdicts.failures[0].message == "go died"


def test_no_steady_state_stands_beside_the_figures(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, unsteady=frozenset({(2, A), (3, A)}))
    assert verdicts.valid and (
        "tomcat-metro, given 12 s to settle, settled in 2 of 4 starts on echoStruct (not in trials 2, 3)"
        in verdicts.notes
    )


def test_what_was_not_steady_is_one_line_a_subject_and_tests_go_by_their_operation(tmp_path: Path) -> None:
    held = {"1": BigBang(users=5, seconds=20), "2": BigBang(users=15, seconds=20)}
    notes = judged(tmp_path, blocks=held, operations={"2": "pair"}, unsteady=frozenset({(1, A), (3, A)})).notes
    assert [note for note in notes if "to settle" in note] == [
        f"{A}, given 12 s to settle, settled in 2 of 4 starts on echoStruct, pair (not in trials 1, 3)"
    ]


def test_of_whom_the_same_is_to_be_said_it_is_said_once(tmp_path: Path) -> None:
    notes = judged(tmp_path, unsteady=frozenset({(2, A), (3, A), (2, B), (3, B)})).notes
    assert [note for note in notes if "to settle" in note] == [
        f"{A}, {B}, given 12 s to settle, settled in 2 of 4 starts on echoStruct (not in trials 2, 3)"
    ]


@pytest.mark.parametrize("tests", [4, 5])
def test_many_warnings_of_one_check_are_one_with_their_number(tmp_path: Path, tests: int) -> None:
    held = {str(test): BigBang(users=5, seconds=20) for test in range(1, tests + 1)}
    closing = {(fork, pair, A): {"closes": 1000} for fork in range(1, 5) for pair in range(tests)}
    notes = judged(tmp_path, blocks=held, changes=closing).notes
    warned = [note for note in notes if "connections per 1,000 requests" in note]
    if tests == 4:
        assert len(warned) == 4 and all(note.startswith(f"{A} on test") for note in warned)
    else:
        (only,) = warned
        assert only.startswith(f"Closes a 1,000: 5 warnings of the instrument's checks, for example: {A} on test 1")


def test_planned_looks_make_the_interval_wider(tmp_path: Path) -> None:
    one = primary(judged(tmp_path / "one"))
    many = primary(judged(tmp_path / "many", looks=(4, 6, 9, 12)))
    assert [one.confidence, many.confidence] == pytest.approx([0.95, 0.9832])
    assert one.interval is not None and many.interval is not None
    assert many.interval[0] < one.interval[0] and one.interval[1] < many.interval[1]


def test_three_subjects_are_each_compared_with_the_reference(tmp_path: Path) -> None:
    verdicts = judged(
        tmp_path, rates={A: 6000.0, "tomcat-cxf": 9950.0, B: 10_000.0}, fork_deviation=0.004, pair_deviation=0.02
    )
    found = {one.a: one.verdict for one in verdicts.comparisons if one.primary}
    assert found == {A: "slower", "tomcat-cxf": "equivalent"}
    assert verdicts.sentence.count("4 forks, 40 pairs") == 2


def test_subjects_that_cannot_be_separated_have_the_same_places_left(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, rates={A: 6000.0, "tomcat-cxf": 9950.0, B: 10_000.0}, fork_deviation=0.004)
    assert places(verdicts) == [(B, 1, 2), ("tomcat-cxf", 1, 2), (A, 3, 3)]
    assert verdicts.sentence.startswith(
        "By throughput on echoStruct, on this machine, at this hour: go 1 to 2, tomcat-cxf 1 to 2, tomcat-metro 3. "
        "Each range of places holds the places that no decided pair contradicts."
    )


def test_a_subject_of_which_too_few_forks_count_has_no_place(tmp_path: Path) -> None:
    void = {(1, pair, "wildfly"): {"valid": 0} for pair in range(10)}
    rates = {A: 6000.0, "wildfly": 3000.0, B: 10_000.0}
    verdicts = judged(tmp_path, rates=rates, fork_deviation=0.004, changes=void)
    assert places(verdicts) == [(B, 1, 1), (A, 2, 2)]
    assert "Not ranked, because too few of their forks count: wildfly." in verdicts.sentence


def test_what_fails_only_the_adjustment_has_a_word_of_its_own_and_names_the_comparisons_that_were_made(
    tmp_path: Path,
) -> None:
    """Four noisy forks: each interval excludes 1 by itself, and none does after adjusting for those that could be judged."""
    void = {(1, pair, "wildfly"): {"valid": 0} for pair in range(10)}
    rates = {B: 10_000.0, A: 9_000.0, "tomcat-cxf": 9_000.0, "wildfly": 3000.0}
    verdicts = judged(tmp_path, rates=rates, fork_deviation=0.04, changes=void, seed=8)
    found = {one.a: one for one in verdicts.comparisons if one.primary and one.b == B}
    assert [found[name].verdict for name in (A, "wildfly")] == ["unconfirmed", "too few forks"]
    assert found[A].interval is not None and found[A].interval[1] < 1
    assert found[A].why_not[0] == "its interval excludes 1, but not after adjusting for 2 comparisons"
    assert f"Unconfirmed that {A} is slower than {B} on echoStruct: " in verdicts.sentence


def test_two_subjects_are_not_ranked(tmp_path: Path) -> None:
    assert judged(tmp_path).ranks == []


def test_subjects_of_different_trials_are_compared_by_way_of_the_reference(tmp_path: Path) -> None:
    rates = {B: 10_000.0, A: 6000.0, "jetty-cxf": 9000.0, "wildfly": 3000.0, "payara": 2950.0}
    groups = ((B, A, "jetty-cxf"), (B, "wildfly", "payara"))
    verdicts = judged(tmp_path, rates=rates, groups=groups, fork_deviation=0.004)
    assert sorted(places(verdicts)) == sorted(
        [(B, 1, 1), ("jetty-cxf", 2, 2), (A, 3, 3), ("wildfly", 4, 5), ("payara", 4, 5)]
    )
    apart = next(one for one in verdicts.comparisons if (one.a, one.b) == ("jetty-cxf", "wildfly"))
    assert (apart.verdict, apart.forks, apart.primary) == ("faster", 4, True)
    assert apart.ratio == pytest.approx(3, rel=0.03)
    beside = next(one for one in verdicts.comparisons if (one.a, one.b) == ("wildfly", "payara"))
    assert beside.pairs == 40, "those that share their trials are compared pair by pair"


def engine_at_its_limit_with(subject: str) -> dict[tuple[int, int, str], dict[str, int]]:
    """All measured slices of the default run with one subject."""
    return {(trial, pair, subject): {"engine_user_ns": 1_990_000_000} for trial in range(1, 5) for pair in range(10)}


def test_an_engine_at_its_limit_with_one_subject_costs_only_that_subject_its_verdict(tmp_path: Path) -> None:
    rates = {A: 6000.0, "slow": 3000.0, B: 10_000.0}
    verdicts = judged(tmp_path, rates=rates, changes=engine_at_its_limit_with("slow"))
    assert verdicts.valid
    assert {(one.a, one.b): one.verdict for one in verdicts.comparisons if one.primary} == {
        (A, B): "slower",
        ("slow", B): None,
        (A, "slow"): None,
    }
    assert [one.subject for one in verdicts.ranks] == [B, A]
    assert "No verdict on slow against go: the load engine was" in verdicts.sentence


def test_an_engine_that_held_back_the_faster_one_alone_leaves_the_verdict_as_the_least_that_it_may_be(
    tmp_path: Path,
) -> None:
    rates = {A: 6000.0, "null": 60_000.0, B: 10_000.0}
    verdicts = judged(tmp_path, rates=rates, changes=engine_at_its_limit_with("null"))
    found = {(one.a, one.b): one for one in verdicts.comparisons if one.primary}
    assert {pair: one.verdict for pair, one in found.items()} == {
        (A, B): "slower",
        ("null", B): "faster",
        (A, "null"): "slower",
    }
    for pair in (("null", B), (A, "null")):
        (said,) = found[pair].why_not
        assert said.startswith("the load engine was ") and said.endswith("so the true difference may be larger")
    assert found[A, B].why_not == []


def test_an_engine_that_came_near_its_limit_with_the_slower_one_too_leaves_no_bound(tmp_path: Path) -> None:
    near = {key: {"engine_user_ns": 1_450_000_000} for key in engine_at_its_limit_with(A)}
    changes = engine_at_its_limit_with(B) | near
    assert judged(tmp_path / "1", rates={A: 6000.0, B: 10_000.0}, changes=engine_at_its_limit_with(B)).valid
    verdicts = judged(tmp_path / "2", rates={A: 6000.0, B: 10_000.0}, changes=changes)
    assert not verdicts.valid and "busy with go" in verdicts.why_not[0]


def test_an_engine_that_may_have_made_two_alike_leaves_no_verdict(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, rates={A: 10_000.0, B: 10_000.0}, changes=engine_at_its_limit_with(A))
    assert not verdicts.valid and "the load engine was" in verdicts.why_not[0]


def test_an_engine_near_its_limit_is_said_where_its_verdict_stands(tmp_path: Path) -> None:
    busy = {(trial, pair, "null"): {"engine_user_ns": 1_450_000_000} for trial in range(1, 5) for pair in range(10)}
    verdicts = judged(tmp_path, rates={A: 6000.0, "null": 60_000.0, B: 10_000.0}, changes=busy)
    said = next(one for one in verdicts.sentence.split(" is faster than ") if one.startswith("go on echoStruct"))
    assert "The load engine was" in said and "busy with null on echoStruct: its own work is part of what was" in said
    found = {(one.a, one.b): one for one in verdicts.comparisons if one.primary}
    assert found["null", B].verdict == "faster" and "busy with null" in found["null", B].why_not[0]
    assert found[A, B].why_not == []


def test_a_study_adds_a_measure_that_is_compared_like_any_other(tmp_path: Path) -> None:
    study = '[[measures]]\nname = "bytes_in"\ntitle = "Bytes in"\nunit = "B/s"\nbetter = "higher"\nsource = "slices"\n'
    verdicts = judged(tmp_path, study=f'{study}formula = "bytes_in / seconds"\n')
    found = next(one for one in verdicts.comparisons if one.measure == "bytes_in")
    assert found.ratio == pytest.approx(0.8, rel=0.05) and found.verdict is None


def test_a_wrong_measure_of_a_study_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match=r"study\.toml: measure 'x', key 'title' is missing"):
        judged(tmp_path, study='[[measures]]\nname = "x"\n')


def test_results_csv_has_a_row_a_fork_and_one_for_all(tmp_path: Path) -> None:
    judged(tmp_path)
    with (tmp_path / "run" / "results.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["subject"] == B and row["measure"] == "throughput"]
    assert [row["fork"] for row in rows] == ["1", "2", "3", "4", "all"]
    whole = rows[-1]
    assert float(whole["low"]) < float(whole["value"]) < float(whole["high"]) and whole["forks"] == "4"
    assert int(whole["requests"]) == sum(int(row["requests"]) for row in rows[:-1])


def test_verdicts_json_is_what_is_returned(tmp_path: Path) -> None:
    verdicts = judged(tmp_path)
    stored = json.loads((tmp_path / "run" / "verdicts.json").read_text())
    assert Verdicts.model_validate(stored) == verdicts


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    judged(tmp_path)
    first = [(tmp_path / "run" / name).read_bytes() for name in ("results.csv", "verdicts.json")]
    analyse(tmp_path / "run")
    assert first == [(tmp_path / "run" / name).read_bytes() for name in ("results.csv", "verdicts.json")]


def test_the_table_shows_figures_ratio_and_verdict_in_plain_text(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, cells={"echoStruct": 1.0, "echoVoid": 1.5})
    console = Console(width=140, no_color=True, record=True, file=(tmp_path / "out").open("w"))
    console.print(table(verdicts))
    text = console.export_text()
    assert "slower (against go)" in text and "secondary (against go)" in text and "requests/s" in text


def test_a_planted_fifth_of_processor_time_is_called_for_its_operation_alone(tmp_path: Path) -> None:
    """At an equal open rate, by processor time per request: tests/test_frameworks.py plants it in a real server."""
    called = {"items": 0, "echo": 0}
    for seed in range(10):
        verdicts = judged(
            tmp_path / str(seed),
            rates={"plain": 400.0, "planted": 400.0},
            reference="plain",
            cells={"items": 1.0, "echo": 1.0},
            judged_cells=True,
            judged_by="cpu_per_request",
            open_rate=400.0,
            pairs=4,
            busy={"plain": 0.1, "planted": 0.1},
            costs={("planted", "items"): 1.2},
            seed=seed,
        )
        for one in verdicts.comparisons:
            called[one.cell] += one.primary and one.verdict in ("slower", "faster")
        (items,) = [one for one in verdicts.comparisons if one.primary and one.cell == "items"]
        assert items.measure == "cpu_per_request" and items.ratio == pytest.approx(1.2, abs=0.06)
    assert called["items"] == 10 and called["echo"] <= 1


def test_a_row_names_its_measure_where_cells_are_judged_by_different_ones(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(cells={"echoStruct": 1.0, "echoVoid": 1.5}))
    schedule = read_run(run).schedule
    struct, void = schedule.cells
    cells = [struct.model_copy(update={"judged_by": "cpu_per_request"}), void]
    (run / "schedule.json").write_text(schedule.model_copy(update={"cells": cells}).model_dump_json())
    verdicts = analyse(run)
    assert headings(verdicts)[:4] == ["operation", "subject", "measure", "value"]
    of_struct, of_void = (row for row in rows(verdicts) if row.startswith("echo"))
    assert "Server CPU time per request, µs" in of_struct and " requests/s " in of_void


def count(run: Path, by_service: int, by_engine: int) -> None:
    """Store the two counts of subject A in the first trial's record."""
    path = run / "trials" / "01" / "trial.json"
    record = json.loads(path.read_text())
    record["counted"] = [{"subject": A, "by_service": by_service, "by_engine": by_engine}]
    path.write_text(json.dumps(record))


def test_a_service_that_counted_what_the_engine_counted_is_believed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted())
    count(run, 123_456, 123_456)
    assert analyse(run).valid


@pytest.mark.parametrize(("by_service", "by_engine"), [(123_455, 123_456), (123_457, 123_456)])
def test_a_service_that_counted_one_request_more_or_less_replaces_the_verdict(
    tmp_path: Path, by_service: int, by_engine: int
) -> None:
    run = write_run(tmp_path / "run", Planted())
    count(run, by_service, by_engine)
    verdicts = analyse(run)
    assert not verdicts.valid
    assert "tomcat-metro counted 123,45" in verdicts.sentence


@pytest.mark.parametrize("away", ["status", "fault", "outside_status", "outside_fault"])
@pytest.mark.parametrize(("turned_away", "valid"), [(2, True), (1, False)])
def test_requests_that_a_server_turned_away_may_never_have_reached_its_service(
    tmp_path: Path, away: str, turned_away: int, valid: bool
) -> None:
    run = write_run(tmp_path / "run", Planted(changes={(1, 0, A): {away: turned_away}}))
    count(run, 123_454, 123_456)
    assert analyse(run).valid is valid


@pytest.mark.parametrize("lost", ["reset", "outside_reset", "outside_timeout", "dropped", "stale", "outside_stale"])
@pytest.mark.parametrize(("unanswered", "valid"), [(2, True), (1, False)])
def test_requests_without_an_answer_may_have_reached_the_service_whenever_they_were_sent(
    tmp_path: Path, lost: str, unanswered: int, valid: bool
) -> None:
    run = write_run(tmp_path / "run", Planted(changes={(1, 0, A): {lost: unanswered}}))
    count(run, 123_458, 123_456)
    assert analyse(run).valid is valid


def test_a_count_that_is_off_condemns_only_the_cells_of_its_trial(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(cells={"echoStruct": 1.0, "echoVoid": 1.5}))
    count(run, 1, 2)
    path = run / "trials" / "01" / "trial.json"
    record = json.loads(path.read_text())
    record["slices"] = [plan for plan in record["slices"] if plan["cell"] == "echoStruct"]
    path.write_text(json.dumps(record))
    found = [one for one in examine(read_run(run)) if one.check == "Served, answered" and one.subject == A]
    assert {one.cell: one.level is Level.INVALID for one in found} == {"echoStruct": True, "echoVoid": False}


@pytest.mark.parametrize("refused", ["refused", "outside_refused"])
def test_requests_that_were_refused_cannot_have_reached_the_service(tmp_path: Path, refused: str) -> None:
    run = write_run(tmp_path / "run", Planted(changes={(1, 0, A): {refused: 2}}))
    count(run, 123_458, 123_456)
    assert not analyse(run).valid


def test_what_was_overloaded_in_one_stretch_widens_the_counts_of_no_other(tmp_path: Path) -> None:
    """Two requests of a slice of each cell got no answer; the service may have counted two more there, and none elsewhere."""
    run = write_run(
        tmp_path / "run",
        Planted(cells={"echoStruct": 1.0, "echoVoid": 1.5}, changes={(1, 0, A): {"outside_timeout": 2}}),
    )
    path = run / "trials" / "01" / "trial.json"
    record = json.loads(path.read_text())
    with (path.parent / "slices.csv").open(newline="") as file:
        overloaded = [int(row["slice"]) for row in csv.DictReader(file) if int(row["outside_timeout"])]
    cells = {plan["number"]: plan["cell"] for plan in record["slices"] if plan["subject"] == A}

    def wrong_cells(first: int, second: int, elsewhere: int) -> set[str]:
        more = [
            ([overloaded[0]], first),
            ([overloaded[1]], second),
            (sorted(cells.keys() - set(overloaded)), elsewhere),
        ]
        record["counted"] = [
            {"subject": A, "slices": slices, "by_service": 1_000 + extra, "by_engine": 1_000} for slices, extra in more
        ]
        path.write_text(json.dumps(record))
        readings = [reading for reading in examine(read_run(run)) if reading.check == "Served, answered"]
        return {reading.cell for reading in readings if reading.level is Level.INVALID}

    assert wrong_cells(2, 2, 0) == set()
    assert wrong_cells(3, 2, 0) == {cells[overloaded[0]]}
    assert wrong_cells(0, 0, 1) == {"echoStruct", "echoVoid"}


def test_where_compilers_took_every_pair_a_longer_warm_up_is_proposed(tmp_path: Path) -> None:
    def refusal(**planted: Any) -> SteelyardError:
        verdicts = judged(tmp_path / str(len(planted)), **planted)
        assert not verdicts.valid
        with pytest.raises(SteelyardError, match="there is no verdict") as refused:
            require_verdict(Outcome(tmp_path, verdicts, tmp_path / "report.html", []))
        return refused.value

    every = frozenset((trial, pair, A) for trial in range(1, 5) for pair in range(10))
    assert "compilers were still at work" in str(refusal(jit_bursts=every, pairs=10).hint)
    assert refusal(engine_share=0.97).hint == f"see {tmp_path / 'report.html'}"


def test_a_name_that_says_compiling_proposes_no_longer_warm_up(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, rates={"compiling": 10_000.0, B: 9_000.0}, reference=B, engine_share=0.97)
    assert not verdicts.valid and any("compiling" in reason for reason in verdicts.why_not)
    with pytest.raises(SteelyardError, match="there is no verdict") as refused:
        require_verdict(Outcome(tmp_path, verdicts, tmp_path / "report.html", []))
    assert refused.value.hint == f"see {tmp_path / 'report.html'}"
