"""The contract holds together: documents keep the schemas and have the counts asked for, and the generator knows no limit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import buffet_rules
import count_types
import pytest
from lxml import etree

CONTRACT = Path(__file__).parent
SCRIPT = CONTRACT / "generate.py"
SCHEMA = etree.XMLSchema(etree.parse(str(CONTRACT / "soakit.xsd")))
SPACE = "{urn:steelyard:soakit}"
XS = "{http://www.w3.org/2001/XMLSchema}"
REQUESTS = sorted(CONTRACT.glob("exchanges/*/*.request.xml"))
REFUSED = sorted(CONTRACT.glob("exchanges/*/refused-*.exchange.json"))
LACKING = CONTRACT / "exchanges/buffet/missing-elements.exchange.json"
WHOLE = sorted({*CONTRACT.glob("exchanges/*/*.exchange.json")} - {*REFUSED, LACKING})
TEXTS = ("/soakit/Text", "/soakit/TextRpc")
USE_CASES = ("tv-dinner", "sushi-boats", "buffet")
CARRIAGES = [(carriage, style) for carriage in ("xml", "string") for style in ("wrapped", "bare", "rpc")]


def generate(
    operation: str, *sets: str, seed: int = 1, count: int = 3, carriage: str = "kit", style: str = "wrapped"
) -> str:
    words = [word for one in sets for word in ("--set", one)]
    argv = [sys.executable, str(SCRIPT), "--operation", operation, "--seed", str(seed), "--count", str(count), *words]
    environment = {**os.environ, "STEELYARD_CARRIAGE": carriage, "STEELYARD_STYLE": style}
    return subprocess.run(argv, capture_output=True, text=True, check=True, env=environment).stdout


def document(text: str) -> etree._Element:
    """The document that a message carries, valid by the schema as the message is."""
    ((content,),) = etree.fromstring(text.encode())
    alone = etree.fromstring(etree.tostring(content, with_tail=False))
    SCHEMA.assertValid(alone)
    if not alone.tag.startswith(SPACE):
        return alone
    if len(alone) and not alone[0].tag.startswith(SPACE) and alone[0].tag not in ("text", "answer"):
        return alone[0]
    inside = etree.fromstring(alone[0].text if len(alone) else alone.text)
    SCHEMA.assertValid(inside)
    return inside


def named(top: etree._Element, name: str) -> list[etree._Element]:
    return [one for one in top.iter(etree.Element) if etree.QName(one).localname == name]


@pytest.mark.parametrize("request_file", REQUESTS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_each_fixed_exchange_keeps_the_schema(request_file: Path) -> None:
    document(request_file.read_text())
    document(request_file.with_name(request_file.name.replace(".request.", ".answer.")).read_text())


@pytest.mark.parametrize("file", WHOLE, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_each_fixed_exchange_at_an_address_of_its_own_keeps_the_schema_inside(file: Path) -> None:
    exchange = json.loads(file.read_text())
    assert exchange["path"] in TEXTS or exchange["path"].endswith("Rpc")
    document(exchange["request"])
    document(exchange["answer"])


def test_an_order_that_lacks_elements_is_no_valid_one_and_is_answered_by_the_schema_all_the_same() -> None:
    exchange = json.loads(LACKING.read_text())
    with pytest.raises(etree.DocumentInvalid, match="Country"):
        document(exchange["request"])
    lacking = [violation[1].text for violation in named(document(exchange["answer"]), "Violation")]
    assert lacking == ["Mail", "Sku"]


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_what_is_refused_breaks_the_schema_nests_too_deep_or_has_a_document_type(file: Path) -> None:
    exchange = json.loads(file.read_text())
    assert exchange["fault"]
    try:
        made = document(exchange["request"])
    except (etree.DocumentInvalid, etree.XMLSyntaxError):
        return
    depth = max(sum(1 for _ in one.iterancestors()) for one in made.iter(etree.Element))
    assert depth > 100 or made.getroottree().docinfo.doctype


@pytest.mark.parametrize("operation", USE_CASES)
@pytest.mark.parametrize(("carriage", "style"), CARRIAGES)
def test_random_exchanges_keep_the_schema_however_they_are_carried(operation: str, carriage: str, style: str) -> None:
    for line in generate(operation, carriage=carriage, style=style).splitlines():
        exchange = json.loads(line)
        document(exchange["request"])
        assert exchange["marker"] in exchange["answer"]
        document(exchange["answer"])


def test_the_kit_carries_its_orders_and_news_as_strings_and_its_buffet_as_xml() -> None:
    paths = {operation: json.loads(generate(operation, count=1))["path"] for operation in USE_CASES}
    assert paths == {"tv-dinner": "/soakit/Text", "sushi-boats": "/soakit/Text", "buffet": "/soakit/Buffet"}


@pytest.mark.parametrize(
    ("operation", "sets", "counts"),
    [
        ("tv-dinner", ("Lines=3", "Sublines=7"), {"Line": 3 + 3, "Subline": 21}),
        ("sushi-boats", ("Stories=12",), {"Story": 12}),
        ("buffet", ("Parts=9",), {"Part": 9}),
    ],
)
def test_a_document_has_the_counts_asked_for(operation: str, sets: tuple[str, ...], counts: dict[str, int]) -> None:
    for line in generate(operation, *sets).splitlines():
        made = document(json.loads(line)["request"])
        assert {name: len(named(made, name)) for name in counts} == counts


def test_the_acknowledgement_adds_up_what_the_order_says() -> None:
    exchange = json.loads(generate("tv-dinner", "Lines=2", "Sublines=5", count=1))
    order, answer = document(exchange["request"]), document(exchange["answer"])
    cents = 0
    for subline in named(order, "Subline"):
        values = {etree.QName(one).localname: one for one in subline}
        cents += int(values["Quantity"].text) * _cents(values["Price"][0].text)
        cents += _cents(values["Freight"][0].text) if "Freight" in values else 0
        cents -= _cents(values["Discount"][0].text) if "Discount" in values else 0
    assert _cents(named(answer, "Amount")[-1].text) == cents
    assert [int(one.text) for one in named(answer, "Sublines")] == [5, 5]


def test_the_same_seed_makes_the_same_bytes_and_another_does_not() -> None:
    assert generate("tv-dinner", seed=4) == generate("tv-dinner", seed=4)
    assert generate("tv-dinner", seed=4) != generate("tv-dinner", seed=5)


def test_size_rises_with_sublines_up_to_five_megabytes() -> None:
    sizes = [
        len(json.loads(generate("tv-dinner", f"Sublines={count}", count=1))["request"]) for count in (10, 30, 60, 350)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] > 100_000
    assert sizes[-1] > 5_000_000


def test_who_has_enough_ends_the_generator() -> None:
    """A corpus of a million orders is asked for, three are read, and nothing waits for the rest."""
    argv = [sys.executable, str(SCRIPT), "--operation", "tv-dinner", "--seed", "1", "--count", "1000000"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = [process.stdout.readline() for _ in range(3)]
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""
    assert all(json.loads(line)["operation"] == "tv-dinner" for line in lines)


def test_every_text_that_should_break_a_rule_does() -> None:
    good = {
        "Number": "1", "Sku": "ABC-12345", "Description": "a", "Quantity": "2", "Unit": "box", "UnitPrice": "1.50", "Total": "3.00",
        "NeededBy": "2005-07-01", "Warehouse": "W01",
    }  # fmt: skip
    header = {
        "OrderNumber": "ORD-00000001", "Customer": "x", "Mail": "a@b.example", "Country": "DE", "Currency": "EUR",
        "OrderDate": "2005-06-01",
    }  # fmt: skip
    assert list(buffet_rules.violations(header, [good])) == []
    for name, texts in buffet_rules.BROKEN.items():
        for text in texts:
            assert (1, name, text) in list(buffet_rules.violations(header, [{**good, name: text}]))


def test_the_schema_is_as_large_as_business_documents_are() -> None:
    files = sorted(CONTRACT.glob("**/*.xsd"))
    text = "".join(file.read_text() for file in files)
    assert sum(count_types.types(count_types.ORDER).values()) >= 150
    assert len(files) >= 6
    assert len(set(re.findall(r'targetNamespace="([^"]+)"', text))) >= 3
    for wanted in (
        'abstract="true"',
        "substitutionGroup=",
        "<xs:union",
        "<xs:enumeration",
        "<xs:any ",
        "<xs:extension",
    ):
        assert wanted in text


def test_every_type_of_an_orders_schema_is_one_that_an_order_may_hold() -> None:
    """None is there for its number: from the document one comes to each, by elements, attributes, bases and extensions."""
    kinds = {"complexType", "simpleType"}
    types, refers = {}, {}
    for file in count_types.types(count_types.ORDER):
        for top in etree.parse(str(file)).getroot():
            if isinstance(top.tag, str) and top.get("name"):
                key = (etree.QName(top).localname in kinds, top.get("name"))
                types[key] = top
                head = (top.get("substitutionGroup") or "").rpartition(":")[2]
                bases = [one.get("base").rpartition(":")[2] for one in top.iter(f"{XS}extension", f"{XS}restriction")]
                for other in [(False, head), *((True, base) for base in bases)]:
                    refers.setdefault(other, set()).add(key)
    reached, ahead = set(), [(False, "ProcessPurchaseOrder"), (False, "AcknowledgePurchaseOrder")]
    while ahead:
        key = ahead.pop()
        if key in reached or key not in types:
            continue
        reached.add(key)
        ahead += refers.get(key, ())
        for one in types[key].iter(etree.Element):
            names = [*(one.get("memberTypes") or "").split(), one.get("type"), one.get("base"), one.get("itemType")]
            ahead += [(True, name.rpartition(":")[2]) for name in names if name]
            ahead += [(False, one.get("ref").rpartition(":")[2])] if one.get("ref") else []
    assert sorted(name for is_type, name in types.keys() - reached if is_type) == []


def _cents(text: str) -> int:
    whole, _, cents = text.partition(".")
    return 100 * int(whole) + int(cents)
