"""Sessions and fixed work in a study: the schedule, the corpus, and older runs without them."""

import csv
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from steelyard.analyse.measures import registry
from steelyard.analyse.sessions import SessionTimes, StepTimes, ended_early_text
from steelyard.base.errors import ConfigurationError
from steelyard.base.histogram import Histogram
from steelyard.catalogue import entries
from steelyard.models.job import FixedWork, Session, Target
from steelyard.models.service import Exchange
from steelyard.models.study import Study
from steelyard.plan import shapes
from steelyard.plan.cells import cells_of, operations_of
from steelyard.plan.kinds import kind_of
from steelyard.plan.run_parameters import Request, merge_parameters
from steelyard.results.tables import mean_request_bytes
from steelyard.workload import corpus

SERVICE = entries.service("wstest")
VISIT = {"steps": [{"operation": "echoVoid"}, {"operation": "echoStruct"}]}


def study(**more: object) -> Study:
    plain = entries.study("demo").model.model_dump(exclude_defaults=True)
    named = {"operations": ["visit"], "primary": "visit", "sessions": {"visit": VISIT}}
    return Study.model_validate({**plain, **named, **more})


def planned(found: Study):  # type: ignore[no-untyped-def]
    return cells_of(found, SERVICE.model, Request(), merge_parameters(found, Request()), 4, 2.0)


def test_a_session_is_a_cell_for_which_the_corpus_holds_the_operations_of_its_steps() -> None:
    found = study()
    (cell,) = planned(found)
    assert (cell.name, cell.kind, cell.request_mix) == ("visit", "steady", {"visit": 1.0})
    assert operations_of(cell, found.sessions) == {"echoVoid": "echoVoid", "echoStruct": "echoStruct"}
    assert set(corpus.requests_of([cell], {}, found.sessions)) == {"echoVoid", "echoStruct"}


def test_a_session_that_asks_for_what_the_service_lacks_or_has_an_operation_s_name_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match=r"calls 'echoVoyd'.*echoVoid"):
        planned(study(sessions={"visit": {"steps": [{"operation": "echoVoyd"}]}}))
    with pytest.raises(ConfigurationError, match="has the name of an operation"):
        planned(study(operations=["echoVoid"], primary="echoVoid", sessions={"echoVoid": VISIT}))


def test_fixed_work_is_a_kind_of_cell_that_warms_up_by_time_and_is_measured_by_work() -> None:
    (cell,) = planned(study(work={"each": 5, "most_seconds": 30}))
    kind, work = kind_of(cell), FixedWork(users=4, each=5, most_seconds=30)
    assert kind.name == "fixed-work" and kind.lead_in_ms == 0
    assert kind.measured_profile(cell, 2.0) == work
    assert kind.warm_up_profile(cell, 2.0).model_dump() == {"kind": "big-bang", "users": 4, "seconds": 2.0}
    assert (shapes.words(work), shapes.scale_profile(work, 0.1)) == (
        "fixed work, 4 users, 30 s",
        work.model_copy(update={"each": 1}),
    )
    with pytest.raises(ValidationError, match="neither a rate nor tests"):
        study(work={"each": 5}, rate=10.0)


def test_the_corpus_says_how_each_request_is_asked_and_leaves_empty_what_is_not_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Exchange(operation="echoVoid", request="<a/>", answer="<b/>")
    own = plain.model_copy(
        update={"method": "PUT", "path": "/x/{{id}}", "headers": {"A": "b"}, "link": 3, "pause_ms": 5.0, "filled": True}
    )
    monkeypatch.setattr(corpus.exchanges, "generate_exchanges", lambda *_, **__: (one for one in (plain, own)))
    corpus.make(SERVICE, tmp_path / "corpus", {"echoVoid": corpus.Requests("echoVoid", {})}, seed=1, count=2)
    with (tmp_path / "corpus/corpus.csv").open(newline="") as file:
        rows = [list(row.values())[6:] for row in csv.DictReader(file)]
    assert rows == [["", "", "", "", "", "0"], ["PUT", "/x/{{id}}", '{"A": "b"}', "3", "5.0", "1"]]
    sizes = mean_request_bytes(
        tmp_path / "corpus", {"s": Session.model_validate({"steps": [{"operation": "echoVoid"}]})}
    )
    assert sizes == {"echoVoid": 4, "s": 4}


def test_a_target_is_a_host_or_a_url_and_not_both() -> None:
    assert Target(subject="a", url="http://127.0.0.1:1/").host is None
    for wrong in ({}, {"url": "http://h/", "host": "h"}, {"url": "http://h/", "port": 1}):
        with pytest.raises(ValidationError, match="target a"):
            Target.model_validate({"subject": "a", **wrong})


def times(*milliseconds: float) -> Histogram:
    microseconds = np.array([round(1000 * ms) for ms in milliseconds], dtype=np.int64)
    return Histogram(microseconds, microseconds.astype(np.float64), np.ones(len(microseconds), np.int64))


def visits(ended_early: int | None, *steps: StepTimes) -> SessionTimes:
    (cell,) = planned(study())
    whole = None if ended_early is None else 40
    return SessionTimes("a", cell, "visit", times(20.0, 30.0), whole, ended_early, steps)


def test_the_time_of_a_session_is_its_requests_times_and_what_lies_between_them() -> None:
    search, book = StepTimes("search", 2, times(3.0, 5.0), {}), StepTimes("book", 1, times(7.0), {})
    assert visits(0, search, book).parts_ms() == pytest.approx({"search": 8.0, "book": 7.0, "": 10.0})
    assert visits(0, search, StepTimes("book", 1, times(), {})).parts_ms() == {}, "one was never answered"


def test_what_ended_sessions_early_is_said_step_by_step_the_most_frequent_first() -> None:
    search = StepTimes("search", 1, times(3.0), {"capture": 2, "wrong": 6})
    assert ended_early_text(visits(10, search)) == (
        "10 of 50 sessions of a ended early (20.0%): in search, a wrong answer (6 times); "
        "in search, an answer without the value that later requests need (2 times)."
    )
    assert ended_early_text(visits(0, search)) == "All 40 sessions of a were completed."
    assert ended_early_text(visits(None, search)) == "", "of a mix of sessions nothing counts each"


def test_measures_of_whole_sessions_are_those_of_studies_that_have_sessions() -> None:
    plain, with_sessions = registry({}), registry({"sessions": {"visit": VISIT}})
    added = with_sessions.keys() - plain.keys()
    assert {"session_time_mean", "session_time_p99", "session_rate", "sessions_ended_early"} <= added
    assert all(with_sessions[name].data.of_sessions for name in added)
