"""Faults on a real server: losses by a kill are counted and compared with promises, and a freeze loses nothing."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, lab_in, still_running, trial_records
from steelyard.base.csvfiles import read_table
from steelyard.results.tables import FAILURE_KINDS

USERS = 2
# Up to the faults that its block is to meet.
HEAD = """
name = "broken"
title = "What is kept?"
question = "What does a kill take with it?"
service = "tallies"
reference = "file"
operations = ["keep"]
primary = "keep"
forks = 1
slice_seconds = 0.5
warm_up_limit_seconds = 0.5
corpus_entries = 20

[[tests]]
name = "faults"
title = "while something breaks"
source = "this test"
operation = "keep"
profile = { kind = "steps", levels = [USERS], ramp_seconds = 0, hold_seconds = 2 }
""".replace("USERS", str(USERS))


def fault(name: str, kind: str, seconds: list[float], part: str = "server", more: str = "") -> str:
    """A fault of that block, as a study's file declares it."""
    keys = f'name = "{name}"\nkind = "{kind}"\npart = "{part}"\ntest = "faults"\nseconds = {seconds}\n'
    return f"\n[[faults]]\n{keys}{more}"


FREEZE = fault("freeze", "freeze", [0.1, 0.3])
FULL = fault("full", "full-disk", [0.1, 0.3])
STUDY = "".join(
    (
        HEAD,
        fault("kill", "kill", [0, 0.2], more="times = 2\n"),
        FREEZE,
        FULL,
        fault("forgets", "plant", [0.1, 0.3], more='plant = "forgets"\n'),
        fault("vanish", "kill", [0, 0], part="client"),
    )
)
SUBJECT = '[[subjects]]\nlabel = "{keeps}"\nparts = [{{ server = "tallies", factors = {{ keeps = "{keeps}" }} }}]\n'
SUBJECTS = ("file", "memory", "twice")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    yield from lab_in(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def ran(lab: Lab) -> tuple[Any, Path]:
    """What a run with faults printed as JSON, and its folder."""
    text = STUDY + "".join(SUBJECT.format(keeps=keeps) for keeps in SUBJECTS)
    (lab.folder / "broken.toml").write_text(text)
    done = lab.run("run", "broken.toml", "--json")
    printed = done.json()
    assert done.code == 0, done.err
    return printed, Path(lab.folder / printed["run"])


def trial_of(folder: Path, subject: str) -> Path:
    """The folder of the one trial of a subject."""
    (path,) = [
        path
        for path in folder.glob("trials/*/trial.json")
        if json.loads(path.read_text())["subjects"][0]["label"] == subject
    ]
    return path.parent


def outcome(printed: Any, subject: str, fault: str, name: str) -> Any:
    (row,) = [row for row in printed["faults"] if (row["subject"], row["fault"]) == (subject, fault)]
    assert row["times"] == row["planned"] == (2 if fault == "kill" else 1)
    assert row["not_back"] == row["unsettled"] == 0 and row["accepted"] > 0
    return next(each for each in row["outcomes"] if each["outcome"] == name)


def test_a_kill_takes_what_was_in_memory_and_nothing_of_a_file(ran: tuple[Any, Path]) -> None:
    assert outcome(ran[0], "file", "kill", "lost")["total"] == 0
    lost = outcome(ran[0], "memory", "kill", "lost")
    assert (lost["hit"], lost["broken"]) == (2, 0) and lost["total"] >= 2
    assert lost["share"][0] == pytest.approx(0.025**0.5, rel=1e-4) and lost["share"][1] == 1


def test_a_freeze_takes_nothing(ran: tuple[Any, Path]) -> None:
    assert [outcome(ran[0], subject, "freeze", "lost")["total"] for subject in SUBJECTS] == [0, 0, 0]


def test_a_full_disk_takes_nothing_that_was_answered_but_the_memory_of_who_is_started_again(
    ran: tuple[Any, Path],
) -> None:
    assert outcome(ran[0], "file", "full", "lost")["total"] == 0
    assert outcome(ran[0], "memory", "full", "lost")["hit"] == 1
    slices = list(read_table(trial_of(ran[1], "file") / "slices.csv", FAILURE_KINDS))
    failed = {kind: sum(row.whole(kind) for row in slices) for kind in FAILURE_KINDS}
    assert sum(failed.values()) > 0, f"some were not answered: {failed}"


def test_what_the_service_is_told_to_do_wrong_it_does_until_it_is_told_otherwise(ran: tuple[Any, Path]) -> None:
    for subject in SUBJECTS:
        lost = outcome(ran[0], subject, "forgets", "lost")
        assert lost["hit"] == 1 and lost["broken"] == 0
    assert outcome(ran[0], "file", "kill", "lost")["total"] == 0, "before it or after it nothing is forgotten"


def test_customers_who_vanish_take_nothing_with_them_and_the_others_go_on(ran: tuple[Any, Path]) -> None:
    assert [outcome(ran[0], subject, "vanish", "lost")["total"] for subject in SUBJECTS] == [0, 0, 0]
    folder = trial_of(ran[1], "file")
    record = json.loads((folder / "trial.json").read_text())
    (number,) = [met["slice"] for met in record["faults"] if met["fault"] == "vanish"]
    (accepted,) = [met["counts"]["accepted"] for met in record["faults"] if met["slice"] == number]
    columns = ("slice", "completed", "lead_in_completed")
    rows = read_table(folder / "slices.csv", columns)
    (answered,) = [sum(row.whole(name) for name in columns[1:]) for row in rows if row.whole("slice") == number]
    assert accepted - USERS > answered > 0, "the others' answers are figures, and theirs are none"
    assert not list(ran[1].glob("trials/*/client-*"))


def test_who_breaks_a_promise_is_said_to(ran: tuple[Any, Path]) -> None:
    doubled = outcome(ran[0], "twice", "kill", "doubled")
    assert doubled["promised"] == 0 and doubled["broken"] == doubled["hit"] == 2
    assert "twice" in ran[0]["sentence"] and "broke its goal" in ran[0]["sentence"]


def test_every_fault_struck_in_its_block_and_the_part_came_back(ran: tuple[Any, Path]) -> None:
    records = trial_records(ran[1])
    assert len(records) == len(SUBJECTS), "each breaks alone"
    faults = [fault for record in records for fault in record["faults"]]
    assert len(faults) == 6 * len(SUBJECTS) and all(fault["back"] and fault["settled"] for fault in faults)
    assert all(fault["away_seconds"] >= fault["planned_seconds"] for fault in faults)
    by_occasion = {(fault["occasion"], fault["planned_seconds"]) for fault in faults}
    assert len(by_occasion) == 6, "all subjects meet the same"


def test_what_is_started_again_sees_the_processors_that_it_saw_at_first(ran: tuple[Any, Path]) -> None:
    lines = [
        [line for line in path.read_text().splitlines() if line.startswith("begun on")]
        for path in ran[1].glob("trials/*/*.log")
    ]
    begun = [seen for seen in lines if seen]
    assert len(begun) == len(SUBJECTS) and all(len(seen) == 4 for seen in begun), "two kills and a full disk"
    assert {line for seen in begun for line in seen} == {f"begun on {sorted(os.sched_getaffinity(0))}"}


def test_trials_are_driven_side_by_side_where_the_machine_holds_several(ran: tuple[Any, Path]) -> None:
    at_once = json.loads((ran[1] / "schedule.json").read_text())["at_once"]
    records = trial_records(ran[1])
    begun_ended = sorted((record["begun"], record["ended"]) for record in records)
    assert any(later[0] < earlier[1] for earlier, later in pairwise(begun_ended)) == (at_once > 1)


def test_the_report_has_the_table(ran: tuple[Any, Path]) -> None:
    page = (ran[1] / "report.html").read_text()
    assert "Faults and their effect on the tallies" in page and "Clopper and Pearson" in page


def test_a_fault_of_a_part_that_a_subject_does_not_have_is_refused_before_anything_starts(lab: Lab) -> None:
    text = STUDY.replace('part = "server"', 'part = "broker"', 1) + SUBJECT.format(keeps="file")
    (lab.folder / "none.toml").write_text(text)
    done = lab.run("run", "none.toml", "--out", "nowhere")
    assert done.code == 64 and not (lab.folder / "nowhere").exists()
    assert (
        done.err.splitlines()[0]
        == "error: fault kill needs the part broker, which file does not have; valid here: server"
    )


def test_trials_side_by_side_are_interrupted_together_and_taken_up_again(
    lab: Lab, until: Callable[[Callable[[], bool], float], None]
) -> None:
    kills_and_a_freeze = "[[faults]]".join(STUDY.split("[[faults]]")[:3])
    text = kills_and_a_freeze.replace('name = "broken"', 'name = "stopped"').replace(
        "hold_seconds = 2", "hold_seconds = 4"
    )
    (lab.folder / "stopped.toml").write_text(text + "".join(SUBJECT.format(keeps=keeps) for keeps in SUBJECTS[:2]))
    process = lab.start("run", "stopped.toml", "--at-once", "2")

    def both_are_broken() -> bool:
        return len(list(lab.folder.glob("runs/stopped-*/trials/*/slices.csv"))) == 2

    until(both_are_broken, 60)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert still_running(lab.folder) == []
    (folder,) = lab.folder.glob("runs/stopped-*")
    statuses = [json.loads(path.read_text())["status"] for path in folder.glob("trials/*/trial.json")]
    assert statuses == ["interrupted", "interrupted"]
    resumed = lab.run("run", "--resume", str(folder), "--json")
    assert resumed.code == 0, resumed.err
    assert {(row["times"], row["planned"]) for row in resumed.json()["faults"]} == {(2, 2), (1, 1)}
