"""Sessions and fixed work in a study: what is planned of them, what the corpus says, and what older runs and corpora lack."""

import csv
from pathlib import Path

import pytest
from pydantic import ValidationError
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.exchange import corpus
from steelyard.models.job import FixedWork, Session, Target
from steelyard.models.service import Exchange
from steelyard.models.study import Study
from steelyard.plan import shapes
from steelyard.plan.cells import cells_of, operations_of
from steelyard.plan.kinds import kind_of
from steelyard.plan.settings import Request, settle

SERVICE = entries.service("wstest")
VISIT = {"steps": [{"operation": "echoVoid"}, {"operation": "echoStruct"}]}


def study(**more: object) -> Study:
    plain = entries.study("demo").model.model_dump(exclude_defaults=True)
    named = {"operations": ["visit"], "primary": "visit", "sessions": {"visit": VISIT}}
    return Study.model_validate({**plain, **named, **more})


def planned(found: Study):  # type: ignore[no-untyped-def]
    return cells_of(found, SERVICE.model, Request(), settle(found, Request()), 4, 2.0)


def test_a_session_is_a_cell_for_which_the_corpus_holds_the_operations_of_its_steps() -> None:
    found = study()
    (cell,) = planned(found)
    assert (cell.name, cell.kind, cell.asked) == ("visit", "steady", {"visit": 1.0})
    assert operations_of(cell, found.sessions) == {"echoVoid": "echoVoid", "echoStruct": "echoStruct"}
    assert set(corpus.requests_of([cell], {}, found.sessions)) == {"echoVoid", "echoStruct"}


def test_a_session_that_asks_for_what_the_service_lacks_or_has_an_operation_s_name_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match=r"asks for 'echoVoyd'.*echoVoid"):
        planned(study(sessions={"visit": {"steps": [{"operation": "echoVoyd"}]}}))
    with pytest.raises(ConfigurationError, match="has the name of an operation"):
        planned(study(operations=["echoVoid"], primary="echoVoid", sessions={"echoVoid": VISIT}))


def test_fixed_work_is_a_kind_of_cell_that_warms_up_by_time_and_is_measured_by_work() -> None:
    (cell,) = planned(study(work={"each": 5, "most_seconds": 30}))
    kind, work = kind_of(cell), FixedWork(users=4, each=5, most_seconds=30)
    assert kind.name == "fixed-work" and kind.lead_in_ms == 0
    assert kind.measured_profile(cell, 2.0) == work
    assert kind.warm_up_profile(cell, 2.0).model_dump() == {"kind": "big-bang", "users": 4, "seconds": 2.0}
    assert (shapes.words(work), shapes.scaled(work, 0.1)) == ("fixed work, 4 users, 30 s", work)
    with pytest.raises(ValidationError, match="neither a rate nor tests"):
        study(work={"each": 5}, rate=10.0)


def test_the_corpus_says_how_each_request_is_asked_and_leaves_empty_what_is_not_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Exchange(operation="echoVoid", request="<a/>", answer="<b/>")
    own = plain.model_copy(
        update={"method": "PUT", "path": "/x/{{id}}", "headers": {"A": "b"}, "link": 3, "pause_ms": 5.0, "filled": True}
    )
    monkeypatch.setattr(corpus.exchanges, "generated", lambda *_, **__: [plain, own])
    corpus.make(SERVICE, tmp_path / "corpus", {"echoVoid": corpus.Requests("echoVoid", {})}, seed=1, count=2)
    with (tmp_path / "corpus/corpus.csv").open(newline="") as file:
        rows = [list(row.values())[6:] for row in csv.DictReader(file)]
    assert rows == [["", "", "", "", "", "0"], ["PUT", "/x/{{id}}", '{"A": "b"}', "3", "5.0", "1"]]
    sizes = corpus.mean_request_bytes(
        tmp_path / "corpus", {"s": Session.model_validate({"steps": [{"operation": "echoVoid"}]})}
    )
    assert sizes == {"echoVoid": 4, "s": 4}


def test_a_target_is_a_host_or_a_url_and_not_both() -> None:
    assert Target(subject="a", url="http://127.0.0.1:1/").host is None
    for wrong in ({}, {"url": "http://h/", "host": "h"}, {"url": "http://h/", "port": 1}):
        with pytest.raises(ValidationError, match="target a"):
            Target.model_validate({"subject": "a", **wrong})
