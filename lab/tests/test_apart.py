"""Two subjects loaded at once, each on its own half of the processors: the halves, the plan, the trial, and what is refused."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from played import Run, records, study
from steelyard.base.errors import ConfigurationError
from steelyard.hosts import halves, quota
from steelyard.hosts.cpus import Shares
from steelyard.hosts.halves import divide
from steelyard.hosts.topology import parse_list
from steelyard.models.records import Schedule
from steelyard.plan.estimate import of_pair
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of
from test_jobs import SERVICE, STUDY
from test_topology import machine

Halves = list[tuple[str, str]]


def divided(root: Path, count: int) -> tuple[list[tuple[list[int], list[int]]], str]:
    """The processors of each subject and of its engine, and the sentence about the subjects' placement."""
    shares = divide(range(count), root, apart=True)
    return [(half.server, half.engine) for half in shares.halves], shares.placement


def lists(*listed: tuple[str, str]) -> list[tuple[list[int], list[int]]]:
    return [(list(parse_list(server)), list(parse_list(engine))) for server, engine in listed]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (4, [("0", "1"), ("2", "3")]),
        (9, [("0-2", "3"), ("5-7", "8")]),
        (16, [("0-5", "6-7"), ("8-13", "14-15")]),
    ],
)
def test_each_half_has_servers_and_an_engine_as_a_machine_of_its_own(
    tmp_path: Path, count: int, expected: Halves
) -> None:
    machine(tmp_path, {f"0-{count - 1}": 1})
    assert divided(tmp_path, count) == (lists(*expected), "")


def test_threads_of_a_core_stay_together(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-7": 2})
    assert divided(tmp_path, count)[0] == lists(("0-1", "2-3"), ("4-5", "6-7"))


def test_64_processors_of_two_nodes_give_each_subject_one_node(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-63": 1}, {0: "0-31", 1: "32-63"})
    expected = lists(("0-23", "24-31"), ("32-55", "56-63"))
    assert divided(tmp_path, count) == (expected, "NUMA node 0 and NUMA node 1")


def test_nodes_whose_processors_interleave_are_not_mixed(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-15": 1}, {0: "0,2,4,6,8,10,12,14", 1: "1,3,5,7,9,11,13,15"})
    assert divided(tmp_path, count)[0] == lists(("0,2,4,6,8,10", "12,14"), ("1,3,5,7,9,11", "13,15"))


def test_both_subjects_have_fast_cores_of_a_hybrid_processor_and_the_engines_slow_ones(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-15": 2, "16-23": 1}, slow="16-23")
    assert divided(tmp_path, count) == (lists(("0-7", "16-19"), ("8-15", "20-23")), "performance cores")


def test_both_subjects_have_as_many_processors_where_the_allowed_ones_are_uneven(tmp_path: Path) -> None:
    machine(tmp_path, {"0-15": 2})
    shares = divide([*range(7), *range(8, 16)], tmp_path, apart=True)  # one thread of a core is not allowed
    first, second = shares.halves
    assert len(first.server) == len(second.server) and len(first.engine) == len(second.engine)
    assert set(first.all).isdisjoint(second.all)


def test_companions_have_processors_of_their_subjects_half(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-15": 1})
    first, second = divide(range(count), tmp_path, apart=True, companions=True).halves
    assert (first.companions, first.engine) == ([4, 5], [6, 7]) and min(second.companions) > max(first.all)


@pytest.mark.parametrize(("count", "threads"), [(1, 1), (2, 1), (3, 1), (4, 4)])
def test_a_machine_that_is_too_small_is_refused_in_one_sentence(tmp_path: Path, count: int, threads: int) -> None:
    machine(tmp_path, {f"0-{count - 1}": threads})
    with pytest.raises(ConfigurationError, match="--apart needs") as refused:
        divide(range(count), tmp_path, apart=True)
    assert refused.value.message.count(".") == 0


def test_a_quota_that_all_share_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "processors", lambda _: 6.0)
    with pytest.raises(ConfigurationError, match="a quota of 6 processors is shared by all"):
        divide(range(16), apart=True)


def planned(*labels: str, **asked: Any) -> Schedule:
    request = Request(only=list(labels), operations=["echoStruct"], pairs=6, apart=True, **asked)
    return schedule_of(STUDY, SERVICE, request, merge_parameters(STUDY, request), 8)


def test_the_plan_is_that_of_turns_without_turns_and_takes_half_the_time() -> None:
    apart = planned("a", "b")
    assert (apart.design, apart.turn_ms, apart.pairs_per_cell) == ("apart", 0, 6)
    in_sequence = apart.model_copy(update={"design": "alternating"})
    labels = ["a", "b"]
    assert of_pair(apart, labels).about == pytest.approx(of_pair(in_sequence, labels).about / 2)


@pytest.mark.parametrize(
    ("labels", "asked", "why"),
    [
        (("a", "b", "c"), {}, "compares two subjects with processes of their own, not a, b, c"),
        (("java-rmi", "go"), {}, "called by Java RMI"),
        (("a", "b"), {"as_published": True}, "and --as-published one at a time"),
    ],
)
def test_what_cannot_be_loaded_at_once_is_refused(labels: tuple[str, ...], asked: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        planned(*labels, **asked)


@pytest.fixture
def two_halves(monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """A machine with two halves. The first and the last processor show which half a subject or an engine uses."""
    allowed = sorted(os.sched_getaffinity(0))
    first, last = allowed[0], allowed[-1]
    both = Shares([first], [last], halves=[Shares([first], [last]), Shares([last], [first])])
    monkeypatch.setattr(halves, "divide", lambda *_, **__: both)
    return first, last


def processors(record: dict[str, Any]) -> dict[str, list[int]]:
    """The processors of each subject of a trial."""
    return {subject["label"]: subject["processes"][0]["processors"] for subject in record["subjects"]}


def test_a_run_apart_is_a_run_like_any_other_and_halves_are_swapped_from_trial_to_trial(
    run: Run, tmp_path: Path, two_halves: tuple[int, int]
) -> None:
    ran = run("run", study(tmp_path, forks=4), "--apart", "--json", rates={"a": 1000, "b": 1300})
    assert ran.code == 0, ran.err
    (primary,) = [one for one in json.loads(ran.out)["comparisons"] if one["primary"]]
    assert (primary["verdict"], primary["forks"]) == ("faster", 4)
    assert primary["ratio"] == pytest.approx(1.3, rel=0.01)
    first, last = two_halves
    even, odd = {"a": [first], "b": [last]}, {"a": [last], "b": [first]}
    assert [processors(record) for record in records(tmp_path)] == [odd, even, odd, even]
    (folder,) = tmp_path.glob("runs/*")
    with (folder / "trials/01/slices.csv").open(newline="") as file:
        rows = [(row["subject"], row["phase"]) for row in csv.DictReader(file)]
    (record, *_) = records(tmp_path)
    assert rows == [(plan["subject"], plan["phase"]) for plan in record["slices"]] and record["engines"] == 2
    for number in (1, 2):
        job = json.loads((folder / "trials/01" / f"driver-{number}" / "job.json").read_text())
        (subject,) = [target["subject"] for target in job["targets"]]
        assert {listed["subject"] for listed in job["slices"]} == {subject}
        assert job["cpus"] == [first if processors(record)[subject] == [last] else last]


def test_an_interrupted_run_apart_is_resumed(run: Run, tmp_path: Path, two_halves: tuple[int, int]) -> None:
    stopped = run("run", study(tmp_path, forks=2), "--apart", at=[[2, "b", 1, "interrupt"]])
    assert stopped.code == 130, stopped.err
    (folder,) = tmp_path.glob("runs/*")
    ran = run("run", "--resume", str(folder))
    assert ran.code == 0, ran.err
    whole = [record for record in records(tmp_path) if record["status"] == "complete"]
    first, last = two_halves
    assert [processors(record)["a"] for record in whole] == [[last], [first]]


def test_the_engine_that_dies_is_a_failed_trial_and_no_process_stays(
    run: Run, tmp_path: Path, two_halves: tuple[int, int]
) -> None:
    del two_halves
    ran = run("run", study(tmp_path, forks=1), "--apart", at=[[1, "b", 1, "end"]])
    assert ran.code == 1 and "no more room in this engine" in ran.err, ran.err


def test_a_small_machine_is_told_so_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    ran = steelyard("compare", "tomcat-metro", "go", "--apart", folder=tmp_path)
    assert ran.code == 64 and "--apart needs 4 processors" in ran.err, ran.err
    assert not (tmp_path / "runs").exists()
