"""The shop's contract: its rules, exchanges and documents agree with each other, and the reconciliation names what is wrong."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
import yaml
from steelyard.catalogue import entries

HERE = Path(__file__).parent
SCHEMA = json.loads((HERE / "answers.schema.json").read_text(encoding="utf-8"))
EXCHANGES = sorted(HERE.glob("exchanges/*/*.exchange.json"))


def module(name: str) -> ModuleType:
    """A program of the contract's folder."""
    spec = importlib.util.spec_from_file_location(f"of_shop_api_{name}", HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(HERE))
    try:
        spec.loader.exec_module(loaded)
    finally:
        sys.path.remove(str(HERE))
        sys.modules.pop("generate", None)
    return loaded


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_ITEMS", "2000")


def judged(value: object, definition: str) -> None:
    jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{definition}"}).validate(value)


@pytest.mark.parametrize("path", EXCHANGES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_written_answer_keeps_the_schema_and_a_refused_message_breaks_it(path: Path) -> None:
    exchange = json.loads(path.read_text(encoding="utf-8"))
    judged(json.loads(exchange["answer"]), exchange["operation"])
    if exchange["operation"] == "echo" and exchange.get("status") == 400:
        with pytest.raises(jsonschema.ValidationError):
            judged(json.loads(exchange["request"]), "Message")


@pytest.mark.usefixtures("small")
def test_generated_exchanges_keep_the_schema_and_say_the_same_for_the_same_seed() -> None:
    generate = module("generate")
    for operation, make in generate.OPERATIONS.items():
        drawn = [make(random.Random(seed)) for seed in range(100)]
        assert drawn == [make(random.Random(seed)) for seed in range(100)]
        for exchange in drawn:
            judged(json.loads(exchange["answer"]), operation)
            assert exchange.get("marker") is None or exchange["marker"] in exchange["answer"]


@pytest.mark.usefixtures("small")
def test_some_generated_orders_are_refused_and_those_alone_ask_for_what_is_sold_out() -> None:
    generate = module("generate")
    drawn = [generate.place_order(random.Random(seed)) for seed in range(400)]
    for exchange in drawn:
        lines = json.loads(exchange["request"])["lines"]
        assert len({line["item"] for line in lines}) == 3
        sold_out = [line for line in lines if line["item"] % 100 == 0]
        assert (exchange["status"], len(sold_out)) in [(201, 0), (409, 1)]
    assert 5 <= sum(exchange["status"] == 409 for exchange in drawn) <= 50


def test_a_search_finds_ten_items_of_the_keyword_by_price() -> None:
    generate, data = module("generate"), module("shop_data")
    found = generate.cheapest(data.keyword(1234), 1234)
    assert len(found) == 10 and {item["keyword"] for item in found} == {data.keyword(1234)}
    assert [item["priceCents"] for item in found] == sorted(item["priceCents"] for item in found)


def test_the_openapi_document_describes_every_operation_of_the_descriptor_and_no_other() -> None:
    document = yaml.safe_load((HERE / "openapi.yaml").read_text(encoding="utf-8"))
    described = {
        operation["operationId"]: (method.upper(), path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    known = entries.service("shop-api").model.operations
    wanted = {
        name: (operation.method, (operation.path or "").replace("/1", "/{id}")) for name, operation in known.items()
    }
    assert described == wanted
    for operation in document["paths"].values():
        for method in operation.values():
            for answer in method["responses"].values():
                name = json.dumps(answer).partition("answers.schema.json#/$defs/")[2].partition('"')[0]
                assert "$ref" in answer or name in SCHEMA["$defs"]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((5, 5, 0, 0, 0), "none lost, none doubled, stock as ordered"),
        ((5, 3, 0, 0, 0), "2 of 5 accepted orders are lost"),
        ((5, 6, 0, 0, 0), "1 orders are kept beyond the 5 accepted"),
        ((5, 5, 1, 2, 3), "1 orders have no lines; the stock of 2 items is negative; "),
    ],
)
def test_the_reconciliation_names_what_is_wrong(counts: tuple[int, ...], words: str) -> None:
    assert module("reconcile").judgement(*counts).startswith(words)


@pytest.mark.usefixtures("small")
def test_each_operation_that_reads_items_is_asked_for_an_item_that_is_renamed() -> None:
    freshness, data = module("freshness"), module("shop_data")
    asked = freshness.paths()
    assert {path.partition("?")[0] for path in asked} == {
        *("/shop/items/1", "/shop/items", "/shop/search", "/shop/orders/1"),
    }
    assert all(data.keyword(item) == data.keyword(freshness.ITEM) for item in asked.values())
    assert freshness.renaming({7: "a", 9: "b"}) == (
        "UPDATE item SET name = CASE id WHEN 7 THEN 'a' WHEN 9 THEN 'b' END WHERE id IN (7, 9)"
    )


def test_a_path_that_is_answered_from_a_cache_is_named() -> None:
    freshness = module("freshness")
    expected = next(each.expect for each in entries.service("shop-api").model.reconciliations if each.name == "answers")
    assert freshness.judgement([]) == expected
    assert freshness.judgement(["/shop/items/1"]).endswith("forbids: /shop/items/1")
