"""A run of ours is judged from its raw slices: figures by load and subject, every request accounted for, its own verdict first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import steelyard
from kept_runs import KEPT_RUNS
from result_files import jtl_csv, requests
from steelyard.analyse.analysis import analyse_run
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.judging.compared import judge
from steelyard.judging.limits import THIS_HOUR
from steelyard.judging.own_run import OUTSIDE, WARM_UP
from steelyard.judging.parts import Selection
from steelyard.models.outputs.other_tools import JudgedFile, JudgeOutput
from steelyard.report import keeping
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

TWO_LOADS = {"echoStruct": 1.0, "getOrder": 0.5}


def judge_run(folder: Path) -> JudgeOutput:
    return judge([folder], Selection())


def by_subject(output: JudgeOutput, load: str = "echoStruct") -> dict[str, JudgedFile]:
    """The entries of one load by their subjects."""
    return {each.subject: each for each in output.files if each.load == load}


def test_a_comparison_gives_each_subjects_figures_and_its_own_verdict(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(forks=4, pairs=6))
    output = judge_run(folder)
    entries = by_subject(output)
    assert list(entries) == ["tomcat-metro", "go"] and len(output.files) == 2
    for label, planted in (("tomcat-metro", 8000), ("go", 10000)):
        rate = entries[label].throughput_per_s
        assert rate.value == pytest.approx(planted, rel=0.05)
        assert rate.low is not None and rate.high is not None and rate.low < rate.value < rate.high
        assert entries[label].users == (8, 8) and entries[label].response_ms["p50"].value
    assert output.compared == [f"{folder}: {analyse_run(read_run(folder)).verdicts.sentence}"]
    assert output.ratios == {} and THIS_HOUR in output.cannot_say


def test_every_request_of_a_run_is_counted_or_left_out_with_a_reason(tmp_path: Path) -> None:
    changes = {(2, 1, "go"): {"wrong": 3}}
    folder = write_run(tmp_path / "run", Planted(forks=2, pairs=4, changes=changes))
    entries = by_subject(judge_run(folder))
    for entry in entries.values():
        rows = entry.rows
        assert rows.read == rows.counted + sum(rows.left_out.values())
        assert rows.counted == entry.completed + entry.failed and rows.left_out[WARM_UP] > 0
        assert set(rows.left_out) - {WARM_UP, OUTSIDE}
    assert any("wrong answers" in reason for reason in entries["go"].rows.left_out)
    assert any("its pair, or its whole trial," in reason for reason in entries["tomcat-metro"].rows.left_out)


def test_a_kept_run_gives_what_the_whole_one_gives(tmp_path: Path) -> None:
    whole = write_run(tmp_path / "whole" / "run", Planted(forks=2, pairs=3))
    kept = keeping.keep(whole, tmp_path / "run")
    apart = [[each.model_copy(update={"file": ""}) for each in judge_run(folder).files] for folder in (whole, kept)]
    assert apart[0] == apart[1]


def test_loads_of_one_run_have_no_ratio_and_a_file_beside_it_has_one(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(forks=2, pairs=3, cells=TWO_LOADS))
    (tmp_path / "jmeter.jtl").write_text(jtl_csv(requests(30)))
    output = judge([folder, tmp_path / "jmeter.jtl"], Selection())
    assert [each.load for each in output.files] == ["echoStruct", "echoStruct", "getOrder", "getOrder", ""]
    first, *others, file = output.ratios["throughput"]
    assert first == 1.0 and others == [None, None, None] and file is not None and file < 0.1


def test_the_command_prints_the_verdict_then_each_subject(tmp_path: Path) -> None:
    write_run(tmp_path / "run", Planted(forks=4, pairs=6))
    ran = steelyard("judge", "run", folder=tmp_path)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].startswith("run: ") and "go" in lines[0]
    assert any(line.startswith("run, go under echoStruct: Steelyard (run)") for line in lines)
    assert "steady state before it was measured in 4 of 4 fresh starts" in ran.out
    assert not (tmp_path / "run" / "verdicts.json").exists()
    ran = steelyard("judge", "run", "--json", folder=tmp_path)
    assert [each["subject"] for each in json.loads(ran.out)["files"]] == ["tomcat-metro", "go"]


def test_a_failed_check_of_the_instrument_is_a_note(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(forks=4, pairs=6, engine_share=0.99))
    assert all("checks of the instrument failed" in each.notes[1] for each in judge_run(folder).files)


def test_a_kept_run_of_this_repository_is_judged() -> None:
    output = judge_run(KEPT_RUNS["demo"])
    assert output.files and output.compared
    assert all(each.rows.read == each.rows.counted + sum(each.rows.left_out.values()) for each in output.files)


def test_a_run_without_slices_to_judge_is_refused_by_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="injects faults and times nothing"):
        judge_run(KEPT_RUNS["petstore-faults"])
    folder = write_run(tmp_path / "run", Planted(forks=2, pairs=3))
    with pytest.raises(ConfigurationError, match="measured time is fixed"):
        judge([folder], Selection(skip_seconds=1))
    (tmp_path / "sessions" / "machines" / "session-1").mkdir(parents=True)
    (tmp_path / "sessions" / "cluster.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="several machines or in several sessions") as refused:
        judge_run(tmp_path / "sessions")
    assert "machines/session-1" in refused.value.hint
    (folder / "schedule.json").write_text("{}")
    with pytest.raises(StoreError, match=r"schedule.json"):
        judge_run(folder)
