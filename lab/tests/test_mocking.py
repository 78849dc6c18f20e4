"""A stand-in answers by its service's contract, with the configured delays and failures, and counts its requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from starlette.testclient import TestClient
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.commands.mock import own_port
from steelyard.models.job import Think
from steelyard.models.service import Expect
from steelyard.workload import answer_rules, contract
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.load_target import of_service
from steelyard.workload.mocking.known import MockedService, MockRequest, mock_service
from steelyard.workload.mocking.stand_in import StandIn
from stood_in import imported, serving

HERE = Path(__file__).parent


def client(known: MockedService) -> TestClient:
    return TestClient(StandIn(known, Think(), 0.0, 1))


@pytest.mark.parametrize("source", ["openapi/shop.yaml", "wsdl/ports.wsdl", "wsdl/rpc-literal.wsdl"])
def test_every_sample_of_a_description_is_answered_as_a_load_takes_for_right(source: str, tmp_path: Path) -> None:
    known = imported(source, tmp_path)
    asked = of_service(known.service, 1, Expect())
    assert [operation.name for operation in known.operations] == list(asked.operations) and not known.left_out
    asking = client(known)
    for name, operation in asked.operations.items():
        sent = asking.request(operation.method, operation.path, content=operation.bodies[0], headers=operation.headers)
        assert sent.status_code in operation.rule().status, (name, sent.text)
        json_of = name if asked.meaning == "json" else None
        assert answer_rules.difference(sent.content, operation.expect, asked.schema, json_of) is None


def test_what_is_of_no_operation_is_refused_and_counted(tmp_path: Path) -> None:
    known = imported("wsdl/ports.wsdl", tmp_path)
    app = StandIn(known, Think(), 0.0, 1)
    asking = TestClient(app)
    soap = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Nobody/></s:Body></s:Envelope>'
    for path, body in (("/elsewhere", ""), ("/ports", soap), ("/ports", "no XML")):
        assert asking.post(path, content=body).status_code == 404
    assert app.unknown == 3 and app.answered.total() == 0


def statuses(known: MockedService, seed: int, count: int) -> list[int]:
    """The statuses of so many requests, one after the other, a fifth of which shall fail; asked without a server, which costs."""
    app = StandIn(known, Think(), 0.2, seed)
    sent: list[int] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b""}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.extend([message["status"]] if "status" in message else [])

    async def ask() -> None:
        for _ in range(count):
            scope = {"type": "http", "method": "GET", "raw_path": b"/api/v1/orders/5", "query_string": b""}
            await app(scope, receive, send)

    asyncio.run(ask())
    assert (app.answered.total(), app.failed.total()) == (sent.count(200), sent.count(503))
    return sent


def test_failures_come_in_the_share_that_was_asked_for_and_again_for_the_same_seed(tmp_path: Path) -> None:
    known = imported("openapi/shop.yaml", tmp_path)
    first = statuses(known, 1, 400)
    assert 40 <= first.count(503) <= 140 and len(first) == 400
    assert first == statuses(known, 1, 400) != statuses(known, 2, 400)


def test_an_answer_that_its_user_wrote_down_goes_before_a_made_one(tmp_path: Path) -> None:
    known = imported("openapi/shop.yaml", tmp_path)
    written = tmp_path / "mine" / "contract" / "exchanges" / "createOrder"
    written.mkdir(parents=True)
    order = json.loads(next(each for each in known.operations if each.name == "createOrder").usual.body)
    (written / "any.answer.json").write_text(json.dumps({**order, "id": 77}))
    (written / "two.request.json").write_text('{"customer": "Two"}')
    (written / "two.answer.json").write_text(json.dumps({**order, "id": 2}))
    asking = client(mock_service(known.service, 1))
    assert asking.post("/api/v1/orders", content=b"{}").json()["id"] == 77
    assert asking.post("/api/v1/orders", content=b'{ "customer" : "\\u0054wo" }').json()["id"] == 2
    (written / "any.answer.json").write_text('{"id": "no number"}')
    left = {each.what: each.why for each in mock_service(known.service, 1).left_out}
    assert left == {}, "where what is written is not right, what is made of the schema is"


def test_what_no_answer_can_be_made_for_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "service.toml").write_text(
        'name = "own"\ntitle = "own"\nmeaning = "bytes"\npath = "/"\ntarget = "http://localhost:8123"\n'
        '[operations.told]\nmeaning = "a"\nsample = "a"\npath = "/{{who}}/a"\nexpect = { contains = "yes", least = 20 }\n'
        '[operations.hidden]\nmeaning = "b"\nsample = "a"\nexpect = { matches = "[0-9]+" }\n'
    )
    (tmp_path / "a").write_text("x")
    known = mock_service(entries.service_at(str(tmp_path)), 1)
    assert [(each.what, "contract/exchanges/hidden/any.answer.bin" in each.why) for each in known.left_out] == [
        ("hidden", True)
    ]
    answer = client(known).post("/anybody/a", content=b"x")
    assert answer.status_code == 200 and answer.text.startswith("yes") and len(answer.content) == 20
    assert own_port(known.service.model) == 8123


def test_a_service_of_the_hall_keeps_its_contract_in_every_spelling() -> None:
    whole = entries.service("wstest")
    few = {"echoSynthetic": whole.model.operations["echoSynthetic"]}  # reading by the schema takes its time
    service = replace(whole, model=whole.model.model_copy(update={"operations": few}))
    with serving(mock_service(service, 1)) as (address, app):
        verified = contract.verify(service, f"{address}{service.model.path}", seed=1)
        assert verified == app.answered.total() > len(service.model.operations)


def test_a_load_of_a_stand_in_is_valid_and_both_count_the_same(tmp_path: Path) -> None:
    known = imported("openapi/shop.yaml", tmp_path)
    file = tmp_path / "mine" / "service.toml"
    with serving(known) as (address, app):
        text = file.read_text().replace("http://127.0.0.1:8099", address)
        file.write_text(text.partition("[auth]")[0] + "[operations" + text.partition("[operations")[2])
        words = ("load", "mine", "--users", "1", "--max-requests", "5", "--writes", "--json")
        ran = steelyard(*words, folder=tmp_path)
        assert ran.out, ran.err
        outcome = json.loads(ran.out)
        assert (outcome["valid"], outcome["failed"], outcome["completed"]) == (True, 0, 5), outcome["why_not"]
        assert outcome["sent"] == app.answered.total() and app.unknown == 0


def test_the_command_says_where_it_stands_and_at_its_end_what_it_answered(tmp_path: Path) -> None:
    convert_description(str(HERE / "wsdl/ports.wsdl"), tmp_path / "mine", ())
    words = ("--port", "0", "--for", "10ms", "--delay", "1ms..2ms", "--fail", "1%")  # as the guide has it
    ran = steelyard("mock", "mine", *words, folder=tmp_path)
    assert ran.code == 0, ran.err
    first, *lines = ran.out.splitlines()
    assert first.startswith("mine is mocked at http://127.0.0.1:") and "  Add: made from the schema" in lines
    assert lines[-1].endswith(": 0 answered, 0 failed deliberately")
    ran = steelyard("mock", "mine", "--port", "0", "--for", "10ms", "--json", folder=tmp_path)
    assert json.loads(ran.out)["unknown"] == 0 and "Ctrl-C ends it" in ran.err
    for wrong in (("--delay", "soon"), ("--fail", "3"), ("--for", "x")):
        assert steelyard("mock", "mine", *wrong, folder=tmp_path).code == 64


def test_a_request_is_remembered_by_all_that_it_says(tmp_path: Path) -> None:
    known = imported("openapi/shop.yaml", tmp_path)
    for _ in range(2):
        assert known.answer(MockRequest("GET", "/api/v1/orders/5", b"")) is not None
        assert known.answer(MockRequest("POST", "/api/v1/orders/5", b"")) is None


def test_a_service_of_which_nothing_is_known_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "service.toml").write_text(
        'name = "own"\ntitle = "own"\nmeaning = "bytes"\npath = "/"\ntarget = "https://localhost"\n'
        '[operations.a]\nmeaning = "a"\nsample = "a"\nexpect = { matches = "b" }\n'
    )
    with pytest.raises(ConfigurationError, match="no operation of own can be mocked: a: "):
        mock_service(entries.service_at(str(tmp_path)), 1)
