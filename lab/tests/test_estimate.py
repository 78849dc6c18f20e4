"""The expected time of a run, by its parts and against kept runs."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from kept_runs import KEPT_RUNS
from steelyard.base.csvfiles import is_stored
from steelyard.catalogue import entries, subject_syntax
from steelyard.measure.trial import jobs
from steelyard.models.records import Schedule, SubjectRecord, TrialPlan, TrialRecord
from steelyard.plan import estimate
from steelyard.plan.designs import DESIGNS
from steelyard.plan.estimate import PlannedTime, of_pair, of_run, of_trial
from steelyard.plan.kinds import KINDS
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of
from steelyard.plan.slices import BETWEEN_SECONDS, PAUSE_SECONDS
from steelyard.plan.stopping import warm_up_within
from steelyard.results.stored_run import read_model

NOTHING_COMPILES = {"a": False, "b": False}
BOTH_COMPILE = {"a": True, "b": True}


def schedule(budget: float | None = None, **changed: Any) -> Schedule:
    """Two subjects, one operation, six trials of five pairs of slices of 2 s, with turns."""
    study = subject_syntax.study_of(("a", "b"), "wstest", "echoStruct", rate=None, budget_seconds=600, margin=0.03)
    request = Request(forks=6, pairs=5)
    planned = schedule_of(study, entries.service("wstest").model, request, merge_parameters(study, request), 8)
    return planned.model_copy(update={"budget_seconds": budget, "warm_up_limit_seconds": 40.0, **changed})


def with_test(profile: Mapping[str, object]) -> Schedule:
    """Its one cell as a test of that load."""
    planned = schedule()
    cells = [cell.model_dump() | {"kind": "block", "profile": profile} for cell in planned.cells]
    return Schedule.model_validate(planned.model_dump() | {"cells": cells})


def trial(planned: Schedule, compiles: Mapping[str, bool]) -> PlannedTime:
    return of_trial(planned, ["a", "b"], compiles)


def test_the_pilot_of_the_engines_threads_takes_time_until_their_number_is_known() -> None:
    planned = schedule()
    plain, piloted = (of_run(planned, NOTHING_COMPILES, engine_processors=count) for count in (1, 4))
    each = estimate.START[False] + estimate.VERIFYING_AND_ENDING
    round_seconds = 4 * (1 + 0.2)
    assert piloted.least - plain.least == pytest.approx(2 * (each.least + round_seconds))
    assert piloted.most - plain.most == pytest.approx(2 * (each.most + 3 * round_seconds)), "1, 2 and 4 threads"
    known = planned.model_copy(update={"engine_threads": 2})
    assert of_run(known, NOTHING_COMPILES, engine_processors=4) == plain
    begun = of_run(planned, NOTHING_COMPILES, done={1}, engine_processors=4)
    assert begun == of_run(planned, NOTHING_COMPILES, done={1}), "a run that is resumed has had its pilot"
    assert of_run(schedule(60.0), NOTHING_COMPILES, engine_processors=4).most == 60.0


def test_every_estimate_lies_between_its_least_and_its_most() -> None:
    for compiles in (NOTHING_COMPILES, BOTH_COMPILE):
        for design in DESIGNS:
            each = trial(schedule(design=design), compiles)
            assert 0 < each.least <= each.about <= each.most
        for budget in (60.0, 300.0, 6000.0):
            whole = of_run(schedule(budget), compiles)
            assert 0 < whole.least <= whole.about <= whole.most <= budget


def test_a_subject_that_compiles_costs_a_head_start_a_longer_warm_up_and_spare_pairs() -> None:
    compiled, plain = trial(schedule(), BOTH_COMPILE), trial(schedule(), NOTHING_COMPILES)
    head_starts = 2 * 4 * (2 + PAUSE_SECONDS + 0.2)  # of each 8 s of load in slices of 2 s, which 200 ms lead in
    assert compiled.least > plain.least + head_starts
    spare = of_pair(schedule(), ["a", "b"]).most * 5
    without = trial(schedule(design="sequential", turn_ms=0), BOTH_COMPILE)
    with_spare = trial(schedule(turn_ms=0), BOTH_COMPILE)
    assert with_spare.most - without.most == pytest.approx(5 * 2 * (2 + BETWEEN_SECONDS), rel=1e-6)
    assert plain.most < compiled.most - spare


def test_all_slices_that_a_trial_may_drive_fit_into_the_most() -> None:
    """The job offers the slices, the estimate counts them: both by one rule."""
    for planned in (schedule(), schedule(design="sequential", turn_ms=0), schedule(slice_seconds=4.0)):
        offered = jobs.plan_slices(planned, planned.trials[0], BOTH_COMPILE).all()
        slices = len(offered) * planned.slice_seconds
        assert slices < trial(planned, BOTH_COMPILE).most < 1.3 * slices + 2 * 30


def test_what_is_measured_is_pairs_with_their_turns_or_what_lies_between() -> None:
    assert of_pair(schedule(), ["a", "b"]).least == pytest.approx(2 * 2 * 1.2)
    assert of_pair(schedule(turn_ms=0), ["a", "b"]).least == pytest.approx(2 * (2 + BETWEEN_SECONDS))
    more, fewer = (trial(schedule(pairs_per_cell=pairs), NOTHING_COMPILES) for pairs in (9, 4))
    assert more.about - fewer.about == pytest.approx(5 * 2 * 2 * 1.2)


def test_a_longer_limit_of_the_warm_up_moves_the_most_and_leaves_what_is_usual() -> None:
    short, long = (trial(schedule(warm_up_limit_seconds=limit), BOTH_COMPILE) for limit in (60.0, 120.0))
    assert long.about == short.about and long.least == short.least
    assert long.most - short.most == pytest.approx(2 * 30 * (2 + PAUSE_SECONDS + 0.2))
    none = trial(schedule(warm_up_limit_seconds=2.0), BOTH_COMPILE)
    assert none.about < short.about


def test_a_budget_ends_the_warm_up_and_bounds_the_run() -> None:
    planned = schedule(300.0)
    within = warm_up_within(planned)
    assert within is not None
    free, held = trial(schedule(), BOTH_COMPILE), trial(planned, BOTH_COMPILE)
    assert held.about < free.about and held.least == free.least
    assert of_run(planned, BOTH_COMPILE).most == 300.0
    assert of_run(schedule(1e6), BOTH_COMPILE).about == of_run(schedule(), BOTH_COMPILE).about


def test_the_forks_that_are_driven_whatever_they_take_stand_in_a_budgets_time() -> None:
    planned = schedule(60.0, least_forks=4)
    assert of_run(planned, BOTH_COMPILE).about == pytest.approx(4 * trial(planned, BOTH_COMPILE).about)
    assert of_run(planned, BOTH_COMPILE).about > 60.0
    assert of_run(planned, BOTH_COMPILE, done={1, 2, 3}).about == pytest.approx(
        max(60.0, trial(planned, BOTH_COMPILE).about)
    )


def test_a_run_is_its_trials_and_its_report_and_what_is_done_takes_no_more() -> None:
    planned = schedule()
    each = trial(planned, BOTH_COMPILE).about
    whole = of_run(planned, BOTH_COMPILE)
    assert whole.about == pytest.approx(6 * each + estimate.REPORTING.about)
    assert of_run(planned, BOTH_COMPILE, done={1, 2}).about == pytest.approx(4 * each + estimate.REPORTING.about)


def test_a_load_with_a_shape_takes_its_time_once_on_each_subject_after_its_rest() -> None:
    long, short = (with_test({"kind": "big-bang", "users": 5, "seconds": seconds}) for seconds in (120, 20))
    difference = trial(long, NOTHING_COMPILES).about - trial(short, NOTHING_COMPILES).about
    assert difference == pytest.approx(2 * 100)
    rest = KINDS["block"].rest_seconds + BETWEEN_SECONDS
    measured = trial(short, NOTHING_COMPILES).about - estimate.overhead_of(short, ["a", "b"], NOTHING_COMPILES).about
    assert measured == pytest.approx(2 * (20 + rest))


def test_the_time_that_fixed_work_may_take_is_its_most_and_not_what_is_usual() -> None:
    for most_seconds in (120.0, 300.0):
        each = trial(
            with_test({"kind": "fixed-work", "users": 1, "each": 50, "most_seconds": most_seconds}), NOTHING_COMPILES
        )
        assert each.most - each.about > 2 * 0.9 * most_seconds


def test_a_study_that_has_companions_restored_before_each_test_waits_for_that() -> None:
    plain = with_test({"kind": "big-bang", "users": 5, "seconds": 20})
    restoring = plain.model_copy(update={"restore": "test"})
    assert trial(restoring, BOTH_COMPILE).about == pytest.approx(
        trial(plain, BOTH_COMPILE).about + 2 * estimate.RESTORING.about
    )


def compiles(subject: SubjectRecord) -> bool:
    servers = {subject.server, *(process.server for process in subject.processes)}  # older records name no processes
    return any(entries.server(name).model.jvm for name in servers)


def trials_of(kept: Path, schedule: Schedule) -> Iterator[tuple[TrialPlan, TrialRecord]]:
    """The complete trials of a kept run: their plans and records alone, since its tables are megabytes."""
    for planned in schedule.trials:
        path = kept / "trials" / f"{planned.number:02d}" / "trial.json"
        record = read_model(TrialRecord, path) if is_stored(path) else None
        if record is not None and record.status == "complete":
            yield planned, record


@pytest.mark.parametrize("kept", KEPT_RUNS)
def test_the_estimate_of_a_kept_run_is_within_half_as_much_again_of_what_its_trials_took(kept: str) -> None:
    schedule = read_model(Schedule, KEPT_RUNS[kept] / "schedule.json")
    # A budget ends a trial before all its pairs, and steps end where a server refuses: neither takes the least of what was planned.
    whole = schedule.budget_seconds is None and not any(cell.profile.kind == "steps" for cell in schedule.cells)
    logs = []
    for planned, record in trials_of(KEPT_RUNS[kept], schedule):
        known = {subject.label: compiles(subject) for subject in record.subjects}
        expected = of_trial(schedule.for_trial(planned), planned.start_order, known)
        logs.append(math.log(record.seconds / expected.about))
        if not (planned.cell or schedule.faults):  # else it lasts as long as its subject holds out, or its work goes on
            assert abs(logs[-1]) < math.log(1.5), (planned.number, record.seconds, expected)
            assert expected.least < record.seconds or not whole
    assert abs(median(logs)) < math.log(1.5)
