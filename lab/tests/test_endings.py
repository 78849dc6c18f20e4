"""How each subject ends in a reliability cell, by which evidence, and that a pushed run continues without broken subjects."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from played import Run, played
from pydantic import ValidationError
from steelyard.analyse import endings
from steelyard.analyse.endings import DETECTORS, DrivenCell, Ending, EndState, is_ending, state_of
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.models.job import BigBang
from steelyard.models.records import Cell, Distress, Failure, Place, Schedule
from steelyard.models.study import Grid, Until
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.results.tables import SliceRow
from synthetic import SLICE_COLUMNS

KIT = entries.study("soakit").model
USERS = 25
CELL = Cell(
    name="tv-dinner Sublines=50 users=25",
    mix={"tv-dinner": 1.0},
    users=USERS,
    profile=BigBang(users=USERS, seconds=20),
    primary=True,
    kind="reliability",
    payload={"Sublines": 50},
    until=Until(failed_share=0.01, response_ms=10_000),
)
# A thousand answers in half a second each; those that every user waits for come after the load's end.
WELL = {"completed": 1000, "response_ns_sum": 500_000_000_000, "unfinished": USERS, "measured_ns": 20_000_000_000}
PLACE = Place(slice=1, phase="measure", cell=CELL.name, users=USERS, request_bytes=790_000)


def driven(failure: str | None = None, distress: str | None = None, **row: int) -> DrivenCell:
    """A stretch that went well but for what is said: columns of its row, the kind of its trial's failure, a line of its log."""
    columns: dict[str, Any] = dict.fromkeys(SLICE_COLUMNS, 0) | {"subject": "a", "valid": 1} | WELL | row
    failed = Failure(kind=failure, subject="a", message=f"a {failure}", place=PLACE) if failure else None
    lived = [Distress(subject="a", place=PLACE, message=distress)] if distress else []
    record = SimpleNamespace(failure=failed, distress=lived)
    trial: Any = SimpleNamespace(
        record=record, record_or_empty=record, status="failed" if failed else "complete", damage=None
    )
    return DrivenCell(CELL, "a", trial, SliceRow(**columns))


BREAKS = {
    "the memory that killed it": (driven("out-of-memory"), EndState.OUT_OF_MEMORY),
    "memory that ran out, and it went on": (driven(distress="java.lang.OutOfMemoryError"), EndState.OUT_OF_MEMORY),
    "no answer at all": (driven("hung", completed=0), EndState.HANG),
    "a deadlock": (driven("deadlock", completed=0), EndState.HANG),
    "no answer from some time on": (driven(dropped=USERS), EndState.HANG),
    "requests in flight that timed out": (driven(dropped=USERS - 1, outside_timeout=1), EndState.HANG),
    "one request in fifty refused": (driven(status=20), EndState.ERRORS),
    "all refused": (driven(completed=0, status=300, response_ns_sum=0), EndState.ERRORS),
    "wrong answers": (driven(wrong=30), EndState.ERRORS),
    "an end of its own": (driven("died", completed=0), EndState.ERRORS),
    "ten seconds an answer and more": (driven(completed=40, response_ns_sum=40 * 10_100_000_000), EndState.SLOW),
    "a few quick answers, for which all others waited": (
        driven(completed=2, response_ns_sum=2 * 10**9, unfinished_ns_sum=USERS * 19 * 10**9, dropped=USERS - 1),
        EndState.SLOW,
    ),
    "answers after the load's end only": (driven(completed=0, response_ns_sum=0), EndState.SLOW),
}


@pytest.mark.parametrize("what", BREAKS)
def test_each_way_to_break_is_called_by_its_name_with_the_reason(what: str) -> None:
    stretch, due = BREAKS[what]
    state, why = state_of(stretch)
    assert (state, bool(why)) == (due, True)


@pytest.mark.parametrize("state", DETECTORS)
@pytest.mark.parametrize(
    "row",
    [
        {},
        {"status": 10},  # one in a hundred may fail
        {"dropped": USERS - 1},  # one of those in flight was answered
        {"unfinished": 0},
        {"completed": 40, "response_ns_sum": 40 * 9_900_000_000},
        {"completed": 40, "response_ns_sum": 40 * 9_900_000_000, "unfinished_ns_sum": USERS * 9_900_000_000},
    ],
)
def test_no_detector_fires_where_all_is_well(state: EndState, row: dict[str, int]) -> None:
    assert DETECTORS[state](driven(**row)) is None
    assert state_of(driven(**row)) == (EndState.GOOD, "")


def test_every_detector_fires_for_something_and_the_worst_is_what_counts() -> None:
    assert {due for _, due in BREAKS.values()} == set(DETECTORS)
    both = driven(distress="java.lang.OutOfMemoryError", status=500, dropped=USERS)
    assert [state for state in DETECTORS if DETECTORS[state](both)] == [
        EndState.OUT_OF_MEMORY,
        EndState.HANG,
        EndState.ERRORS,
    ]
    assert state_of(both)[0] is EndState.OUT_OF_MEMORY


def test_one_sentence_of_several_subjects_sums_up_what_broke_whom_and_the_rest_is_detail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = {"a": EndState.HANG, "b": EndState.GOOD, "c": EndState.OUT_OF_MEMORY}
    told = [Ending(CELL, subject, state, "it did", 1024.0, 1.0, 1.0) for subject, state in states.items()]
    monkeypatch.setattr(endings, "endings", lambda _: told)
    run: Any = SimpleNamespace(schedule=SimpleNamespace(subjects=list(states)))
    summed_up, *details = endings.ending_wordings(run)
    load = "25 users, requests of 1.0 KiB"
    assert summed_up.verdict == (
        f"What breaks on tv-dinner: a (hang) and c (out of memory) at {load}; nothing breaks b up to {load}"
    )
    assert not summed_up.detail and [wording.detail for wording in details] == [True] * 3
    run.schedule.subjects = ["a", "b"]
    assert not any(wording.detail for wording in endings.ending_wordings(run))


@pytest.mark.parametrize("kind", ["not-ready", "contract", "engine", "lab", "interrupted", "defect"])
def test_what_is_not_the_servers_own_end_is_not_known(kind: str) -> None:
    state, why = state_of(driven(kind, completed=0))
    assert (state, why) == (None, f"a {kind}")
    assert not is_ending(Failure(kind=kind, message="it"))


def planned(**wishes: Any) -> Schedule:
    return schedule_only(KIT, Request(only=["tomcat-metro", "wildfly"], **wishes))


def test_the_kits_five_rows_are_cells_with_what_it_printed_marked_as_assumed() -> None:
    schedule = planned(grids=["reliability"])
    assert [(cell.operation, cell.users, *cell.payload.values(), cell.printed) for cell in schedule.cells] == [
        ("tv-dinner", 5, 5, "0.68 TPS"),
        ("tv-dinner", 25, 50, "Server Hangs"),
        ("tv-dinner", 50, 25, "Server Hangs"),
        ("buffet", 20, 70, "2.36 TPS"),
        ("buffet", 20, 200, "Server Hangs"),
    ]
    assert all(len(cell.assumed) == 2 and cell.may_refuse for cell in schedule.cells)
    # Each cell of each server is a start of its own, and takes what it takes: there are no looks, and no budget cuts it.
    assert [(trial.cell, trial.start_order) for trial in schedule.trials[:2]] == [
        (schedule.cells[0].name, ["tomcat-metro"]), (schedule.cells[0].name, ["wildfly"]),
    ]  # fmt: skip
    assert (schedule.design, len(schedule.trials), schedule.slice_seconds) == ("each-alone", 10, 20)
    assert [cell.name for cell in schedule.for_trial(schedule.trials[3]).cells] == [schedule.cells[1].name]
    assert (
        schedule.drain_limit_seconds == 30
    )  # at least twice what is slow: a server that answers none in flight has hung


def test_pushing_doubles_users_and_payload_up_to_the_bound() -> None:
    pushed = [cell for cell in planned(push=True).cells if cell.pushed]
    dinner = [(cell.users, cell.payload["Sublines"]) for cell in pushed if cell.operation == "tv-dinner"]
    assert dinner == [(100, 100), (200, 200), (400, 400), (800, 800)]
    parts = [cell.payload["Parts"] for cell in pushed if cell.operation == "buffet"]
    assert parts == [400, 800, 1600, 3200, 6400, 12_800]
    most = entries.service("soakit").model.parameters["Parts"].most
    further = KIT.model_copy(update={"grid": [grid.model_copy(update={"push": 20}) for grid in KIT.grid[-5:-3]]})
    bounded = schedule_only(further, Request(push=True, operations=["buffet"], only=["go"])).cells
    assert max(cell.payload["Parts"] for cell in bounded) == 12_800 <= most < 2 * 12_800


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"grids": ["reliability", "growth"]}, "run in different ways"),
        ({"grids": ["growth"], "push": True}, "--push does not apply"),
        ({"grids": ["reliability"], "as_published": True}, "compares nothing"),
    ],
)
def test_what_cannot_be_asked_together_is_refused(wishes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        planned(**wishes)


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({"cells": "in-step", "users": [1, 2], "payload": {"Sublines": [1]}}, "as many values as the others"),
        ({"users": [1], "printed": {"results": ["1 TPS"], "source": "here"}}, "needs cells in step"),
        ({"users": [1], "push": 2}, "can be pushed"),
    ],
)
def test_a_grid_that_says_two_things_is_refused(grid: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Grid.model_validate(grid)


STUDY = """
name = "small"
title = "A test's own study"
question = "Where does it break?"
service = "wstest"
reference = "a"
operations = ["echoList"]
primary = "echoList"
corpus_entries = 2
reliability = { seconds = 5, warm_up_seconds = 5, until = { failed_share = 0.01, response_ms = 10_000 } }
subjects = [{ label = "a", parts = [{ server = "plain" }] }, { label = "b", parts = [{ server = "plain" }] }]
[[grid]]
name = "reliability"
users = [2]
payload = { ListSize = [2] }
cells = "in-step"
reliability = true
push = 2
printed = { results = ["1 TPS"], source = "a table", assumed = ["the server"] }
"""


def test_a_run_goes_on_without_what_broke_and_says_where_each_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Run = played(tmp_path, monkeypatch)
    (tmp_path / "small.toml").write_text(STUDY)
    ran = run("run", "small.toml", "--push", "--json", at=[[4, "b", 0, "reset"]])
    assert ran.code == 0, ran.err
    assert "not pushed further, because it broke: b on echoList" in ran.err
    told = json.loads(ran.out)
    states = {(row["subject"], row["users"], row["payload"]["ListSize"]): row["state"] for row in told["grid"]}
    assert states == {
        ("a", 2, 2): "good", ("a", 4, 4): "good", ("a", 8, 8): "good",
        ("b", 2, 2): "good", ("b", 4, 4): "errors",
    }  # fmt: skip
    assert [row["printed"] for row in told["grid"]][:2] == ["1 TPS", "1 TPS"]
    assert "a on echoList: good up to 8 users" in told["sentence"]
    assert "b on echoList: good up to 2 users" in told["sentence"] and "errors from 4 users" in told["sentence"]
    (page,) = tmp_path.glob("runs/*/report.html")
    shown = page.read_text()
    assert "Where each server breaks" in shown and "assumed here" in shown
    assert "failed: " in shown and ">errors<" in shown
