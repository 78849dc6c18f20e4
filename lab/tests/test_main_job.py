"""The main job with an engine that only plays one: what is driven, in what order, and what becomes of a trial that fails."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from played import Run, played
from steelyard.measure.trial import trial
from steelyard.plan import stopping

ROOT = Path(__file__).parents[2]
STUDY = """
name = "small"
title = "A test's own study"
question = "What is driven?"
service = "wstest"
reference = "a"
operations = ["echoStruct"]
primary = "echoStruct"
forks = {forks}
pairs = 3
slice_seconds = 5
warm_up_limit_seconds = 15
corpus_entries = 5
subjects = [
  {{ label = "a", parts = [{{ server = "plain" }}] }},
  {{ label = "b", parts = [{{ server = "plain", factors = {{ mode = "{mode}" }} }}] }},
]
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return played(tmp_path, monkeypatch)


def study(folder: Path, forks: int = 2, mode: str = "right") -> str:
    (folder / "small.toml").write_text(STUDY.format(forks=forks, mode=mode))
    return "small.toml"


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("runs/*/trials/*/trial.json"))]


def verdicts(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("runs/*/verdicts.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def schema(name: str) -> Any:
    return json.loads((ROOT / "contracts" / f"{name}.schema.json").read_text())


def test_the_stand_in_writes_the_files_that_the_engine_writes_and_is_given_a_job_of_the_contract(
    run: Run, tmp_path: Path
) -> None:
    ran = run("run", study(tmp_path, forks=1))
    (folder,) = tmp_path.glob("runs/*/trials/01")
    jsonschema.validate(json.loads((folder / "job.json").read_text()), schema("job"))
    jsonschema.validate(json.loads((folder / "trial.json").read_text()), schema("trial"))
    documented = "".join((ROOT / "contracts" / "engine-output.md").read_text().split())
    for name in ("slices.csv", "ticks.csv", "samples/index.csv"):
        assert f"{name}`" in documented and header(folder / name) in documented, f"{name}: {ran.err}"
    assert {"intervals.hlog", "summary.json", "engine.log"} <= {path.name for path in folder.iterdir()}


def header(path: Path) -> str:
    return path.read_text().partition("\n")[0]


def test_a_difference_is_called_and_both_sides_count_alike(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path, forks=4), "--json", rates={"a": 1000, "b": 1300})
    assert ran.code == 0, ran.err
    (primary,) = [one for one in json.loads(ran.out)["comparisons"] if one["primary"]]
    assert (primary["a"], primary["verdict"], primary["forks"]) == ("b", "faster", 4)
    assert primary["ratio"] == pytest.approx(1.3, rel=0.01)
    counted = [one for record in records(tmp_path) for one in record["counted"]]
    assert len(counted) == 8 and all(one["by_service"] == one["by_engine"] for one in counted), counted
    # What was shown meanwhile, with --json too, and that nothing of it stays in the run's folder.
    assert "so far, fork 1: b / a, throughput of echoStruct: 1.30 (no interval yet)" in ran.err
    assert list(tmp_path.glob("runs/*/live.json")) == []


def test_warm_up_ends_where_it_is_steady_and_slices_are_driven_in_the_order_of_the_plan(
    run: Run, tmp_path: Path
) -> None:
    run("run", study(tmp_path, forks=1))
    (record,) = records(tmp_path)
    assert [(one["subject"], one["met"], one["slices"]) for one in record["steady"]] == [("a", True, 3), ("b", True, 3)]
    measured = [one["subject"] for one in record["slices"] if one["phase"] == "measure"]
    assert sorted(measured[:2]) == sorted(measured[2:4]) == sorted(measured[4:]) == ["a", "b"]
    assert measured[:2] == measured[3:1:-1], "A B, then B A"
    (folder,) = tmp_path.glob("runs/*/trials/01")
    with (folder / "slices.csv").open(newline="") as file:
        assert [int(row["slice"]) for row in csv.DictReader(file)] == [one["number"] for one in record["slices"]]


def test_a_budget_too_small_for_all_is_kept_by_leaving_out_and_saying_so(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path, forks=9), "--budget", "1s")
    assert "left out, for the budget does not hold it" in ran.err, ran.err
    found = verdicts(tmp_path)
    assert any(note.startswith("shortened to fit") for note in found["notes"])
    forks = next(one["forks"] for one in found["comparisons"] if one["primary"])
    assert forks == len(records(tmp_path)) < 9


def test_a_trial_that_fails_by_accident_is_made_up_for_once(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path), at=[[1, "b", 1, "reset"]])
    assert ran.code == 1 and "every request failed" in ran.err, ran.err
    found = records(tmp_path)
    assert [one["status"] for one in found] == ["failed", "complete", "complete"]
    assert (found[0]["failure"]["kind"], found[0]["failure"]["subject"]) == ("no-answer", "b")
    (schedule,) = tmp_path.glob("runs/*/schedule.json")
    assert [one["makes_up"] for one in json.loads(schedule.read_text())["trials"]] == [None, None, 1]


def test_where_a_verdict_is_promised_a_trial_whose_pairs_are_void_is_made_up_for_once(run: Run, tmp_path: Path) -> None:
    promised = tmp_path / study(tmp_path, forks=4)
    promised.write_text(promised.read_text() + "[budget]\nseconds = 600\nleast_forks = 4\n")
    ran = run("run", promised.name, rates={"b": 1300}, at=[[2, "b", None, "void"]])
    assert ran.code == 0, ran.err
    assert "trial 2 kept 0 of at least 2 pairs" in ran.err and "it is made up for" in ran.err, ran.err
    (schedule,) = tmp_path.glob("runs/*/schedule.json")
    assert [trial["makes_up"] for trial in json.loads(schedule.read_text())["trials"]] == [None] * 4 + [2]
    (primary,) = [compared for compared in verdicts(tmp_path)["comparisons"] if compared["primary"]]
    assert (primary["verdict"], primary["forks"]) == ("faster", 4)


def test_a_budget_ends_the_pairs_of_a_trial_that_it_does_not_hold_and_that_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = tmp_path / study(tmp_path, forks=4)
    short.write_text(short.read_text().replace("pairs = 3", "pairs = 6") + "[budget]\nseconds = 600\n")
    monkeypatch.setattr(stopping, "END_SECONDS", 1_000.0)  # so no pair beyond the least fits
    ran = run("run", short.name, rates={"b": 1300})
    assert ran.code == 0, ran.err
    for record in records(tmp_path):
        driven = {plan["pair"] for plan in record["slices"] if plan["phase"] == "measure"}
        assert record["status"] == "complete" and driven == {0, 1, 2}
    notes = verdicts(tmp_path)["notes"]
    said = "shortened to fit 10 minutes: 4 of 4 starts ended after 3 of 6 pairs, for a warm-up that took longer than planned"
    assert [note for note in notes if "starts ended after" in note] == [said]


def test_a_budget_that_holds_all_pairs_ends_none(run: Run, tmp_path: Path) -> None:
    roomy = tmp_path / study(tmp_path, forks=4)
    roomy.write_text(roomy.read_text() + "[budget]\nseconds = 3600\n")
    assert run("run", roomy.name, rates={"b": 1300}).code == 0
    assert not [note for note in verdicts(tmp_path)["notes"] if "starts ended after" in note]


def test_what_fails_in_every_trial_is_no_accident(run: Run, tmp_path: Path) -> None:
    run("run", study(tmp_path), at=[[None, "b", 0, "wrong"]])
    assert [(one["status"], one["failure"]["kind"]) for one in records(tmp_path)] == [("failed", "wrong-answer")] * 2


def test_an_engine_that_dies_is_named_with_its_last_words_and_the_next_trial_begins(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path), at=[[1, "a", 0, "end"]])
    assert "no more room in this engine" in ran.err and "Traceback" not in ran.err
    found = records(tmp_path)
    assert [one["status"] for one in found] == ["failed", "complete", "complete"]
    assert found[0]["failure"]["kind"] == "engine"


def test_an_engine_that_is_silent_is_given_up(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial._Driver, "_patience", lambda _self: 0.5)
    ran = run("run", study(tmp_path, forks=1), at=[[1, "a", 0, "silent"]])
    assert ran.code == 1 and "the engine was silent for 0.5 s" in ran.err, ran.err


def test_a_subject_that_never_starts_is_not_tried_again(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path, forks=3, mode="die-at-start"))
    assert ran.code == 1 and "there is no room for me here" in ran.err
    assert [one["failure"]["kind"] for one in records(tmp_path)] == ["not-ready"]


def test_ctrl_c_leaves_a_report_and_resume_drives_what_is_left(run: Run, tmp_path: Path) -> None:
    stopped = run("run", study(tmp_path, forks=4), at=[[2, "b", 2, "interrupt"]])
    assert stopped.code == 130 and "stopped; what was measured is in" in stopped.err, stopped.err
    (folder,) = tmp_path.glob("runs/*")
    assert verdicts(tmp_path)["status"] != "complete" and (folder / "report.html").is_file()
    whole = {path.name: path.read_bytes() for path in (folder / "trials" / "01").iterdir() if path.is_file()}
    planned = json.loads((folder / "schedule.json").read_text())["trials"]

    ran = run("run", "--resume", str(folder))
    assert ran.code == 0, ran.err
    assert {path.name: path.read_bytes() for path in (folder / "trials" / "01").iterdir() if path.is_file()} == whole
    assert (folder / "trials" / "02.stopped-1" / "slices.csv").is_file()
    found = [one for one in records(tmp_path) if one["status"] == "complete"]
    assert [(one["number"], one["seed"]) for one in found] == [(one["number"], one["seed"]) for one in planned]
    assert verdicts(tmp_path)["status"] == "complete"
    again = run("run", "--resume", str(folder))
    assert (again.code, "nothing is left to resume" in again.err) == (1, True), again.err


def test_a_run_is_not_resumed_on_another_setup(run: Run, tmp_path: Path) -> None:
    run("run", study(tmp_path), at=[[2, "b", 2, "interrupt"]])
    (folder,) = tmp_path.glob("runs/*")
    environment = json.loads((folder / "environment.json").read_text())
    environment["machine"]["kernel"] = "Linux 2.4"
    (folder / "environment.json").write_text(json.dumps(environment))
    ran = run("run", "--resume", str(folder))
    assert ran.code == 1
    assert "machine.kernel was Linux 2.4" in ran.err and "start a new run" in ran.err, ran.err
    assert (folder / "trials" / "02").is_dir()


def test_a_comparison_ends_at_the_first_look_that_decides(run: Run, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(
        STUDY.format(forks=6, mode="right").replace("forks = 6", "forks = 6\nlooks = [4, 6]")
    )
    ran = run("run", "small.toml", "--json", rates={"b": 2000})
    assert ran.code == 0, ran.err
    assert [one["number"] for one in records(tmp_path)] == [1, 2, 3, 4]
    assert [one["verdict"] for one in verdicts(tmp_path)["comparisons"] if one["primary"]] == ["faster"]


SLOW = {"a": 4, "b": 3}  # answers a second: of eight users each waits for 2 and 2.7 s


def test_answers_too_slow_for_turns_are_measured_in_stretches_whose_cost_is_said(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path, forks=4), "--users", "8", "--json", rates=SLOW)
    assert ran.code == 0, ran.err
    assert "answers take 2.7 s on echoStruct, too long for turns: each subject has 3 stretches of" in ran.err
    for record in records(tmp_path):
        (plan,) = record["stretches"]
        assert plan["fits"] and plan["pairs"] == 3 and plan["response_s"] == pytest.approx(8 / 3, rel=0.01)
        assert plan["pairs"] * plan["seconds"] > 50 * 8 / 3
    (primary,) = [one for one in json.loads(ran.out)["comparisons"] if one["primary"]]
    assert (primary["verdict"], primary["forks"]) == ("slower", 4)
    assert primary["ratio"] == pytest.approx(0.75, rel=0.01)


def test_a_budget_that_cannot_hold_the_stretches_says_so_and_gives_no_word_on_throughput(
    run: Run, tmp_path: Path
) -> None:
    short = tmp_path / study(tmp_path, forks=4)
    short.write_text(short.read_text() + "[budget]\nseconds = 400\n")
    ran = run("run", short.name, "--users", "8", rates=SLOW)
    assert ran.code == 2 and "error: there is no verdict: trial 1 has 7 answers of each user, of the 50" in ran.err
    assert ran.err.count("throughput needs about") == 1 and "so there will be no verdict on it" in ran.err
    assert all(not plan["fits"] for record in records(tmp_path) for plan in record["stretches"])
    found = verdicts(tmp_path)
    (primary,) = [one for one in found["comparisons"] if one["primary"]]
    assert (primary["verdict"], primary["forks"]) == ("too few forks", 0)
    assert "of the 50 that throughput needs" in " ".join(primary["why_not"])
    mean = next(one for one in found["comparisons"] if one["measure"] == "response_time_mean")
    assert mean["forks"] == 4 and not [note for note in found["notes"] if "starts ended after" in note]


def test_quick_answers_take_turns_and_no_stretch_is_planned(run: Run, tmp_path: Path) -> None:
    run("run", study(tmp_path, forks=1))
    assert [record["stretches"] for record in records(tmp_path)] == [[]]
