"""WSTest as calls: a value for each parameter, and what comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import in_rmi

EXCHANGES = Path(__file__).parent / "exchanges"


def said(operation: str, name: str) -> dict[str, Any]:
    request, answer = (
        (EXCHANGES / operation / f"{name}.{role}.xml").read_text(encoding="utf-8") for role in ("request", "answer")
    )
    (exchange,) = in_rmi.translated([{"operation": operation, "request": request, "answer": answer}])
    return exchange


def test_what_is_no_number_is_the_text_that_java_has_for_it() -> None:
    exchange = said("echoStruct", "not-a-number")
    reals = [item["varFloat"] for item in json.loads(exchange["answer"])]
    assert reals == ["NaN", "Infinity", "-Infinity"]
    assert json.loads(exchange["request"]) == {"structs": json.loads(exchange["answer"])}


def test_what_returns_nothing_returns_null() -> None:
    void = said("echoVoid", "void")
    assert (void["request"], void["answer"]) == ("{}", "null")


def test_every_exchange_of_the_contract_is_a_call() -> None:
    for path in EXCHANGES.glob("*/*.request.xml"):
        exchange = said(path.parent.name, path.name.removesuffix(".request.xml"))
        assert isinstance(json.loads(exchange["request"]), dict)
        json.loads(exchange["answer"])
