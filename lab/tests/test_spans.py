"""Work that outlives its answers: its events become spans, which measures draw on, and a slice waits until it is settled."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from steelyard.analyse.quantities import of_slices
from steelyard.base.csvfiles import read_table
from steelyard.base.errors import ProvisionError
from steelyard.catalogue import entries
from steelyard.drive.setting import TrialLog
from steelyard.drive.spans import store_spans
from steelyard.models.job import Steps
from steelyard.models.records import Cell, Schedule, SlicePlan, SubjectRecord
from steelyard.models.service import Settle
from steelyard.models.study import Span
from steelyard.plan.schedule import schedule_of
from steelyard.plan.settings import Request, settle
from steelyard.provision.launch import RunningSubject, events_file
from steelyard.store.stored_run import read_run
from steelyard.store.tables import SPAN_COLUMNS
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


def test_users_join_over_a_whole_session_however_short_a_test_is_made() -> None:
    study = entries.study("petstore").model
    service = entries.service(study.service).model
    request = Request(tests="clients-40", scale=0.2)
    (cell,) = schedule_of(study, service, request, settle(study, request), 8).cells
    assert isinstance(cell.profile, Steps)
    pauses = [(step.think.ms + step.think.to_ms) / 2000 for step in study.sessions["shop"].steps]
    assert cell.profile.ramp_seconds == sum(pauses) == 20
    assert cell.profile.hold_seconds == 60


class Asked(RunningSubject):
    """A subject without processes, whose service is settled by a command."""

    def __init__(self, folder: Path, program: str) -> None:
        command = Settle(command=["python3", "-c", program, "{seconds}", "{port.mail.api}"], seconds=7)
        model = SimpleNamespace(settle=command)
        server = SimpleNamespace(folder=folder, model=SimpleNamespace(more_ports=["api"]))
        part = SimpleNamespace(place="mail", judged=True, server=server, cache=folder)
        words = SimpleNamespace(placeholders={"port.mail.api": "4711"}, environment={})
        running = SimpleNamespace(part=part, port=1, log=folder / "x.log", words=words)
        service = SimpleNamespace(model=model, folder=folder, name="shop")
        super().__init__(cast("Any", SimpleNamespace(service=service)), cast("Any", [running]))


def test_a_slice_is_settled_when_the_services_command_says_so(tmp_path: Path) -> None:
    told = {"settled": True, "counts": {"orders.accepted": 3}}
    program = f"import sys; assert sys.argv[1:] == ['7', '4711']; print('''{json.dumps(told)}''')"
    assert Asked(tmp_path, program).settle(lambda: None) == (True, {"orders.accepted": 3})
    assert sys.executable, "the word python3 is the lab's own"


@pytest.mark.parametrize(
    "printed", ["", "no JSON", "[]", '{"settled": true}', '{"settled": true, "counts": {"a": "x"}}']
)
def test_what_a_settle_command_must_print_is_said(tmp_path: Path, printed: str) -> None:
    with pytest.raises(ProvisionError, match="the settle command of shop printed"):
        Asked(tmp_path, f"print('''{printed}''')").settle(lambda: None)


def test_the_roles_of_further_ports_are_roles_of_the_subject() -> None:
    settle_command = entries.service("petstore").model.settle
    assert settle_command is not None
    assert settle_command.roles() == {"server", "mail"}
