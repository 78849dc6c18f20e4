"""A comparison in several sessions of one machine: the trials of each, a stop between them, and the joint result."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import Ran
from played import Run, played_once, study
from rich.console import Console
from steelyard.analyse.machines import analyse_cluster
from steelyard.base.errors import ConfigurationError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.measure import sessions
from steelyard.models.cluster import ClusterRun, MachinesVerdict
from steelyard.models.records import Schedule
from steelyard.plan.replicated import planned_for_one
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import on_machines, schedule_only
from steelyard.report import machines_page
from steelyard.results import cluster_folder
from test_machines import cluster


def numbers(folder: Path) -> dict[str, list[int]]:
    """The trials that each session has driven."""
    return {
        place.name: sorted(
            json.loads(path.read_text())["number"] for path in place.glob("trials/[0-9][0-9]/trial.json")
        )
        for place in sorted(folder.glob("runs/*/machines/*"))
    }


@dataclass(frozen=True)
class Made:
    """A run in two sessions that a test only reads."""

    ran: Ran
    folder: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two sessions of two trials each; one trial of the first fails by accident."""
    folder = tmp_path_factory.mktemp("sessions")
    words = ("run", study(folder), "--sessions", "2", "--rest", "0.1", "--json")
    return Made(played_once(folder, *words, rates={"b": 1300}, at=[[2, "b", 1, "reset"]]), folder)


def test_each_session_is_a_run_of_its_own_and_all_are_one(made: Made) -> None:
    assert "resting" in made.ran.err and "session-2 of 2" in made.ran.err
    verdict = MachinesVerdict.model_validate_json(made.ran.out)
    assert (verdict.level, verdict.status, verdict.missing, verdict.valid) == ("session", "complete", [], True)
    (primary,) = verdict.comparisons
    assert (primary.counted, primary.forks) == (2, 4)
    assert primary.elsewhere is not None and primary.interval is not None
    assert primary.elsewhere.interval[0] <= primary.interval[0] < primary.interval[1] <= primary.elsewhere.interval[1]
    assert "The interval of so few sessions is wide." in verdict.sentence
    for place in made.folder.glob("runs/*/machines/*"):
        assert (place / "environment.json").exists() and (place / "report.html").exists()


def test_a_trial_that_fails_is_made_up_for_within_its_session(made: Made) -> None:
    """The second session's numbers begin after those that are left for the first one's repeated trials."""
    assert made.ran.code == 0, made.ran.err
    assert numbers(made.folder) == {"session-1": [1, 2, 3], "session-2": [5, 6]}, made.ran.err


def test_a_run_that_was_stopped_keeps_what_there_is_and_goes_on_with_what_is_left(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the rest before its second session, taken up, and taken up again after the last trial was lost."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sessions, "wait_between", interrupted)
        ran = run("run", study(tmp_path), "--sessions", "2")
    (folder,) = tmp_path.glob("runs/*")
    assert f"`steelyard run --resume runs/{folder.name}` continues it" in ran.err and ran.code != 0
    assert numbers(tmp_path) == {"session-1": [1, 2], "session-2": []}
    first = folder / "machines" / "session-1" / "trials" / "01" / "trial.json"
    before = first.read_bytes()
    ran = run("run", "--resume", str(folder), "--json")
    assert (ran.code, json.loads(ran.out)["status"]) == (0, "complete"), ran.err
    assert numbers(tmp_path) == {"session-1": [1, 2], "session-2": [5, 6]}
    shutil.rmtree(folder / "machines" / "session-2" / "trials" / "06")
    ran = run("run", "--resume", str(folder), "--json")
    assert (ran.code, json.loads(ran.out)["missing"]) == (0, []), ran.err
    assert numbers(tmp_path) == {"session-1": [1, 2], "session-2": [5, 6]} and first.read_bytes() == before
    assert run("run", "--resume", str(folder)).err.count("is complete") == 1


def test_the_rest_is_as_long_as_it_is_asked_for() -> None:
    slept: list[float] = []
    with Progress(Console(stderr=True)) as progress:
        sessions.wait_between(2.5, "session-2 of 2", progress, slept.append)
        sessions.wait_between(0, "session-3 of 3", progress, slept.append)
    assert slept == [1.0, 1.0, 0.5]


def test_a_budget_is_shared_over_sessions_after_their_rests() -> None:
    model, request = entries.study("wstest").model, Request(users=8, budget_seconds=1000)
    planned = planned_for_one(model, request, merge_parameters(model, request), "session", 4, 200).schedule
    assert planned.budget_seconds == 200
    with pytest.raises(ConfigurationError, match=r"the rests between 4 sessions take 1000 s, and the budget is 1000 s"):
        planned_for_one(model, request, merge_parameters(model, request), "session", 4, 1000)


def test_what_compares_nothing_is_refused() -> None:
    model = entries.study("wstest").model
    for request, words in (
        (Request(as_published=True), "leave --as-published or --sessions out"),
        (Request(users=None, settings={"Agents": "auto"}), "give the number with --users"),
    ):
        with pytest.raises(ConfigurationError) as refused:
            planned_for_one(model, request, merge_parameters(model, request), "session", 2)
        assert words in (refused.value.hint or "")


def test_sessions_leave_numbers_for_what_is_made_up_for() -> None:
    model = entries.study("wstest").model
    planned = schedule_only(model, Request(users=8, only=["tomcat-metro", "go"], forks=2))
    whole, each = on_machines(planned, 2, with_makeups=True)
    assert each == [[1, 2], [5, 6]] and [trial.number for trial in whole.trials] == [1, 2, 5, 6]


def of_sessions(folder: Path, rates: list[float]) -> Path:
    """The run of several machines, told as one of several sessions."""
    cluster(folder, rates)
    known = cluster_folder.read_cluster(folder)
    cluster_folder.write_cluster(folder, known.model_copy(update={"level": "session"}))
    return folder


def test_three_sessions_say_what_the_next_one_and_another_day_would_find(tmp_path: Path) -> None:
    analysis = analyse_cluster(of_sessions(tmp_path / "run", [7_000.0, 7_100.0, 7_200.0]))
    (primary,) = analysis.verdict.comparisons
    assert (primary.verdict, primary.counted, primary.holds_elsewhere) == ("slower", 3, True)
    assert primary.elsewhere is not None and primary.elsewhere.deviation >= 0.03
    sentence = analysis.verdict.sentence
    assert "in these 3 sessions on this machine: 0.7" in sentence and "3 sessions, 9 forks" in sentence
    assert "the next session is expected to find" in sentence
    assert "Expected on another day or machine of this kind: 0." in sentence
    page = machines_page.html_of(analysis)
    assert "The result over these sessions" in page and "The run of each session" in page
    assert "sessions such as these" in page and "machines such as these" not in page


def test_sessions_that_differ_more_than_the_prior_widen_what_is_expected_elsewhere(tmp_path: Path) -> None:
    (primary,) = analyse_cluster(of_sessions(tmp_path / "run", [6_000.0, 7_500.0, 9_500.0])).verdict.comparisons
    assert primary.elsewhere is not None and primary.spread is not None
    assert primary.elsewhere.deviation == pytest.approx(math.log1p(primary.spread), rel=1e-4) and primary.spread > 0.09
    assert not primary.elsewhere.assumed and primary.holds_elsewhere in (None, False)
    assert (
        "assuming" not in primary.sentence and "Expected on another day or machine of this kind: 0." in primary.sentence
    )


def test_machines_are_no_sessions_and_say_what_the_next_machine_would_find(tmp_path: Path) -> None:
    (primary,) = analyse_cluster(cluster(tmp_path / "run", [7_000.0, 7_100.0, 7_200.0])).verdict.comparisons
    assert primary.elsewhere is None and primary.prediction is not None and primary.holds_elsewhere is True


def test_a_folder_of_before_there_were_sessions_is_one_of_machines(tmp_path: Path) -> None:
    known = cluster_folder.read_cluster(cluster(tmp_path / "run", [7_000.0, 7_100.0]))
    older = json.loads(known.model_dump_json())
    del older["level"], older["rest_seconds"]
    assert ClusterRun.model_validate(older).level == "machine"
    assert isinstance(known.schedule, Schedule)
