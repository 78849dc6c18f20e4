"""The contract's checks of a server, and the deviations that a descriptor may declare."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from answering import Reply, answering
from steelyard.base.errors import ContractError
from steelyard.base.http_client import Access, Answer, HttpClient
from steelyard.catalogue import entries
from steelyard.models.service import Exchange
from steelyard.workload import contract, exchanges, refusals
from steelyard.workload.body_format import Spelling
from steelyard.workload.body_formats import meaning_of
from steelyard.workload.soap import messages
from steelyard.workload.soap.messages import TypedMessages
from steelyard.workload.soap.spellings import all_spellings


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The exchanges, each with its name as its path, and spellings that were asked, instead of asking a server."""
    asked: list[tuple[str, str]] = []
    exchanges_asked = [
        (name, exchange.model_copy(update={"path": name}))
        for name, exchange in contract.all_exchanges(entries.service("wstest"), seed=1)
    ]

    def note(_self: contract.Questioner, exchange: Exchange, spelling: Spelling, _right: bytes) -> bytes:
        asked.append((str(exchange.path), spelling.name))
        return b""

    monkeypatch.setattr(contract, "all_exchanges", lambda _service, _seed: exchanges_asked)
    monkeypatch.setattr(contract.Questioner, "ask", note)
    return asked


def verify(**options: object) -> int:
    return contract.verify(entries.service("wstest"), "http://127.0.0.1:1/", seed=1, **options)  # type: ignore[arg-type]


def test_every_exchange_is_asked_in_every_spelling(asked: list[tuple[str, str]]) -> None:
    assert verify() == len(asked)
    names, spellings = {name for name, _ in asked}, {spelling for _, spelling in asked}
    assert len(asked) == len(names) * len(spellings)
    assert {"as given", "CDATA", "UTF-16"} <= spellings


def test_deviations_take_out_an_exchange_or_a_spelling(asked: list[tuple[str, str]]) -> None:
    verify(deviations={"echoStruct/floats": "why", "spelling/CDATA": "why"})
    assert "echoStruct/floats" not in {name for name, _ in asked}
    assert "CDATA" not in {spelling for _, spelling in asked}


def test_a_deviation_may_be_of_one_service_alone(asked: list[tuple[str, str]]) -> None:
    verify(deviations={"soakit/spelling/CDATA": "why", "wstest/spelling/UTF-16": "why"})
    spellings = {spelling for _, spelling in asked}
    assert "CDATA" in spellings
    assert "UTF-16" not in spellings


def test_a_connection_is_held_by_answers_that_are_no_faults(asked: list[tuple[str, str]], monkeypatch: Any) -> None:
    """Tomcat closes a connection after a fault, and the first exchange of flight is due one."""
    flight = entries.service("flight")
    named = [(name, one.model_copy(update={"path": name})) for name, one in exchanges.contract_exchanges(flight)]
    assert named[0][1].fault
    monkeypatch.setattr(exchanges, "contract_exchanges", lambda _service: named)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        answers = contract.hold_connection(flight, f"http://127.0.0.1:{listening.getsockname()[1]}/")
        next(answers), next(answers)
    (name,) = {name for name, _ in asked}
    assert not dict(named)[name].fault


def test_a_floor_is_asked_every_exchange_as_it_stands(asked: list[tuple[str, str]]) -> None:
    verify(floor=True)
    assert {name.split("/")[0] for name, _ in asked} == set(entries.service("wstest").model.operations)
    assert {spelling for _, spelling in asked} == {"as given"}


@pytest.mark.parametrize(
    "name", sorted(one for one in entries.service_files() if entries.service(one).model.meaning == "soap")
)
def test_the_content_of_a_file_is_asked_for_where_a_text_is_echoed(name: str, tmp_path: Path) -> None:
    service = entries.service(name)
    (asked,) = (bad for bad in refusals.bad_requests(service, tmp_path / "secret") if bad.name == "external-entity")
    assert f'"file://{tmp_path}/secret"'.encode() in asked.body
    echo = meaning_of(service).echo(exchanges.contract_exchanges(service))
    assert echo is not None
    said = echo.with_text("&e;")
    assert asked.body.endswith(said.partition(b"?>")[2].lstrip()) and asked.operation == echo.operation
    exchange = next(one for _, one in exchanges.contract_exchanges(service) if one.operation == asked.operation)
    assert messages.content(said.replace(b"&e;", b"")).tag == messages.content(exchange.request).tag


def test_a_service_that_echoes_no_text_is_named() -> None:
    service = entries.service("wstest")
    mute = [pair for pair in exchanges.contract_exchanges(service) if pair[1].operation in ("echoVoid", "getOrder")]
    with pytest.raises(ContractError, match="no exchange of wstest repeats a text of its request"):
        meaning_of(service).echo(mute)


def test_of_a_service_whose_answers_are_not_known_no_file_is_asked_for(tmp_path: Path) -> None:
    service = entries.service("wstest")
    meaning = meaning_of(service)
    samples = [
        (name, exchange.model_copy(update={"answer": ""})) for name, exchange in exchanges.contract_exchanges(service)
    ]
    assert meaning.echo(samples) is None
    with_answers = {bad.name for bad in meaning.bad_requests(exchanges.contract_exchanges(service), tmp_path)}
    assert with_answers - {bad.name for bad in meaning.bad_requests(samples, tmp_path)} == {"external-entity"}


@contextmanager
def parrot(answers: Mapping[bytes, str]) -> Iterator[str]:
    """The address of a server that knows these requests by their bytes, and answers every other with a void answer."""
    void = next(answer for request, answer in answers.items() if b"echoVoid" in request)

    def answer(_: BaseHTTPRequestHandler, request: bytes) -> Reply:
        return 200, {}, answers.get(request, void).encode()

    with answering(answer) as address:
        yield f"{address}/"


def test_a_server_that_only_matches_bytes_is_right_until_a_request_is_spelled_otherwise() -> None:
    service = entries.service("wstest")
    known = [exchange for _, exchange in contract.all_exchanges(service, seed=1)]
    with parrot({exchange.request.encode(): exchange.answer for exchange in known}) as url:
        assert contract.verify(service, url, seed=1, all_spellings=False) == len(known)
        with pytest.raises(ContractError, match=r"echoStruct/.* in the spelling 'other prefixes'"):
            contract.verify(service, url, seed=1)


def test_an_answer_is_decoded_once_however_often_the_same_bytes_come(monkeypatch: pytest.MonkeyPatch) -> None:
    service = entries.service("wstest")
    known = [exchange for _, exchange in contract.all_exchanges(service, seed=1)]
    spelled = {spelling.body: exchange.answer for exchange in known for spelling in all_spellings(exchange.request)}
    compared: list[str] = []
    difference = TypedMessages.difference

    def counted(messages: TypedMessages, answer: bytes | str, expected: str) -> str | None:
        compared.append(expected)
        return difference(messages, answer, expected)

    monkeypatch.setattr(TypedMessages, "difference", counted)
    with parrot(spelled) as url:
        assert contract.verify(service, url, seed=1) == sum(
            len(list(all_spellings(exchange.request))) for exchange in known
        )
    assert (
        len(known) <= len(compared) < 1.1 * len(known)
    )  # void requests of two exchanges are the same bytes, their answers not


def test_a_subject_s_own_headers_go_along_and_the_request_s_win_as_in_the_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[dict[str, str]] = []

    def ask(_self: HttpClient, _method: str, _path: str, _body: bytes, headers: dict[str, str]) -> Answer:
        sent.append(headers)
        return Answer(401, b"")

    monkeypatch.setattr(HttpClient, "ask", ask)
    with pytest.raises(ContractError, match="HTTP status 401, expected 200"):
        verify(access=Access({"Authorization": "Bearer sesame", "soapaction": "mine"}))
    assert sent[0]["Authorization"] == "Bearer sesame"
    assert [name for name in sent[0] if name.lower() == "soapaction"] == ["SOAPAction"]
