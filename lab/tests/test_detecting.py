"""Detectors on loads with a shape: planted effects are found, described and used in decisions."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from steelyard.analyse import blocks as shaped
from steelyard.analyse.analysis import analyse, decision_table
from steelyard.analyse.detectors import DETECTORS
from steelyard.analyse.detectors.detector import Detector
from steelyard.analyse.instrument import Level, examine
from steelyard.base.paths import root
from steelyard.catalogue import entries, published_tables
from steelyard.models.job import BigBang, Bursts, Ramp, Steps
from steelyard.models.study import Span
from steelyard.models.verdict import Detection, Verdicts
from steelyard.plan.shapes import levels_of
from steelyard.results.stored_run import Run, read_run
from steelyard.results.tables import SPAN_COLUMNS
from synthetic import Planted, write_run

A, B = "tomcat-metro", "go"
HELD = BigBang(users=5, seconds=60)
RAMP = Ramp(from_users=1, to_users=40, seconds=120)
BURSTS = Bursts(users=35, idle_seconds=5, on_seconds=15, off_seconds=5, seconds=65)
STEPS = Steps(levels=[1, 2, 4, 8, 16, 24, 32, 48], hold_seconds=6)


def run_of(tmp_path: Path, **planted: Any) -> Run:
    return read_run(write_run(tmp_path / "run", Planted(**{"rates": {A: 800.0, B: 1000.0}, **planted})))


def verdicts_of(tmp_path: Path, **planted: Any) -> Verdicts:
    return analyse(run_of(tmp_path, **planted).folder)


def said(verdicts: Verdicts, detector: str, subject: str | None) -> Detection:
    (found,) = [one for one in verdicts.detections if (one.detector, one.subject) == (detector, subject)]
    return found


def test_a_block_reads_back_second_by_second(tmp_path: Path) -> None:
    run = run_of(tmp_path, blocks={"4": RAMP}, refuses_from={B: 30})
    forks = shaped.series(run, run.schedule.cells[0], B)
    assert len(forks) == 4
    one = forks[0]
    assert list(one.second) == list(range(1, 121)) and (one.users[0], one.users[-1]) == (1, 40)
    assert np.allclose(one.throughput_per_s * one.response_ms, 1000 * one.users), "Little's law, second by second"
    assert set(one.failures) == {"refused"} and not one.failures["refused"][one.users < 30].any()
    levels = shaped.by_users(one)
    assert list(levels.users) == list(range(1, 41))
    assert levels.response_ms[39] == pytest.approx(40 * levels.response_ms[0], rel=0.1)


def test_a_block_that_the_engine_did_not_drive_as_planned_is_no_part_of_charts_and_detections(tmp_path: Path) -> None:
    run = run_of(tmp_path, blocks={"4": RAMP})
    table = run.folder / "trials" / "01" / "slices.csv"
    heading, *rows = table.read_text().splitlines()
    (valid,) = [place for place, name in enumerate(heading.split(",")) if name == "valid"]
    cells = [row.split(",") for row in rows]
    spoilt = [[*row[:valid], "0", *row[valid + 1 :]] for row in cells]
    table.write_text("\n".join([heading, *(",".join(row) for row in spoilt)]) + "\n")
    again = read_run(run.folder)
    assert [one.trial for one in shaped.series(again, again.schedule.cells[0], B)] == [2, 3, 4]


def test_a_creeping_response_time_is_called_unstable_and_a_flat_one_steady(tmp_path: Path) -> None:
    verdicts = verdicts_of(tmp_path, blocks={"1": HELD}, creeps={A: 0.3})
    assert f"{A} is unstable under constant load" in said(verdicts, "drift", A).sentence
    assert f"{B} sustains the load" in said(verdicts, "drift", B).sentence


def test_slow_first_seconds_are_the_settling_time(tmp_path: Path) -> None:
    verdicts = verdicts_of(tmp_path, blocks={"1": HELD}, settles={A: 6})
    assert f"{A} settles after 6.00 s" in said(verdicts, "settling", A).sentence
    assert f"{B} settles after 0 s" in said(verdicts, "settling", B).sentence
    assert f"{A} sustains the load" in said(verdicts, "drift", A).sentence, "settling is cut off before the trend"


def test_refusal_under_a_ramp_is_named_by_users_and_beside_the_others(tmp_path: Path) -> None:
    verdicts = verdicts_of(tmp_path, blocks={"10": RAMP}, refuses_from={A: 24}, knees={B: 10})
    assert f"{A} refuses from 24 users on (16.7% of requests: refused)" in said(verdicts, "refusal", A).sentence
    assert (
        "answers all requests up to 40 users but takes 4.0 times as long as with the fewest"
        in said(verdicts, "refusal", B).sentence
    )
    assert said(verdicts, "refusal", None).sentence.startswith(f"{A} refuses from 24 users on")
    assert verdicts.decisions[0].tests[0].failed == {A: pytest.approx(0.08, abs=0.02)}


def test_bursts_are_judged_one_by_one(tmp_path: Path) -> None:
    sentence = said(verdicts_of(tmp_path, blocks={"5": BURSTS}, settles={A: 3}), "recovery", A).sentence
    assert f"{A} recovers in every burst: burst 1 after 3.00 s" in sentence and "burst 3 after 3.00 s" in sentence


def test_knee_and_law_come_from_held_steps(tmp_path: Path) -> None:
    verdicts = verdicts_of(tmp_path, blocks={"stress": STEPS}, knees={A: 12, B: 12})
    assert f"{A}'s throughput stops growing at 1" in said(verdicts, "knee", A).sentence
    assert f"{A} follows the scalability law" in said(verdicts, "scalability", A).sentence


def test_where_work_outlives_its_answers_the_knee_is_that_of_what_was_finished(tmp_path: Path) -> None:
    """A shop that takes in orders ever faster, and completes 120 a second at most: its queue takes in what it does not let out."""
    run = run_of(tmp_path, blocks={"stress": STEPS}, knees={A: 100})
    cell = run.schedule.cells[0]
    order = Span(name="order", begin="received", end="done", meaning="a test's")
    judged = run.schedule.model_copy(
        update={"spans": [order], "cells": [cell.model_copy(update={"judged_by": "order"})]}
    )
    (run.folder / "schedule.json").write_text(judged.model_dump_json())
    for trial in run.trials:
        (number,) = trial.measured_slices[cell.name, A].values()
        begin = trial.slices[number].begin_ns
        rows = [",".join(SPAN_COLUMNS)]
        for level, (users, held_from, held_to) in enumerate(levels_of(STEPS)):
            ends = np.linspace(
                held_from, held_to, num=round(10 * min(users, 12) * (held_to - held_from)), endpoint=False
            )
            instants = (begin + int(1e9 * end) for end in ends)
            rows += [f"{number},{A},order,{level}-{end},{begin},{end},1" for end in instants]
        rows.append(f"{number},{A},order,never,{begin},,1")
        (trial.folder / "spans.csv").write_text("\n".join(rows) + "\n")
    again = read_run(run.folder)
    (cell,) = again.schedule.cells
    finding = DETECTORS["knee"].say(A, shaped.series(again, cell, A), cell)
    assert finding.startswith(f"{A}'s throughput of order stops growing at 12"), finding
    answers = DETECTORS["knee"].say(A, shaped.series(run, run.schedule.cells[0], A), run.schedule.cells[0])
    assert "throughput still grows" in answers, "the answers alone tell of no end"


def test_a_block_that_began_beside_work_of_another_is_no_part_of_charts_and_detections(tmp_path: Path) -> None:
    run = run_of(tmp_path, blocks={"4": HELD, "10": RAMP})
    (trial, *_) = run.trials
    first = min(number for cell in run.schedule.cells for number in trial.measured_slices[cell.name, B].values())
    record = json.loads((trial.folder / "trial.json").read_text())
    record["settled"] = [{"slice": first, "subject": B, "settled": False, "seconds": 180, "counts": {}}]
    (trial.folder / "trial.json").write_text(json.dumps(record))
    again = read_run(run.folder)
    drawn = {cell.name: [block.trial for block in shaped.series(again, cell, B)] for cell in again.schedule.cells}
    assert sorted(drawn.values()) == [[1, 2, 3, 4], [2, 3, 4]], (
        "the first is whole, what came after it waited behind its work"
    )


def test_what_is_too_short_to_be_judged_is_said_with_its_reason(tmp_path: Path) -> None:
    short = {"1": BigBang(users=5, seconds=3), "stress": Steps(levels=[1, 2, 3, 4, 5, 6], hold_seconds=2)}
    verdicts = verdicts_of(tmp_path, blocks=short, scale=0.1)
    assert not any(said(verdicts, name, A).judged for name in ("drift", "settling", "knee"))
    assert said(verdicts, "drift", A).sentence.startswith(f"Not judged whether {A} sustains the load: a level needs")
    assert "held for 2 s" in said(verdicts, "knee", A).sentence
    assert verdicts.scale == 0.1 and any("scaled by 0.1" in note for note in verdicts.notes)
    assert "scaled by 0.1" in verdicts.sentence


def test_the_best_of_each_environment_and_shape_is_named_with_its_verdicts(tmp_path: Path) -> None:
    rates = {A: 800.0, B: 1000.0, "wildfly": 805.0}
    blocks = {"1": HELD, "2": HELD, "7": HELD, "4": RAMP}
    verdicts = verdicts_of(tmp_path, rates=rates, blocks=blocks, operations={"7": "pair"}, fork_deviation=0.005)
    assert verdicts.ranks == [] and verdicts.valid
    found = {(one.operation, one.shape): one for one in verdicts.decisions}
    assert set(found) == {("echoStruct", "constant"), ("pair", "constant"), ("echoStruct", "ramp")}
    decided = found["echoStruct", "constant"]
    assert [test.test for test in decided.tests] == ["1", "2"]
    assert (decided.best, decided.contenders, decided.sentence) == (B, [], B)
    ranks = {one.subject: (one.best, one.worst) for one in decided.tests[0].ranks}
    assert ranks == {B: (1, 1), A: (2, 3), "wildfly": (2, 3)}
    assert any(words.startswith(f"{A} slower than {B} (0.") for words in decided.tests[0].verdicts)
    assert (
        f"On pair, by throughput, on this machine, at this hour, best under a constant load: {B} (test 7)."
        in verdicts.sentence
    )
    console = Console(width=120, record=True, file=StringIO())
    console.print(decision_table(verdicts))
    assert B in console.export_text()


def test_equal_subjects_are_named_as_equal_with_ratio_and_interval(tmp_path: Path) -> None:
    (decided,) = verdicts_of(tmp_path, rates={A: 1000.0, B: 1000.0}, blocks={"1": HELD}).decisions
    (near,) = decided.contenders
    assert {decided.best, near.subject} == {A, B} and near.verdict == "equivalent"
    assert near.ratio is not None and near.interval is not None and near.interval[0] < near.ratio <= 1
    low, high = near.interval
    assert decided.sentence == f"{decided.best}, with {near.subject} ({near.ratio:.3f}, {low:.3f} to {high:.3f}) equal"


def test_what_is_not_ruled_out_stands_beside_the_best_with_its_ratio_to_it(tmp_path: Path) -> None:
    """Whichever of two measured better is the best, and the ratio is the other's to it, whatever the reference is."""
    verdicts = verdicts_of(
        tmp_path, rates={A: 1000.0, B: 1000.0, "wildfly": 200.0}, blocks={"1": HELD, "2": HELD}, fork_deviation=0.1
    )
    (decided,) = verdicts.decisions
    assert decided.best in (A, B) and [one.test for one in decided.contenders] == ["1", "2"]
    beside = {one.cell: one for one in verdicts.comparisons if one.primary and {one.a, one.b} == {A, B}}
    for near in decided.contenders:
        found = beside[near.test]
        assert near.subject != decided.best and found.ratio is not None
        assert near.ratio == pytest.approx(found.ratio if near.subject == found.a else 1 / found.ratio)
        assert near.interval is not None and near.interval[0] < near.ratio < near.interval[1]
    assert " in test 1; " in decided.sentence and decided.sentence.endswith(" in test 2) not ruled out")
    assert "wildfly" not in decided.sentence


def test_where_nobody_was_beaten_nobody_is_called_the_best(tmp_path: Path) -> None:
    verdicts = verdicts_of(tmp_path, rates={A: 1000.0, B: 1000.0}, blocks={"1": HELD}, fork_deviation=0.1)
    (decided,) = verdicts.decisions
    (near,) = decided.contenders
    assert near.verdict == "undecided" and {decided.best, near.subject} == {A, B}
    assert decided.sentence.startswith(f"undecided between {decided.best} and {near.subject} (")
    assert f"best under a constant load: {decided.sentence}" in verdicts.sentence


def test_how_times_spread_within_forks_leaves_out_what_lies_between_them(tmp_path: Path) -> None:
    study = (root() / "papers" / "soaservers" / "soaservers.toml").read_text(encoding="utf-8")
    verdicts = verdicts_of(tmp_path, blocks={"1": HELD}, fork_deviation=0.8, study=study)
    spreads = [one for one in verdicts.figures if one.measure.startswith("response_time_deviation")]
    assert len(spreads) == 4
    for one in spreads:
        assert one.value is not None and one.interval is not None
        assert one.interval[0] < one.value < one.interval[1], one


def test_too_few_forks_name_no_best(tmp_path: Path) -> None:
    (decided,) = verdicts_of(tmp_path, blocks={"1": HELD}, forks=1).decisions
    assert decided.best is None and decided.contenders == []
    assert (
        decided.sentence.startswith("not judged: ") and "only 1 fork of at least 4 can be counted" in decided.sentence
    )


def test_littles_law_is_shown_for_a_shape_and_judges_a_constant_load(tmp_path: Path) -> None:
    findings = [one for one in examine(run_of(tmp_path, blocks={"1": HELD, "4": RAMP})) if one.check == "Little's law"]
    levels = {(one.cell, one.level, one.reading) for one in findings}
    assert levels == {("1", Level.OK, "+0.00%"), ("4", Level.UNKNOWN, "its load has a shape (+0%)")}


def test_a_detector_is_asked_of_the_profiles_that_it_names_and_of_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Detector(
        "counting", frozenset({"ramp"}), "how long {} was seen", lambda name, forks, _: f"{name}: {len(forks)} forks."
    )
    monkeypatch.setitem(DETECTORS, "counting", counting)
    verdicts = verdicts_of(tmp_path, blocks={"1": HELD, "4": RAMP})
    asked = [(one.cell, one.sentence) for one in verdicts.detections if one.detector == "counting"]
    assert asked == [("4", f"{A}: 4 forks."), ("4", f"{B}: 4 forks.")]


def test_what_a_paper_read_off_its_charts_names_a_detector() -> None:
    claims = entries.study_files()["soaservers"].with_name("claims.toml")
    readings = published_tables.read_conclusions(claims).readings
    assert readings and {reading.detector for reading in readings} <= DETECTORS.keys()
