"""What the contract test asks of a server, and what a descriptor may take out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from steelyard.base.errors import ContractError
from steelyard.catalogue import entries
from steelyard.exchange import contract, exchanges, refusals
from steelyard.exchange.soap import meaning


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The exchanges and spellings that were asked, instead of asking a server."""
    asked: list[tuple[str, str]] = []

    def note(_service, _meaning, _conversation, name, _exchange, spelling, _who):  # type: ignore[no-untyped-def]
        asked.append((name, spelling.name))

    monkeypatch.setattr(contract, "_verify_one", note)
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


def test_a_floor_is_asked_every_exchange_as_it_stands(asked: list[tuple[str, str]]) -> None:
    verify(floor=True)
    assert {name.split("/")[0] for name, _ in asked} == set(entries.service("wstest").model.operations)
    assert {spelling for _, spelling in asked} == {"as given"}


@pytest.mark.parametrize("name", sorted(entries.service_files()))
def test_the_content_of_a_file_is_asked_for_where_a_text_is_echoed(name: str, tmp_path: Path) -> None:
    service = entries.service(name)
    (asked,) = (bad for bad in refusals.bad_requests(service, tmp_path / "secret") if bad.name == "external-entity")
    assert f'"file://{tmp_path}/secret"'.encode() in asked.body
    said = refusals.echo(service).saying("&e;")
    assert (
        asked.body.endswith(said.partition(b"?>")[2].lstrip()) and asked.operation == refusals.echo(service).operation
    )
    exchange = next(one for _, one in exchanges.written(service) if one.operation == asked.operation)
    assert meaning.content(said.replace(b"&e;", b"")).tag == meaning.content(exchange.request).tag


def test_a_service_that_echoes_no_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    service = entries.service("wstest")
    mute = [pair for pair in exchanges.written(service) if pair[1].operation in ("echoVoid", "getOrder")]
    monkeypatch.setattr(exchanges, "written", lambda _service: mute)
    with pytest.raises(ContractError, match="no exchange of wstest repeats a text of its request"):
        refusals.echo(service)
