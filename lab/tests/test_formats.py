"""Message formats of a service: each subject has its own, with the same values, and answers are compared by meaning."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError
from rich.console import Console
from steelyard.base.errors import ConfigurationError, ContractError
from steelyard.base.http_client import Access
from steelyard.base.progress import Progress
from steelyard.catalogue import entries, factors
from steelyard.catalogue.entries import Entry
from steelyard.catalogue.formats import Spoken, http2_of, service_in_format
from steelyard.hosts.cpus import Shares
from steelyard.hosts.subject import Part, Subject
from steelyard.measure.trial.context import TrialContext
from steelyard.measure.trial.jobs import make_job, plan_slices, target_of
from steelyard.models.records import Cell, in_format, in_own_format, operation_of
from steelyard.models.service import PROTECTED, Exchange, Format, Service
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.plan.run_parameters import Request
from steelyard.plan.schedule import schedule_only
from steelyard.plan.subjects import subjects_of
from steelyard.results.tables import mean_request_bytes, request_bytes, stored_sizes
from steelyard.workload import contract, corpus, exchanges, protobuf
from steelyard.workload.body_formats import meaning_of

WSTEST = entries.service("wstest")
STUDY = entries.study("envelope").model
FORMATS = list(WSTEST.model.formats)
# What is protected is protected otherwise on the way back: test_security.py.
UNPROTECTED = [form for form in FORMATS if form not in PROTECTED]


def in_(form: str) -> Entry[Service]:
    return service_in_format(WSTEST, {"format": form})


def test_a_format_is_a_file_of_the_contract_and_a_factor_of_the_service() -> None:
    files = (WSTEST.folder / "contract" / "formats").glob("*.toml")
    assert sorted(FORMATS) == sorted(path.stem for path in files)
    factor = WSTEST.model.factors["format"]
    assert (factor.default, factor.choices) == ("soap", ["soap", *FORMATS])


def test_a_service_without_formats_has_no_such_factor() -> None:
    assert "format" not in entries.service("flight").model.factors


def test_a_format_of_an_operation_that_is_not_there_is_refused(tmp_path: Path) -> None:
    text = WSTEST.file.read_text()
    (tmp_path / "contract" / "formats").mkdir(parents=True)
    (tmp_path / "service.toml").write_text(text)
    given = (WSTEST.folder / "contract" / "formats" / "rest-json.toml").read_text()
    (tmp_path / "contract" / "formats" / "other.toml").write_text(
        given.replace("operations.echoVoid", "operations.echoNil")
    )
    with pytest.raises(ConfigurationError, match="the format 'other' names 'echoNil'"):
        entries.service_at(str(tmp_path))
    (tmp_path / "contract" / "formats" / "other.toml").write_text(given.replace("title =", "titel = 1\ntitle ="))
    with pytest.raises(ConfigurationError, match=r"other\.toml: unknown key 'titel'; did you mean 'title'"):
        entries.service_at(str(tmp_path))
    (tmp_path / "contract" / "formats" / "other.toml").rename(tmp_path / "contract" / "formats" / "soap.toml")
    (tmp_path / "contract" / "formats" / "soap.toml").write_text(given)
    with pytest.raises(ConfigurationError, match="'soap' has the name of the service's own"):
        entries.service_at(str(tmp_path))


def test_only_a_format_that_packs_the_services_own_exchanges_needs_no_generator() -> None:
    given = {"title": "x", "path": "/x", "implementations": ["java"]}
    for meaning in ("mtom", *PROTECTED):
        assert Format.model_validate({**given, "meaning": meaning}).generate is None
    for meaning in ("json", "soap12"):
        with pytest.raises(ValidationError, match=f"a format that means {meaning} needs generate"):
            Format.model_validate({**given, "meaning": meaning})


def test_only_implementations_that_answer_in_a_format_may_be_asked_in_it() -> None:
    with pytest.raises(
        ConfigurationError, match=r"format may be 'json-rpc' only for an implementation in go.*, not in php"
    ):
        factors.factor_values(entries.server("php-fpm"), WSTEST, {"format": "json-rpc"})
    with pytest.raises(ConfigurationError, match=r"format may be 'soap12' only on go, tomcat-metro.*, not on wildfly"):
        factors.factor_values(entries.server("wildfly"), WSTEST, {"format": "soap12"})
    assert factors.factor_values(entries.server("php-fpm"), WSTEST, {})["format"] == "soap"
    assert factors.factor_values(entries.server("go"), WSTEST, {"format": "json-rpc"})["format"] == "json-rpc"


def test_the_services_own_format_is_the_service_itself() -> None:
    assert service_in_format(WSTEST, {}) is WSTEST
    rest = in_("rest-json")
    assert isinstance(rest, Spoken)
    assert (rest.model.meaning, rest.model.path, rest.model.operations["getOrder"].method) == (
        "json",
        "/wstest/rest",
        "GET",
    )
    assert service_in_format(rest, {"format": "soap"}) is WSTEST
    assert contract.request_headers(rest.model, "echoVoid") == {"Content-Type": "application/json"}


@pytest.mark.parametrize("form", UNPROTECTED)
def test_what_is_written_down_is_asked_in_every_format_but_for_what_it_cannot_say(form: str) -> None:
    own, theirs = dict(exchanges.contract_exchanges(WSTEST)), dict(exchanges.contract_exchanges(in_(form)))
    unsaid = {"echoStruct/not-a-number"} if in_(form).model.meaning == "json" else set()  # NaN and infinity are no JSON
    assert own.keys() - theirs.keys() == unsaid
    for name, exchange in theirs.items():
        assert exchange.operation == own[name].operation
        meaning = meaning_of(in_(form))
        assert meaning.difference(meaning.body(exchange.answer), exchange.answer, exchange.operation) is None


@pytest.mark.parametrize("form", UNPROTECTED)
def test_the_values_of_generated_exchanges_are_those_of_the_services_own_format(form: str) -> None:
    for operation in ("echoStruct", "getOrder"):
        sizes = {"ListSize": 3}
        own = list(exchanges.generate_exchanges(WSTEST, operation, seed=7, count=3, parameters=sizes))
        theirs = list(exchanges.generate_exchanges(in_(form), operation, seed=7, count=3, parameters=sizes))
        assert [exchange.marker for exchange in theirs] == [exchange.marker for exchange in own]
        for mine, other in zip(own, theirs, strict=True):
            assert mine.marker is not None
            assert mine.marker.encode() in meaning_of(in_(form)).body(other.answer)
            values = [text.partition("<")[0] for text in mine.answer.split("<varInt>")[1:]]
            assert [str(number) for number in _integers(in_(form), other)] == values


def _integers(service: Entry[Service], exchange: Exchange) -> list[int]:
    """The integers of the structs in an answer."""
    if service.model.meaning == "grpc":
        path = service.model.operations[exchange.operation].path or ""
        kind = protobuf.method_at(service.folder / (service.model.schema_file or ""), path).output_type
        answer = protobuf.values(meaning_of(service).body(exchange.answer)[5:], kind)
        return [item["var_int"] for item in answer.get("structs", [])]
    if service.model.meaning in ("soap12", "mtom"):
        newer = "http://www.w3.org/2003/05/soap-envelope" in exchange.answer
        assert newer == (service.model.meaning == "soap12")
        return [int(text.partition("<")[0]) for text in exchange.answer.split("<varInt>")[1:]]
    answer = json.loads(exchange.answer)
    if service.model.meaning == "rmi":
        return [item["varInt"] for item in answer] if isinstance(answer, list) else []
    return [item["varInt"] for item in answer.get("result", answer).get("structs", [])]


def _with_generator(tmp_path: Path, script: str) -> Entry[Service]:
    (tmp_path / "generator.py").write_text(script)
    given = {"title": "x", "meaning": "json", "path": "/x", "implementations": ["go"]}
    form = Format.model_validate({**given, "generate": ["python3", str(tmp_path / "generator.py")]})
    model = WSTEST.model.model_copy(update={"formats": {"x": form}})
    return service_in_format(Entry("wstest", WSTEST.folder, WSTEST.file, model), {"format": "x"})


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print('null')", "converted 1 of 34 exchanges of wstest to x"),
        ("import sys\nfor line in sys.stdin: print('<a/>')", "printed a line that is not JSON"),
        ("import sys\nfor line in sys.stdin: print('{}')", "key 'operation' is missing"),
        ("raise SystemExit('out of ink')", "failed: out of ink"),
    ],
)
def test_a_generator_that_translates_wrongly_is_named_with_what_it_did(script: str, said: str, tmp_path: Path) -> None:
    with pytest.raises((ContractError, ConfigurationError), match=said):
        exchanges.contract_exchanges(_with_generator(tmp_path, script))


def made(folder: Path) -> tuple[corpus.Corpus, list[dict[str, str]], list[Cell]]:
    cells = schedule_only(STUDY, Request(operations=["echoStruct"])).cells
    wanted = corpus.requests_of(cells, {"ListSize": 20, "NumBytes": 10}, {})
    stored = corpus.make(WSTEST, folder / "corpus", wanted, seed=1, count=2, formats=["rest-json"])
    with (stored.folder / "corpus.csv").open(newline="", encoding="utf-8") as file:
        return stored, list(csv.DictReader(file)), cells


def test_the_corpus_holds_the_same_requests_once_more_in_each_format_that_is_spoken(tmp_path: Path) -> None:
    stored, rows, cells = made(tmp_path)
    own = [row for row in rows if "format=" not in row["operation"]]
    others = [row for row in rows if "format=rest-json" in row["operation"]]
    assert len(own) == len(others) == 2 * len(cells)
    assert [in_own_format(row["operation"]) for row in others] == [row["operation"] for row in own]
    assert {row["path"] for row in others} == {"/wstest/rest/echoStruct"}
    answers = corpus.expected_answers(stored.folder)
    assert all(answers[int(row["entry"])].startswith("{") for row in others)
    sizes = stored_sizes(stored.folder)
    for cell in cells:
        in_soap, in_json = request_bytes(cell, sizes), request_bytes(cell, sizes, "rest-json")
        assert in_soap is not None
        assert in_json is not None
        assert in_json < in_soap
        assert request_bytes(cell, sizes, "soap") == in_soap


def test_a_corpus_of_a_service_in_a_format_is_in_that_format(tmp_path: Path) -> None:
    wanted = {"echoStruct": corpus.Requests("echoStruct", {"ListSize": 3})}
    stored = corpus.make(in_("rest-json"), tmp_path / "corpus", wanted, seed=1, count=2)
    assert (stored.folder / "corpus.bin").read_bytes().startswith(b"{")


def test_only_what_says_so_is_asked_by_http_2() -> None:
    form = WSTEST.model.formats["grpc"]
    assert http2_of(in_("grpc")) == form.http2
    assert (http2_of(in_("rest-json")), http2_of(WSTEST)) == (None, None)


def test_names_of_requests_tell_their_format_and_their_operation() -> None:
    for own in ("echoVoid", "echoList@ListSize=1"):
        assert in_format(own, "") == own
        assert in_own_format(in_format(own, "rest-json")) == own
        assert operation_of(in_format(own, "rest-json")) == own.partition("@")[0]
        assert not set(in_format(own, "rest-json")) & set(" ,/\"'")  # which the engine takes in no name


def running_subjects(specs: Iterable[SubjectSpec], scratch: Path) -> dict[str, Any]:
    """Subjects of Go as they would run, without a process."""
    running: dict[str, Any] = {}
    for spec in specs:
        server = entries.server("go")
        settled = factors.factor_values(server, WSTEST, spec.parts[0].factors)
        part = Part("server", server, settled, scratch, True, "server")
        own = service_in_format(WSTEST, settled)
        subject = Subject(spec.label, own, [part], spec.headers, operation_headers=spec.operation_headers)
        running[spec.label] = SimpleNamespace(
            subject=subject, host="127.0.0.1", front=SimpleNamespace(port=1), parts=[], access=Access()
        )
    return running


@pytest.mark.parametrize("form", ["", "rest-json"])
def test_headers_of_an_operation_go_with_its_requests_alone(tmp_path: Path, form: str) -> None:
    factors_of = {"format": form} if form else {}
    spec = SubjectSpec(
        label="go",
        parts=[PartSpec(server="go", factors=factors_of)],
        operation_headers={"echoStruct": {"Steelyard-Busy-Us": "40"}},
    )
    running = running_subjects([spec], tmp_path)
    operations = {name: name for name in ("echoStruct", "echoVoid")}
    sent = target_of("go", running["go"], WSTEST, operations).operation_headers
    assert sent[in_format("echoStruct", form)]["Steelyard-Busy-Us"] == "40"
    assert "Content-Type" in sent[in_format("echoStruct", form)]
    assert "Steelyard-Busy-Us" not in sent[in_format("echoVoid", form)]


def test_headers_of_an_operation_that_the_service_lacks_are_rejected() -> None:
    spec = SubjectSpec(label="go", parts=[PartSpec(server="go")], operation_headers={"echoStrut": {"A": "1"}})
    study = STUDY.model_copy(update={"subjects": ["go", spec]})
    with pytest.raises(ConfigurationError, match=r"go has headers for 'echoStrut'.* did you mean 'echoStruct'"):
        schedule_only(study, Request(forks=1, pairs=1))


def test_each_subject_is_asked_in_its_own_format(tmp_path: Path) -> None:
    stored, _, _ = made(tmp_path)
    schedule = schedule_only(
        STUDY, Request(operations=["echoStruct"], only=["go", "go@format=rest-json"], forks=1, pairs=1)
    )
    running = running_subjects(subjects_of(STUDY, schedule.subjects), tmp_path)
    trial = schedule.trials[0]
    slices = plan_slices(schedule, trial, dict.fromkeys(running, False))
    folder = tmp_path / "trials" / "01"
    setting = TrialContext(
        schedule, WSTEST, {}, stored, tmp_path, Shares([0], [0]), Progress(Console(file=io.StringIO()))
    )
    job = make_job(setting, trial, slices, running, folder)
    asked = {label: {name for each in job.slices if each.subject == label for name in each.mix} for label in running}
    assert asked["go@format=rest-json"] == {in_format(name, "rest-json") for name in asked["go"]}
    paths = {target.subject: target.path for target in job.targets}
    assert paths == {"go": "/wstest/WSTest", "go@format=rest-json": "/wstest/rest"}
    headers = {
        target.subject: {json.dumps(each) for each in target.operation_headers.values()} for target in job.targets
    }
    assert "SOAPAction" in headers["go"].pop()
    assert headers["go@format=rest-json"] == {'{"Content-Type": "application/json"}'}
    assert {target.http2 for target in job.targets} == {None}
    means = mean_request_bytes(stored.folder, {})
    assert {name for names in asked.values() for name in names} <= means.keys()
