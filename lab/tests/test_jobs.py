"""The slices of a trial: numbered once, paired fairly, replayed alike."""

from collections import Counter

import pytest
from steelyard.catalogue import entries
from steelyard.measure.trial import jobs
from steelyard.measure.trial.jobs import Answering
from steelyard.models.job import Rate, Session, SessionStep, Stage, Turn
from steelyard.models.records import Schedule, SlicePlan
from steelyard.plan import slices
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of
from test_engines import histogram

ALIKE = Answering(0.8, 0.8)  # ms, every answer
STUDY = entries.study("wstest").model
SERVICE = entries.service("wstest").model


def make(labels: list[str], pairs: int = 6, **wishes: object) -> Schedule:
    request = Request(only=labels, pairs=pairs, operations=["echoStruct", "echoVoid"], **wishes)  # type: ignore[arg-type]
    return schedule_of(STUDY, SERVICE, request, merge_parameters(STUDY, request), 8)


def measured(schedule: Schedule) -> list[SlicePlan]:
    return jobs.plan_slices(schedule, schedule.trials[0], dict.fromkeys(schedule.subjects, True)).measure


def test_every_slice_has_a_number_of_its_own() -> None:
    schedule = make(["a", "b"])
    numbers = [plan.number for plan in jobs.plan_slices(schedule, schedule.trials[0], {"a": True, "b": False}).all()]
    assert numbers == list(range(len(numbers)))


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c"]])
def test_each_subject_stands_in_each_place_equally_often(labels: list[str]) -> None:
    schedule = make(labels, pairs=2 * len(labels))
    places = Counter()  # type: ignore[var-annotated]
    for pair in range(schedule.pairs_per_cell):
        order = [plan.subject for plan in measured(schedule) if plan.pair == pair and plan.cell == "echoVoid"]
        places.update(enumerate(order))
    assert len(set(places.values())) == 1
    assert len(places) == len(labels) ** 2


def test_two_subjects_alternate_as_abba() -> None:
    order = [plan.subject for plan in measured(make(["a", "b"])) if plan.cell == "echoStruct"]
    first, second = order[:2]
    assert order[:4] == [first, second, second, first]


def test_slices_of_steady_closed_load_take_turns_which_are_longer_where_answers_are_slow() -> None:
    schedule = make(["a", "b"])
    cell = schedule.cells[0]
    assert (schedule.turn_ms, schedule.slice_seconds) == (150, 2)
    assert jobs.turn_of(schedule, cell, [ALIKE] * 2) == Turn(ms=150)
    assert jobs.turn_of(schedule, cell, [ALIKE] * 2, threads=100) == Turn(ms=150)
    many = jobs.turn_of(schedule, cell, [ALIKE] * 2, threads=400)
    assert many is not None and many.ms == pytest.approx(456), "2.3 ms to thaw them"
    assert jobs.turn_of(schedule, cell, [ALIKE, ALIKE, Answering(8, 8)]) == Turn(ms=400)


def test_few_answers_that_take_long_make_turns_longer_though_the_mean_is_short() -> None:
    """A turn's end waits for the answers under way, and is likelier to meet a long one."""
    schedule = make(["a", "b"])
    cell = schedule.cells[0]
    answers_us = [1_000] * 276 + [60_000] * 4
    stalls = jobs.answering(histogram(answers_us))
    under_way = sum(us**2 for us in answers_us) / sum(answers_us) / 1000
    assert stalls.under_way_ms == pytest.approx(under_way, rel=0.002)
    assert stalls.mean_ms < 2
    assert jobs.turn_of(schedule, cell, [ALIKE, stalls]) is None
    assert jobs.turn_of(schedule, cell, [ALIKE, Answering(1, 10)]) == Turn(ms=400)
    assert jobs.answering(None) == Answering()


def test_what_has_no_partner_is_slow_open_or_not_to_be_cut_takes_no_turns() -> None:
    schedule = make(["a", "b"])
    cell = schedule.cells[0]
    rate = Rate(stages=[Stage(from_rate=50, to_rate=50, seconds=2)])
    assert jobs.turn_of(schedule, cell, [ALIKE]) is None
    assert jobs.turn_of(schedule, cell, [ALIKE, Answering(21, 21)]) is None, "two turns would not fit into a slice"
    assert jobs.turn_of(schedule, cell.model_copy(update={"profile": rate}), [ALIKE] * 2) is None
    assert jobs.turn_of(schedule.model_copy(update={"turn_ms": 0}), cell, [ALIKE] * 2) is None
    sessions = {next(iter(cell.mix)): Session(steps=[SessionStep(operation="echoVoid")])}
    assert jobs.turn_of(schedule.model_copy(update={"sessions": sessions}), cell, [ALIKE] * 2) is None
    assert make(["a", "b"], as_published=True).turn_ms == 0
    frozen = STUDY.model_copy(update={"design": "alternating-frozen"})
    request = Request(only=["a", "b"])
    assert schedule_of(frozen, SERVICE, request, merge_parameters(frozen, request), 8).turn_ms == 0


def test_only_subjects_that_warm_on_all_processors_get_a_head_start() -> None:
    schedule = make(["a", "b"])
    slices = jobs.plan_slices(schedule, schedule.trials[0], {"a": True, "b": False})
    assert {label for label, _ in slices.head_start} == {"a"}


def test_a_head_start_is_no_longer_than_the_warm_up_may_be() -> None:
    longest, slice_seconds = slices.HEAD_START_SECONDS, 0.5
    for limit, seconds in ((60.0, longest), (1.0, 2.0), (0.5, 1.0)):  # of two operations
        schedule = make(["a"], slice_seconds=slice_seconds, warm_up_seconds=limit)
        offered = jobs.plan_slices(schedule, schedule.trials[0], {"a": True}).head_start
        assert sum(len(plans) for plans in offered.values()) * slice_seconds == seconds


def test_as_published_warms_up_once_and_measures_once() -> None:
    schedule = make(["a", "b"], as_published=True)
    slices = jobs.plan_slices(schedule, schedule.trials[0], {"a": True, "b": True})
    assert slices.head_start == {}
    assert [len(plans) for plans in slices.warm_up.values()] == [1, 1]
    assert len(slices.measure) == 2


def test_a_sequential_design_drives_all_of_one_subject_before_the_next() -> None:
    schedule = make(["a", "b"]).model_copy(update={"design": "sequential"})
    order = [plan.subject for plan in measured(schedule)]
    assert order == [order[0]] * 12 + [order[-1]] * 12 and order[0] != order[-1]
    pairs = Counter((plan.pair, plan.cell) for plan in measured(schedule))
    assert set(pairs.values()) == {2}, "slices still have partners, so the same statistics judge them"


def test_what_is_to_be_cold_is_measured_before_the_warm_up_and_warmed_up_in_by_none() -> None:
    flight, service = entries.study("flight").model, entries.service("flight").model
    request = Request(tests="cold,breakdown", only=["tomcat-metro", "tomcat-cxf"])
    schedule = schedule_of(flight, service, request, merge_parameters(flight, request), 8)
    slices = jobs.plan_slices(schedule, schedule.trials[0], dict.fromkeys(schedule.subjects, True))
    assert {(plan.cell, plan.subject) for plan in slices.cold} == {("cold", label) for label in schedule.subjects}
    assert {plan.cell for plan in slices.measure} == {"breakdown"}
    assert {cell for _, cell in (*slices.head_start, *slices.warm_up)} == {"breakdown"}
    numbers = [plan.number for plan in slices.all()]
    assert numbers == list(range(len(numbers)))


def test_where_all_is_cold_nothing_is_warmed_up() -> None:
    flight, service = entries.study("flight").model, entries.service("flight").model
    request = Request(tests="cold", only=["tomcat-metro"])
    schedule = schedule_of(flight, service, request, merge_parameters(flight, request), 8)
    slices = jobs.plan_slices(schedule, schedule.trials[0], {"tomcat-metro": True})
    assert len(slices.cold) == 1 and not slices.head_start and not slices.warm_up and not slices.measure
