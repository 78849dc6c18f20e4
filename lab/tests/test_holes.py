"""Wildcards for values that a service makes up: any value of the type is right, and later requests repeat it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from answering import Reply, answering
from steelyard.base.errors import ContractError
from steelyard.catalogue import entries
from steelyard.models.service import Exchange
from steelyard.workload import contract, corpus, exchanges
from steelyard.workload.corpus import Requests
from steelyard.workload.soap.messages import TypedMessages

SERVICE = entries.service("wstest")
ORDER = next(one for _, one in exchanges.contract_exchanges(SERVICE) if one.operation == "getOrder")
NUMBER = re.search(r"<orderId>(\d+)</orderId>", ORDER.answer)
assert NUMBER is not None
WITH_HOLES = re.sub(
    r"<orderDate>[^<]*<",
    "<orderDate>{{hole:day}}<",
    ORDER.answer.replace(NUMBER[0], "<orderId>{{hole:number}}</orderId>"),
)


def answered(number: str, day: str = "2004-02-29") -> str:
    """The order's answer with another number and date."""
    return WITH_HOLES.replace("{{hole:number}}", number).replace("{{hole:day}}", day)


def meaning() -> TypedMessages:
    assert SERVICE.model.schema_file is not None
    return TypedMessages(SERVICE.folder / SERVICE.model.schema_file)


def test_a_hole_takes_any_value_of_its_type_and_no_other() -> None:
    assert WITH_HOLES.count("{{hole:") == 2
    assert meaning().difference(answered("17"), WITH_HOLES) is None
    assert meaning().difference(answered("18", "1999-12-31"), WITH_HOLES) is None
    assert "breaks the schema" in str(meaning().difference(answered("seventeen"), WITH_HOLES))
    assert "breaks the schema" in str(meaning().difference(answered("17", "yesterday"), WITH_HOLES))
    assert meaning().difference(answered("17").replace("US", "DE", 1), WITH_HOLES) is not None


def test_a_value_is_the_same_wherever_its_hole_stands() -> None:
    twice = re.sub(r"<customerId>[^<]*<", "<customerId>{{hole:number}}<", WITH_HOLES)
    right = re.sub(r"<customerId>[^<]*<", "<customerId>17<", answered("17"))
    assert meaning().difference(right, twice) is None
    assert "17" in str(meaning().difference(right.replace("<customerId>17<", "<customerId>71<"), twice))


def test_what_was_remembered_is_expected_from_then_on() -> None:
    one = meaning()
    assert one.difference(answered("17"), WITH_HOLES) is None
    assert one.difference(answered("18"), WITH_HOLES) is None, "each spelling of an exchange may get a value of its own"
    one.remember()
    assert one.remembered["number"] == "18"
    assert "17" in str(one.difference(answered("17"), WITH_HOLES))


@contextmanager
def clerk(*, forgetful: bool) -> Iterator[str]:
    """A server that gives each new order a number, and answers with it who asks for that number; else with the next."""
    given: list[str] = []

    def answer(_: BaseHTTPRequestHandler, body: bytes) -> Reply:
        asked = next((number for number in given if f">{number}<" in body.decode()), None)
        if asked is None or forgetful:
            given.append(asked := str(4_000 + len(given)))
        return 200, {}, answered(asked).encode()

    with answering(answer) as address:
        yield f"{address}/"


@pytest.fixture
def two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order that is given a number, and one that is asked for by it."""
    again = re.sub(r"(<(?:\w+:)?orderId>)\d+<", r"\g<1>{{hole:number}}<", ORDER.request)
    assert "{{hole:number}}" in again
    steps = [("getOrder/new", ORDER.model_copy(update={"answer": WITH_HOLES}))]
    steps.append(("getOrder/again", ORDER.model_copy(update={"request": again, "answer": WITH_HOLES})))
    monkeypatch.setattr(contract, "all_exchanges", lambda _service, _seed: steps)


@pytest.mark.usefixtures("two_steps")
def test_a_later_request_repeats_what_was_made_up() -> None:
    with clerk(forgetful=False) as url:
        assert contract.verify(SERVICE, url, seed=1, all_spellings=False) == 2
    with (
        clerk(forgetful=True) as url,
        pytest.raises(ContractError, match=r"getOrder/again.*orderId is 4001, expected 4000"),
    ):
        contract.verify(SERVICE, url, seed=1, all_spellings=False)


def test_a_request_with_a_hole_that_nothing_fills_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lost = ORDER.model_copy(update={"request": ORDER.request.replace("<", "<!--{{hole:nothing}}--><", 1)})
    monkeypatch.setattr(contract, "all_exchanges", lambda _service, _seed: [("getOrder/lost", lost)])
    with pytest.raises(
        ContractError, match="getOrder/lost cannot be sent: no earlier answer had a value for 'nothing'"
    ):
        contract.verify(SERVICE, "http://127.0.0.1:1/", seed=1)

    def made(*_: object, **__: object) -> Iterator[Exchange]:
        yield lost

    monkeypatch.setattr(exchanges, "generate_exchanges", made)
    with pytest.raises(ContractError, match="no earlier answer had a value for 'nothing'"):
        corpus.make(SERVICE, tmp_path, {"getOrder": Requests("getOrder", {})}, seed=1, count=1)
