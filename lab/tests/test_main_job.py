"""The main job with a simulated engine: the driven trials, their order, and the handling of failures."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import Ran
from played import Run, played_once, records, study
from steelyard.measure.trial import trial
from steelyard.plan import stopping

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Made:
    """A command that was run once, for tests that only read what it left in its folder."""

    ran: Ran
    folder: Path


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A run of one trial in which nothing is planted."""
    folder = tmp_path_factory.mktemp("plain")
    return Made(played_once(folder, "run", study(folder, forks=1)), folder)


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A run of a large difference, with looks after 4 and 6 trials and a budget that holds all of them."""
    folder = tmp_path_factory.mktemp("called")
    path = folder / study(folder, forks=6, more="[budget]\nseconds = 3600\n")
    path.write_text(path.read_text().replace("forks = 6", "forks = 6\nlooks = [4, 6]"))
    return Made(played_once(folder, "run", path.name, "--json", rates={"a": 1000, "b": 1300}), folder)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A run that Ctrl-C ended in the second of its four trials."""
    folder = tmp_path_factory.mktemp("interrupted")
    return Made(played_once(folder, "run", study(folder, forks=4), at=[[2, "b", 2, "interrupt"]]), folder)


@pytest.fixture
def stopped(interrupted: Made, tmp_path: Path) -> Made:
    """The same in a folder of the test's own, which may change it."""
    shutil.copytree(interrupted.folder, tmp_path, dirs_exist_ok=True)
    return Made(interrupted.ran, tmp_path)


def verdicts(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("runs/*/verdicts.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def schema(name: str) -> Any:
    return json.loads((ROOT / "contracts" / f"{name}.schema.json").read_text())


def test_the_stand_in_writes_the_files_that_the_engine_writes_and_is_given_a_job_of_the_contract(plain: Made) -> None:
    (folder,) = plain.folder.glob("runs/*/trials/01")
    jsonschema.validate(json.loads((folder / "job.json").read_text()), schema("job"))
    jsonschema.validate(json.loads((folder / "trial.json").read_text()), schema("trial"))
    documented = "".join((ROOT / "contracts" / "engine-output.md").read_text().split())
    for name in ("slices.csv", "ticks.csv", "samples/index.csv"):
        assert f"{name}`" in documented and header(folder / name) in documented, f"{name}: {plain.ran.err}"
    assert {"intervals.hlog", "summary.json", "engine.log"} <= {path.name for path in folder.iterdir()}


def header(path: Path) -> str:
    return path.read_text().partition("\n")[0]


def test_a_difference_is_called_and_both_sides_count_alike(called: Made) -> None:
    assert called.ran.code == 0, called.ran.err
    (primary,) = [one for one in json.loads(called.ran.out)["comparisons"] if one["primary"]]
    assert (primary["a"], primary["verdict"], primary["forks"]) == ("b", "faster", 4)
    assert primary["ratio"] == pytest.approx(1.3, rel=0.01)
    counted = [one for record in records(called.folder) for one in record["counted"]]
    assert len(counted) == 8 and all(one["by_service"] == one["by_engine"] for one in counted), counted
    # What was shown meanwhile, with --json too, and that nothing of it stays in the run's folder.
    assert "so far, fork 1: b / a, throughput of echoStruct: 1.30 (no interval yet)" in called.ran.err
    assert list(called.folder.glob("runs/*/live.json")) == []


def test_a_comparison_ends_at_the_first_look_that_decides(called: Made) -> None:
    assert [record["number"] for record in records(called.folder)] == [1, 2, 3, 4]
    primary = [one["verdict"] for one in verdicts(called.folder)["comparisons"] if one["primary"]]
    assert primary == ["faster"]


def test_a_budget_that_holds_all_pairs_ends_none(called: Made) -> None:
    assert not [note for note in verdicts(called.folder)["notes"] if "starts ended after" in note]
    for record in records(called.folder):
        assert {plan["pair"] for plan in record["slices"] if plan["phase"] == "measure"} == {0, 1, 2}


def test_warm_up_ends_where_it_is_steady_and_slices_are_driven_in_the_order_of_the_plan(plain: Made) -> None:
    (record,) = records(plain.folder)
    assert [(one["subject"], one["met"], one["slices"]) for one in record["steady"]] == [("a", True, 3), ("b", True, 3)]
    measured = [one["subject"] for one in record["slices"] if one["phase"] == "measure"]
    assert sorted(measured[:2]) == sorted(measured[2:4]) == sorted(measured[4:]) == ["a", "b"]
    assert measured[:2] == measured[3:1:-1], "A B, then B A"
    (folder,) = plain.folder.glob("runs/*/trials/01")
    with (folder / "slices.csv").open(newline="") as file:
        assert [int(row["slice"]) for row in csv.DictReader(file)] == [one["number"] for one in record["slices"]]


def test_a_budget_too_small_for_all_is_kept_by_leaving_out_and_saying_so(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path, forks=9), "--budget", "1s")
    assert "left out, because the budget is too short" in ran.err, ran.err
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
    promised = study(tmp_path, forks=4, more="[budget]\nseconds = 600\nleast_forks = 4\n")
    ran = run("run", promised, rates={"b": 1300}, at=[[2, "b", None, "void"]])
    assert ran.code == 0, ran.err
    assert "trial 2 kept 0 of at least 2 pairs" in ran.err and "it is repeated" in ran.err, ran.err
    (schedule,) = tmp_path.glob("runs/*/schedule.json")
    assert [trial["makes_up"] for trial in json.loads(schedule.read_text())["trials"]] == [None] * 4 + [2]
    (primary,) = [compared for compared in verdicts(tmp_path)["comparisons"] if compared["primary"]]
    assert (primary["verdict"], primary["forks"]) == ("faster", 4)


def test_a_budget_ends_the_pairs_of_a_trial_that_it_does_not_hold_and_that_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = study(tmp_path, forks=4, pairs=6, more="[budget]\nseconds = 600\n")
    monkeypatch.setattr(stopping, "END_SECONDS", 1_000.0)  # so no pair beyond the least fits
    ran = run("run", short, rates={"b": 1300})
    assert ran.code == 0, ran.err
    for record in records(tmp_path):
        driven = {plan["pair"] for plan in record["slices"] if plan["phase"] == "measure"}
        assert record["status"] == "complete" and driven == {0, 1, 2}
    notes = verdicts(tmp_path)["notes"]
    said = (
        "shortened to fit 10 minutes: 4 of 4 starts ended after 3 of 6 pairs, because warm-up took longer than planned"
    )
    assert [note for note in notes if "starts ended after" in note] == [said]


def test_what_fails_in_every_trial_is_no_accident(run: Run, tmp_path: Path) -> None:
    run("run", study(tmp_path), at=[[None, "b", 0, "wrong"]])
    assert [(one["status"], one["failure"]["kind"]) for one in records(tmp_path)] == [("failed", "wrong-answer")] * 2


def test_an_engine_that_dies_is_named_with_its_last_words_and_the_next_trial_begins(run: Run, tmp_path: Path) -> None:
    ran = run("run", study(tmp_path), at=[[1, "a", 0, "end"]])
    assert "no more room in this engine" in ran.err
    found = records(tmp_path)
    assert [one["status"] for one in found] == ["failed", "complete", "complete"]
    assert found[0]["failure"]["kind"] == "engine"


def test_an_engine_that_is_silent_is_given_up(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial._Driver, "_patience", lambda _self: 0.5)
    ran = run("run", study(tmp_path, forks=1), at=[[1, "a", 0, "silent"]])
    assert ran.code == 1 and "the engine was silent for 0.5 s" in ran.err, ran.err


def test_a_subject_that_never_starts_is_not_tried_again(run: Run, tmp_path: Path) -> None:
    dies = 'parts = [{ server = "plain", factors = { mode = "die-at-start" } }]'
    ran = run("run", study(tmp_path, forks=3, b=dies))
    assert ran.code == 1 and "there is no room for me here" in ran.err
    assert [one["failure"]["kind"] for one in records(tmp_path)] == ["not-ready"]


def test_ctrl_c_leaves_a_report_and_resume_drives_what_is_left(stopped: Made, run: Run, tmp_path: Path) -> None:
    assert stopped.ran.code == 130 and "stopped; the measurements so far are in" in stopped.ran.err, stopped.ran.err
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


def test_a_trial_whose_record_is_damaged_is_repeated_by_a_resume(stopped: Made, run: Run) -> None:
    (folder,) = stopped.folder.glob("runs/*")
    record = folder / "trials" / "01" / "trial.json"
    record.write_text(record.read_text().replace('"complete"', '"fine"', 1))
    ran = run("run", "--resume", str(folder))
    assert ran.code == 0, ran.err
    assert "trial 1 is damaged and repeated" in ran.err and "status must be 'complete'" in ran.err, ran.err
    assert '"fine"' in (folder / "trials" / "01.stopped-1" / "trial.json").read_text()
    assert verdicts(stopped.folder)["status"] == "complete"


def test_a_run_is_not_resumed_on_another_setup(stopped: Made, run: Run) -> None:
    (folder,) = stopped.folder.glob("runs/*")
    environment = json.loads((folder / "environment.json").read_text())
    environment["machine"]["kernel"] = "Linux 2.4"
    (folder / "environment.json").write_text(json.dumps(environment))
    ran = run("run", "--resume", str(folder))
    assert ran.code == 1
    assert "machine.kernel was Linux 2.4" in ran.err and "start a new run" in ran.err, ran.err
    assert (folder / "trials" / "02").is_dir()


def test_a_comparison_measures_nothing_beyond_its_budget(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "OVER", -1.0)  # so it is used up when the first trial begins
    ran = run("compare", "plain", "plain", "--budget", "10m", "--json")
    assert ran.code == 2, ran.err
    assert "trial 1 failed: the budget of 10 min 00 s ended before 3 pairs were measured" in ran.err
    (record,) = records(tmp_path)
    assert (record["status"], record["failure"]["kind"], record["slices"]) == ("failed", "budget", [])
    assert "Traceback" not in ran.err


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
    short = study(tmp_path, forks=4, more="[budget]\nseconds = 400\n")
    ran = run("run", short, "--users", "8", rates=SLOW)
    assert ran.code == 2
    assert re.search(
        r"error: there is no verdict: trial 1 has \d+ answers per user, but throughput needs 50", ran.err
    ), ran.err
    assert ran.err.count("throughput needs about") == 1 and "so there will be no verdict on it" in ran.err
    assert all(not plan["fits"] for record in records(tmp_path) for plan in record["stretches"])
    found = verdicts(tmp_path)
    (primary,) = [one for one in found["comparisons"] if one["primary"]]
    assert (primary["verdict"], primary["forks"]) == ("too few forks", 0)
    assert "but throughput needs 50" in " ".join(primary["why_not"])
    mean = next(one for one in found["comparisons"] if one["measure"] == "response_time_mean")
    assert mean["forks"] == 4 and not [note for note in found["notes"] if "starts ended after" in note]


def test_quick_answers_take_turns_and_no_stretch_is_planned(plain: Made) -> None:
    assert [record["stretches"] for record in records(plain.folder)] == [[]]
