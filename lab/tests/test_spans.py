"""Background work: its events become spans for measures, and a slice waits until the work is done."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import ValidationError
from steelyard.analyse.analysis import analyse
from steelyard.analyse.measures import Measure, registry
from steelyard.analyse.pairing import Void, slice_voids
from steelyard.analyse.quantities import Quantities, of_slices
from steelyard.base.csvfiles import read_table
from steelyard.base.errors import ConfigurationError, ProvisionError
from steelyard.catalogue import entries
from steelyard.commands.printing import orders_of
from steelyard.hosts.launch import events_file, gauges_file
from steelyard.hosts.placement import LOOPBACK
from steelyard.hosts.running import RunningSubject
from steelyard.measure.trial.context import TrialLog
from steelyard.measure.trial.gauges import store_gauges
from steelyard.measure.trial.spans import store_spans
from steelyard.models.job import Steps, Think
from steelyard.models.records import Cell, Schedule, SlicePlan, SubjectRecord
from steelyard.models.service import Reconciliation, Settle
from steelyard.models.study import Span, Study
from steelyard.plan.cells import pauses_seconds, shorten_pauses
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.plan.schedule import schedule_of
from steelyard.results.stored_run import read_run
from steelyard.results.tables import GAUGE_COLUMNS, SPAN_COLUMNS
from synthetic import Planted, write_run

SECOND = 1_000_000_000
ORDER = Span(name="order", begin="received", end="done", meaning="a test's")
PLACES = [
    {"role": role, "server": "x", "title": "X", "version": "1", "judged": True, "processors": []} for role in "ab"
]


def log_of(folder: Path) -> TrialLog:
    """A trial of one subject of two processes, of which one slice was measured after one of warm-up."""
    subject = SubjectRecord.model_validate(
        {
            **{"label": "x@y=1", "server": "x", "title": "X", "version": "1", "stack": "", "url": ""},
            **{"start_seconds": 1, "exchanges_verified": 1, "processes": PLACES},
        }
    )
    plans = [
        SlicePlan(number=0, subject="x@y=1", cell="few", phase="warm-up"),
        SlicePlan(number=1, subject="x@y=1", cell="few", phase="measure", pair=0),
    ]
    return TrialLog(folder, subjects=[subject], slices=plans)


def test_events_of_all_processes_are_matched_by_id_and_counted_where_a_level_was_held(tmp_path: Path) -> None:
    profile = Steps(levels=[4], hold_seconds=10, ramp_seconds=2)
    cell = Cell(name="few", mix={"shop": 1}, users=4, profile=profile, primary=True, kind="block")
    schedule = cast("Schedule", SimpleNamespace(cells=[cell], spans=[ORDER]))
    begin = 100 * SECOND
    received = {"warm-up": -5, "ramp": 1, "held": 3, "lost": 4, "after": 13}
    lines = [f"received,{who},{begin + at * SECOND}" for who, at in received.items()]
    events_file(tmp_path, "x@y=1", "a").write_text("\n".join(["name,id,time_ns", *lines, "received,cut"]))
    done = [f"done,{who},{begin + (at + 30) * SECOND}" for who, at in received.items() if who != "lost"]
    events_file(tmp_path, "x@y=1", "b").write_text("\n".join(["name,id,time_ns", *done, "done,held,1", ""]))
    rows = [
        {"slice": "0", "begin_ns": str(begin - 10 * SECOND), "end_ns": str(begin)},
        {"slice": "1", "begin_ns": str(begin), "end_ns": str(begin + 12 * SECOND)},
    ]
    store_spans(schedule, log_of(tmp_path), rows)
    found = {row.text("id"): row for row in read_table(tmp_path / "spans.csv", SPAN_COLUMNS)}
    assert set(found) == {"ramp", "held", "lost"}
    assert {who: row.text("held") for who, row in found.items()} == {"ramp": "0", "held": "1", "lost": "1"}
    assert found["lost"].text("end_ns") == ""
    assert (
        found["held"].whole("end_ns") - found["held"].whole("begin_ns") == 30 * SECOND
    )  # the first of its name counts


def test_measures_draw_on_the_spans_that_count_and_have_ended(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(forks=1))
    folder = run / "trials" / "01"
    trial = read_run(run).trials[0]
    number = next(plan.number for plan in trial.plans.values() if plan.phase == "measure")
    assert "span_seconds" not in of_slices(trial, [number], 8).values, "what no study asks for is not there"
    table = [(number, "go", "order", "one", 5, 25, 1), (number, "go", "order", "two", 5, 15, 1)]
    table += [(number, "go", "order", "lost", 5, "", 1), (number, "go", "order", "early", 1, 2, 0)]
    lines = [",".join(map(str, row)) for row in (SPAN_COLUMNS, *table)]
    (folder / "spans.csv").write_text("\n".join(lines) + "\n")
    found = of_slices(read_run(run).trials[0], [number], 8).values
    assert (found["spans_order"], found["span_ns_order"]) == (2, 30)
    assert found["span_seconds"] == trial.slices[number].seconds


def test_work_that_was_left_is_no_figure_and_what_was_asked_beside_it_does_not_count(tmp_path: Path) -> None:
    """The orders that were completed of a long queue are the quick ones, and the next load waits behind the rest."""
    run = write_run(tmp_path / "run", Planted(forks=1))
    trial = read_run(run).trials[0]
    mine = [plan.number for plan in trial.plans.values() if plan.phase == "measure" and plan.subject == "go"]
    (other,) = {plan.subject for plan in trial.plans.values()} - {"go"}
    number = mine[1]
    table = [
        (one, "go", *span, 1) for one in mine for span in (("order", f"o{one}", 5, 25), ("pause", f"p{one}", 6, 7))
    ]
    lines = [",".join(map(str, row)) for row in (SPAN_COLUMNS, *table)]
    (trial.folder / "spans.csv").write_text("\n".join(lines) + "\n")
    record = json.loads((trial.folder / "trial.json").read_text())
    ended = {"subject": "go", "seconds": 180, "counts": {}}
    record["settled"] = [{**ended, "slice": one, "settled": one != number} for one in mine]
    (trial.folder / "trial.json").write_text(json.dumps(record))
    found = read_run(run)
    (trial,) = found.trials
    whole = of_slices(trial, [mine[0]], 8).values
    assert (whole["span_ns_order"], whole["spans_order_meeting_pause"]) == (20, 1)
    left = of_slices(trial, [number], 8).values
    assert left["spans_order"] == 1 and not {"span_ns_order", "spans_order_meeting_pause"} & set(left)
    measured = [plan.number for plan in trial.plans.values() if plan.phase == "measure"]
    later = {one for one in measured if trial.slices[one].begin_ns >= trial.slices[number].end_ns}
    assert {trial.plans[one].subject for one in later} == {"go", other}, "what is left uses processors of both"
    assert {one for one in measured if Void.BURDENED in slice_voids(trial, one)} == later
    (said,) = [note for note in analyse(run).notes if "did not finish" in note]
    assert said.startswith("background work of go did not finish within the wait after ")


def test_what_processes_tell_of_their_state_counts_where_a_level_was_held_and_of_several_slices_the_highest(
    tmp_path: Path,
) -> None:
    profile = Steps(levels=[4], hold_seconds=10, ramp_seconds=2)
    cell = Cell(name="few", mix={"shop": 1}, users=4, profile=profile, primary=True, kind="block")
    schedule = cast("Schedule", SimpleNamespace(cells=[cell], spans=[]))
    begin = 100 * SECOND
    rows = [{"slice": "1", "begin_ns": str(begin), "end_ns": str(begin + 12 * SECOND)}]
    store_gauges(schedule, log_of(tmp_path), rows)
    assert not (tmp_path / "gauges.csv").exists(), "nobody told anything"
    told = [(-1, 9), (1, 8), (3, 5), (4, 2)]
    lines = ["name,value,time_ns", *(f"queue,{value},{begin + at * SECOND}" for at, value in told), "queue,cut"]
    gauges_file(tmp_path, "x@y=1", "a").write_text("\n".join(lines))
    store_gauges(schedule, log_of(tmp_path), rows)
    found = [(row.text("value"), row.whole("held")) for row in read_table(tmp_path / "gauges.csv", GAUGE_COLUMNS)]
    assert found == [("8", 0), ("5", 1), ("2", 1)]


def test_measures_draw_on_gauges_of_which_the_highest_stays_the_highest(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Planted(forks=1))
    first, second, *_ = [
        plan.number
        for plan in read_run(run).trials[0].plans.values()
        if plan.phase == "measure" and plan.subject == "go"
    ]
    table = [(first, "go", "queue", 5, 1, 1), (first, "go", "queue", 6, 4, 1), (second, "go", "queue", 7, 3, 1)]
    table += [(second, "go", "queue", 8, 99, 0)]
    lines = [",".join(map(str, row)) for row in (GAUGE_COLUMNS, *table)]
    (run / "trials" / "01" / "gauges.csv").write_text("\n".join(lines) + "\n")
    values = of_slices(read_run(run).trials[0], [first, second], 8).values
    assert (values["gauge_samples_queue"], values["gauge_sum_queue"], values["gauge_highest_queue"]) == (3, 8, 4)


@pytest.mark.parametrize(
    ("orders", "pauses", "met"),
    [
        ([(0, 10)], [(4, 6)], 1),
        ([(4, 6)], [(0, 10)], 1),
        ([(0, 10)], [(10, 12)], 0),
        ([(12, 20)], [(10, 12)], 0),
        ([(0, 10), (20, 30), (40, 50)], [(8, 9), (2, 3), (45, 60)], 2),
        ([(0, 10)], [(9, 30), (2, 4)], 1),
    ],
)
def test_spans_are_counted_that_met_one_of_another_name(
    tmp_path: Path, orders: list[tuple[int, int]], pauses: list[tuple[int, int]], met: int
) -> None:
    run = write_run(tmp_path / "run", Planted(forks=1))
    number = next(plan.number for plan in read_run(run).trials[0].plans.values() if plan.phase == "measure")
    table = [(number, "go", "order", f"o{n}", *order, 1) for n, order in enumerate(orders)]
    table += [(number, "go", "pause", f"p{n}", *pause, 0) for n, pause in enumerate(pauses)]
    lines = [",".join(map(str, row)) for row in (SPAN_COLUMNS, *table)]
    (run / "trials" / "01" / "spans.csv").write_text("\n".join(lines) + "\n")
    assert of_slices(read_run(run).trials[0], [number], 8).values["spans_order_meeting_pause"] == met


def orders_measures() -> dict[str, Measure]:
    return registry(entries.study("petstore").model.model_dump(mode="json"))


@pytest.mark.parametrize(("clients", "think_ms", "response_ms"), [(40, 2500, 50), (100, 2500, 2500), (15, 2000, 0.4)])
def test_the_orders_of_a_closed_loop_follow_from_its_pauses_and_response_times(
    clients: int, think_ms: float, response_ms: float
) -> None:
    """Each client walks through eight requests again and again, each after its pause."""
    session_s, seconds = 8 * (think_ms + response_ms) / 1000, 3600
    orders = clients * seconds / session_s
    values = {
        **{"users": clients, "completed": 8 * orders, "response_ns_sum": 8 * orders * response_ms * 1e6},
        **{"thinks": 8 * orders, "think_ns_sum": 8 * orders * think_ms * 1e6},
        **{"spans_order_response": 0.98 * orders, "span_seconds": seconds},
    }
    found = {
        name: orders_measures()[name].evaluate(Quantities(values, lambda _: pytest.fail("no histogram"))).value
        for name in ("orders_per_minute", "orders_predicted", "orders_of_predicted")
    }
    assert found["orders_predicted"] == pytest.approx(60 * orders / seconds)
    assert found["orders_of_predicted"] == pytest.approx(98), "two of a hundred were not completed"


def test_levels_in_percent_come_to_users_once_the_whole_is_given_and_are_no_test_before() -> None:
    study = entries.study("petstore").model
    service = entries.service(study.service).model

    def levels(request: Request) -> dict[str, list[int]]:
        cells = schedule_of(study, service, request, merge_parameters(study, request), 8).cells
        return {cell.name: cell.profile.levels for cell in cells if isinstance(cell.profile, Steps)}

    assert levels(Request()) == {"clients-40": [40], "clients-100": [100]}
    usual = levels(Request(settings={"Saturation": 640}))
    assert usual == {"clients-40": [40], "clients-100": [100], "saturated-50": [320], "saturated-100": [640]}
    assert levels(Request(tests="saturated-19", settings={"Saturation": 640})) == {"saturated-19": [122]}
    with pytest.raises(ConfigurationError, match="in percent of Saturation") as refused:
        levels(Request(tests="saturated-50"))
    assert "--set Saturation=NUMBER" in str(refused.value.hint)


@pytest.mark.parametrize(
    "changed", [{"percent_of": "Nobody"}, {"profile": {"kind": "big-bang", "users": 1, "seconds": 1}}]
)
def test_percentages_are_of_steps_and_of_a_parameter_that_the_study_has(changed: dict[str, Any]) -> None:
    study = entries.study("petstore").model.model_dump(mode="json")
    (place,) = [n for n, test in enumerate(study["tests"]) if test["name"] == "saturated-50"]
    study["tests"][place] |= changed
    with pytest.raises(ValidationError):
        Study.model_validate(study)


def test_orders_are_told_of_all_subjects_together_and_of_each() -> None:
    counts = {"accepted": 7, "completed": 6, "mails": 19, "open": 0, "lost": 1, "doubled": 2}
    told = orders_of({who: {f"orders.{name}": count for name, count in counts.items()} for who in "ab"})
    assert told is not None and told.accepted == 14 and told.lost == 2
    assert told.by_subject["b"].model_dump() == counts
    assert orders_of({"a": {"other": 1}}) is None


@pytest.mark.parametrize("seconds", [2, 60])
def test_a_hurried_session_has_the_same_requests_and_no_longer_pauses_than_it_may(seconds: float) -> None:
    session = entries.study("petstore").model.sessions["shop"]
    made = shorten_pauses(session, seconds)
    assert [step.operation for step in made.steps] == [step.operation for step in session.steps]
    assert pauses_seconds(made) == pytest.approx(min(seconds, pauses_seconds(session)))
    assert made.steps[0].think.to_ms == pytest.approx(4 * made.steps[0].think.ms)
    plain = session.model_copy(update={"steps": [step.model_copy(update={"think": Think()}) for step in session.steps]})
    assert shorten_pauses(plain, seconds) == plain


def test_users_join_over_a_whole_session_however_short_a_test_is_made() -> None:
    study = entries.study("petstore").model
    service = entries.service(study.service).model
    request = Request(tests="clients-40", scale=0.2)
    (cell,) = schedule_of(study, service, request, merge_parameters(study, request), 8).cells
    assert isinstance(cell.profile, Steps)
    pauses = [(step.think.ms + step.think.to_ms) / 2000 for step in study.sessions["shop"].steps]
    assert cell.profile.ramp_seconds == sum(pauses) == 20
    assert cell.profile.hold_seconds == 60


class Asked(RunningSubject):
    """A subject without processes, whose service is settled by a command."""

    def __init__(self, folder: Path, program: str) -> None:
        command = Settle(command=["python3", "-c", program, "{seconds}", "{port.mail.api}"], seconds=7)
        model = SimpleNamespace(settle=command, counter=None)
        server = SimpleNamespace(folder=folder, model=SimpleNamespace(more_ports=["api"]))
        part = SimpleNamespace(place="mail", judged=True, server=server, cache=folder)
        words = SimpleNamespace(placeholders={"port.mail.api": "4711"}, environment={})
        running = SimpleNamespace(part=part, port=1, log=folder / "x.log", words=words, site=LOOPBACK)
        service = SimpleNamespace(model=model, folder=folder, name="shop")
        super().__init__(cast("Any", SimpleNamespace(service=service)), cast("Any", [running]))


def test_a_slice_is_settled_when_the_services_command_says_so(tmp_path: Path) -> None:
    told = {"settled": True, "counts": {"orders.accepted": 3}}
    program = f"import sys; assert sys.argv[1:] == ['7', '4711']; print('''{json.dumps(told)}''')"
    assert Asked(tmp_path, program).wait_for_background_work(lambda: None) == (True, {"orders.accepted": 3})
    asked = Asked(tmp_path, program)
    asked.wait_for_background_work(lambda: None)
    books = Reconciliation(name="books", command=["echo", "3"], expect="{orders.accepted}")
    assert asked.reconcile(books) == ("3", "3"), "what was settled last is what the books must hold"
    assert sys.executable, "the word python3 is the lab's own"


@pytest.mark.parametrize(
    "printed",
    [
        "",
        "no JSON",
        "[]",
        '{"settled": true}',
        '{"settled": true, "counts": {"a": "x"}}',
        '{"settled": true, "counts": {"a": Infinity}}',
        "[" * 100_000,
    ],
)
def test_what_a_settle_command_must_print_is_said(tmp_path: Path, printed: str) -> None:
    with pytest.raises(ProvisionError, match="the settle command of shop printed"):
        Asked(tmp_path, f"print('''{printed}''')").wait_for_background_work(lambda: None)


def test_the_roles_of_further_ports_are_roles_of_the_subject() -> None:
    settle_command = entries.service("petstore").model.settle
    assert settle_command is not None
    assert settle_command.roles() == {"server", "mail"}
