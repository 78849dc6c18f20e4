"""Parallel trials in real processes with a simulated trial: their number, their ends, and no leftover process."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from steelyard.base.errors import ConfigurationError, SteelyardError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts.cpus import share
from steelyard.measure import side_by_side
from steelyard.measure.side_by_side import drive_side_by_side
from steelyard.measure.trial.context import TrialContext, TrialFailedError
from steelyard.models.records import Failure, Schedule, TrialPlan
from steelyard.plan.designs import design_named
from steelyard.plan.designs.design import Ordering
from steelyard.plan.estimate import of_run
from steelyard.plan.faults import draw_fault, occasions
from steelyard.plan.kinds import KINDS
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.plan.side_by_side import BYTES_A_PROCESS, most_at_once

SECONDS = 30.0


@pytest.fixture(scope="module")
def planned() -> Schedule:
    return schedule_only(entries.study("petstore").model, Request(tests="faults", at_once=2))


@pytest.fixture
def said() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def setting(planned: Schedule, tmp_path: Path, said: io.StringIO) -> TrialContext:
    """Of a run whose trials are the tests' own, which ask for nothing of it but these."""
    others: Any = None
    return TrialContext(
        schedule=planned,
        service=others,
        subjects={},
        corpus=others,
        folder=tmp_path,
        shares=share(),
        progress=Progress(Console(file=said, width=240)),
    )


def trials_are(monkeypatch: pytest.MonkeyPatch, run_trial: Callable[[TrialContext, TrialPlan], None]) -> None:
    monkeypatch.setattr(side_by_side.drive, "run_trial", lambda setting, plan, **_: run_trial(setting, plan))


def offered(plans: Sequence[TrialPlan]) -> Iterator[tuple[TrialPlan, bool]]:
    return ((plan, True) for plan in plans)


def endings(setting: TrialContext, plans: Sequence[TrialPlan]) -> dict[int, str]:
    """Of each trial by its number: why it failed, empty where it did not."""
    how: dict[int, str] = {}

    def ended(plan: TrialPlan, error: TrialFailedError | None) -> None:
        how[plan.number] = error.message if error is not None else ""

    drive_side_by_side(setting, offered(plans), ended)
    return how


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < until, f"did not come true within {SECONDS:g} s"
        time.sleep(0.01)


def test_so_many_trials_are_under_way_at_a_time_and_each_by_a_process_of_its_own(
    setting: TrialContext, planned: Schedule, monkeypatch: pytest.MonkeyPatch, said: io.StringIO
) -> None:
    def run_trial(setting: TrialContext, plan: TrialPlan) -> None:
        setting.progress.show(f"trial {plan.number} · at work")
        here = setting.folder / f"under-way-{plan.number}"
        here.write_text(f"{os.getpid()} {setting.lab}")
        (setting.folder / f"begun-{plan.number}").touch()
        if plan.number <= 2:  # the first two wait for each other: they end only if both are under way
            wait_for(lambda: len(list(setting.folder.glob("begun-[12]"))) == 2)
        others = len(list(setting.folder.glob("under-way-*")))
        (setting.folder / f"ended-{plan.number}").write_text(f"{others} {here.read_text()}")
        here.rename(setting.folder / f"was-{plan.number}")

    trials_are(monkeypatch, run_trial)
    plans = planned.trials[:5]
    assert endings(setting, plans) == dict.fromkeys(range(1, 6), "")
    seen = [(setting.folder / f"ended-{plan.number}").read_text().split() for plan in plans]
    assert max(int(at_once) for at_once, _, _ in seen) <= 2
    assert len({process for _, process, _ in seen}) == 5
    assert {lab for _, _, lab in seen} == {str(os.getpid())}
    assert all(f"trial {plan.number} · at work" in said.getvalue() for plan in plans)


def test_a_trial_that_fails_is_told_with_its_reason_and_the_others_go_on(
    setting: TrialContext, planned: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_trial(_: TrialContext, plan: TrialPlan) -> None:
        if plan.number == 2:
            raise TrialFailedError(Failure(kind="not-back", subject="x", message="it did not come back"), "look")

    trials_are(monkeypatch, run_trial)
    assert endings(setting, planned.trials[:4]) == {1: "", 2: "it did not come back", 3: "", 4: ""}


def test_what_no_later_trial_would_escape_ends_all_that_are_under_way(
    setting: TrialContext, planned: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_trial(setting: TrialContext, plan: TrialPlan) -> None:
        if plan.number == 2:
            wait_for((setting.folder / "1-begun").exists)
            raise OSError(28, "No space left on device")
        (setting.folder / f"{plan.number}-begun").touch()
        try:
            time.sleep(SECONDS)
        except KeyboardInterrupt:
            (setting.folder / f"{plan.number}-interrupted").touch()
            raise

    trials_are(monkeypatch, run_trial)
    with pytest.raises(SteelyardError, match="No space left on device"):
        endings(setting, planned.trials[:4])
    assert [path.name for path in setting.folder.glob("*-interrupted")] == ["1-interrupted"]
    assert not (setting.folder / "3-begun").exists()


def test_a_trial_whose_process_is_killed_is_no_trial_that_ended(
    setting: TrialContext, planned: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials_are(monkeypatch, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(SteelyardError, match="the process of trial 1 ended without a message, with code -9"):
        endings(setting, planned.trials[:1])


def test_an_interruption_is_every_trials_and_is_raised_when_all_have_ended(
    setting: TrialContext, planned: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_trial(setting: TrialContext, plan: TrialPlan) -> None:
        (setting.folder / f"{plan.number}-begun").touch()
        try:
            time.sleep(SECONDS)
        except KeyboardInterrupt:
            time.sleep(0.3)  # what it started takes its time to end
            (setting.folder / f"{plan.number}-interrupted").touch()
            raise

    def stop() -> None:
        if len(list(setting.folder.glob("*-begun"))) == 2:
            raise KeyboardInterrupt

    trials_are(monkeypatch, run_trial)
    with pytest.raises(KeyboardInterrupt), setting.progress.followed_by(stop):
        endings(setting, planned.trials[:4])
    assert sorted(path.name for path in setting.folder.glob("*-interrupted")) == ["1-interrupted", "2-interrupted"]


WHO_IS_KILLED = """
import io, sys
sys.path.insert(0, {here!r})
from pathlib import Path
import pytest
import test_side_by_side as own
from rich.console import Console
from steelyard.base.progress import Progress

def run_trial(setting, plan):
    (setting.folder / f"{{plan.number}}-begun").touch()
    try:
        while True:
            own.time.sleep(0.05)
            setting.progress.refresh()
    except KeyboardInterrupt:
        (setting.folder / f"{{plan.number}}-interrupted").touch()
        raise

planned = own.schedule_only(own.entries.study("petstore").model, own.Request(tests="faults", at_once=2))
setting = own.TrialContext(planned, None, {{}}, None, Path(sys.argv[1]), own.share(), Progress(Console(file=io.StringIO())))
with pytest.MonkeyPatch.context() as patch:
    own.trials_are(patch, run_trial)
    own.endings(setting, planned.trials[:2])
"""


def test_trials_end_where_the_lab_is_killed(tmp_path: Path) -> None:
    program = WHO_IS_KILLED.format(here=str(Path(__file__).parent))
    lab = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)])
    wait_for(lambda: len(list(tmp_path.glob("*-begun"))) == 2)
    lab.kill()
    lab.wait()
    wait_for(lambda: len(list(tmp_path.glob("*-interrupted"))) == 2)


def test_a_machine_holds_two_trials_a_processor_and_no_more_than_half_of_its_memory() -> None:
    assert most_at_once(3, processors=2, memory_bytes=100 * BYTES_A_PROCESS) == 4
    assert most_at_once(3, processors=8, memory_bytes=24 * BYTES_A_PROCESS) == 4
    assert most_at_once(5, processors=8, memory_bytes=24 * BYTES_A_PROCESS) == 2
    assert most_at_once(5, processors=1, memory_bytes=BYTES_A_PROCESS) == 1, "one can always be tried"


def test_each_subject_breaks_alone_and_all_of_a_fork_meet_the_same(planned: Schedule) -> None:
    (cell,) = planned.cells
    assert [trial.start_order for trial in planned.trials] == [[label] for label in planned.subjects] * 4
    by_fork: dict[int, set[tuple[Any, ...]]] = {}
    for place, trial in enumerate(planned.trials):
        met = tuple(draw_fault(planned, trial, cell, number) for number in occasions(planned, cell))
        by_fork.setdefault(place // len(planned.subjects), set()).add(met)
    assert [len(met) for met in by_fork.values()] == [1] * 4
    assert len(set.union(*by_fork.values())) == 4, "and another fork meets others"


def test_trials_of_a_fork_meet_their_faults_in_different_orders_so_that_not_all_are_broken_at_a_time(
    planned: Schedule,
) -> None:
    (cell,) = planned.cells
    orders = []
    for trial in planned.trials[: len(planned.subjects)]:
        ordering = Ordering(planned, trial, [cell], trial.start_order, random.Random(1))
        orders.append([number for number, _, _ in KINDS["fault"].order(design_named(planned.design), ordering)])
    assert len({tuple(order) for order in orders}) == len(orders)
    assert all(sorted(order) == sorted(occasions(planned, cell)) for order in orders)


def test_what_is_measured_is_never_driven_side_by_side() -> None:
    study = entries.study("petstore").model
    assert schedule_only(study, Request()).at_once == 1
    with pytest.raises(ConfigurationError, match="measurements run alone"):
        schedule_only(study, Request(at_once=2))
    with pytest.raises(ConfigurationError, match="--budget and --at-once cannot be combined"):
        schedule_only(study, Request(tests="faults", at_once=2, budget_seconds=600))
    assert schedule_only(study, Request(tests="faults", budget_seconds=600)).at_once == 1


def test_more_at_a_time_than_there_are_trials_are_as_many_as_there_are() -> None:
    few = schedule_only(entries.study("petstore").model, Request(tests="faults", forks=1, at_once=64))
    assert few.at_once == len(few.trials) == 6


def test_trials_side_by_side_take_as_long_as_the_fullest_place(planned: Schedule) -> None:
    compiles = dict.fromkeys(planned.subjects, True)

    def planned_seconds(at_once: int, trials: int) -> float:
        changed = planned.model_copy(update={"at_once": at_once, "trials": planned.trials[:trials]})
        return of_run(changed, compiles).about

    one, rest = planned_seconds(1, 1), planned_seconds(1, 2) - planned_seconds(1, 1)
    assert planned_seconds(2, 2) == pytest.approx(one)
    assert planned_seconds(2, 3) == planned_seconds(2, 4) == pytest.approx(one + rest)
    assert planned_seconds(4, 12) == pytest.approx(one + 2 * rest)
    assert planned_seconds(1, 4) == pytest.approx(one + 3 * rest)
