"""The contract holds together: fixed and random exchanges fit the schema, and answers follow from requests."""

from __future__ import annotations

import base64
import json
import math
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

CONTRACT = Path(__file__).parent
SCRIPT = CONTRACT / "generate.py"
OPERATIONS = ("echoVoid", "echoStruct", "echoList", "echoSynthetic", "getOrder")
SCHEMA = etree.XMLSchema(etree.parse(str(CONTRACT / "wstest.xsd")))
REQUESTS = sorted(CONTRACT.glob("exchanges/*/*.request.xml"))
ENVELOPE = "{http://schemas.xmlsoap.org/soap/envelope/}Envelope"


def generate(operation: str, seed: int = 1, count: int = 20, **sizes: int) -> list[dict[str, object]]:
    sets = [word for name, value in sizes.items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, str(SCRIPT), "--operation", operation, "--seed", str(seed), "--count", str(count), *sets]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def payload(text: str | object) -> etree._Element:
    root = etree.fromstring(str(text).encode())
    assert root.tag == ENVELOPE
    (body,) = root
    (element,) = body
    return element


def assert_valid(element: etree._Element) -> None:
    alone = etree.fromstring(etree.tostring(element, with_tail=False))
    SCHEMA.assertValid(alone)


def values(element: etree._Element) -> list[tuple[str, object]]:
    """The leaves below an element in document order, typed by their names."""
    leaves = []
    for leaf in element.iter():
        if len(leaf):
            continue
        name, text = etree.QName(leaf).localname, leaf.text or ""
        if name == "varInt":
            leaves.append((name, int(text)))
        elif name == "varFloat":
            number = float(text.strip().replace("INF", "inf"))
            leaves.append((name, "NaN" if math.isnan(number) else struct.pack("f", number)))
        elif name == "bytes":
            leaves.append((name, base64.b64decode(text)))
        elif name in ("varString", "text"):
            leaves.append((name, text))
    return leaves


def shape(element: etree._Element) -> object:
    """The element names below an element, without its own and without its direct children's (struct, return)."""
    return [[etree.QName(node).localname for node in child.iterdescendants()] for child in element]


@pytest.mark.parametrize("request_file", REQUESTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_fixed_exchange_fits_the_schema_and_the_answer_follows_from_the_request(request_file: Path) -> None:
    operation = request_file.parent.name
    asked = payload(request_file.read_text("utf-8"))
    answered = payload(request_file.with_name(request_file.name.replace(".request.", ".answer.")).read_text("utf-8"))
    assert_valid(asked)
    assert_valid(answered)
    assert etree.QName(asked).localname == operation
    assert etree.QName(answered).localname == f"{operation}Response"
    if operation == "getOrder":
        assert asked[0].text == answered[0][0].text
        assert_order_keeps_the_rule(answered[0])
    else:
        assert values(asked) == values(answered)
        if operation in ("echoStruct", "echoList"):
            assert shape(asked) == shape(answered)


def assert_order_keeps_the_rule(order: etree._Element) -> None:
    """The rule of wstest.xsd once more, written independently of generate.py."""
    found = [(node.tag.split("}")[1], node.text) for node in order.iter() if not len(node)]
    n = int(found[0][1])
    c = n % 9000 + 1000
    expected = [
        ("orderId", str(n)),
        ("reference", "PO-" + str(n).zfill(9)),
        ("orderDate", "-".join(("2004", str(n % 12 + 1).zfill(2), str(n % 28 + 1).zfill(2)))),
        ("customerId", str(c)),
        ("name", f"Customer {c}"),
        ("email", f"customer{c}@example.com"),
    ]
    for k in (n, n // 10):
        expected += [
            ("street", f"{k % 199 + 1} Main Street"),
            ("city", f"City {k % 100}"),
            ("state", f"State {k % 50}"),
            ("postalCode", str(k % 100000).zfill(5)),
            ("country", "US"),
        ]
    sum_of_cents = 0
    for i in range(1, n % 6 + 6):
        cents, quantity = n % 1000 * 7 + 100 + 25 * i, (n + i) % 9 + 1
        sum_of_cents += cents * quantity
        expected += [
            ("lineNumber", str(i)),
            ("sku", "SKU-" + str(n % 10000 + 37 * i).zfill(5)),
            ("description", f"Nuts & bolts, size {(n + i) % 12 + 1}"),
            ("quantity", str(quantity)),
            ("unitPrice", f"{cents / 100:.2f}"),
        ]
    assert found == [*expected, ("total", f"{sum_of_cents / 100:.2f}")]


def test_every_operation_has_fixed_exchanges() -> None:
    assert {path.parent.name for path in REQUESTS} == set(OPERATIONS)
    assert len(REQUESTS) == len(list(CONTRACT.glob("exchanges/*/*.answer.xml")))


@pytest.mark.parametrize("bad_file", sorted(CONTRACT.glob("bad/*.request.xml")), ids=lambda path: path.stem)
def test_bad_request_is_well_formed_but_breaks_the_schema(bad_file: Path) -> None:
    asked = payload(bad_file.read_text("utf-8"))
    assert not SCHEMA.validate(etree.fromstring(etree.tostring(asked, with_tail=False)))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_random_exchanges_fit_the_schema_and_carry_their_marker_back(operation: str) -> None:
    exchanges = generate(operation, count=50)
    markers = [exchange["marker"] for exchange in exchanges]
    assert len(exchanges) == 50
    for exchange in exchanges:
        asked, answered = payload(exchange["request"]), payload(exchange["answer"])
        assert_valid(asked)
        assert_valid(answered)
        assert (exchange["operation"], exchange["fault"], exchange["safe"]) == (operation, False, True)
        if operation == "getOrder":
            assert_order_keeps_the_rule(answered[0])
        else:
            assert values(asked) == values(answered)
    if operation == "echoVoid":
        assert set(markers) == {None}
    else:
        holders = [sum(str(mark) in str(exchange["answer"]) for exchange in exchanges) for mark in markers]
        assert holders == [1] * 50
        assert all(str(mark).isascii() for mark in markers)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_same_seed_same_exchanges_other_seed_others(operation: str) -> None:
    assert generate(operation, seed=7) == generate(operation, seed=7)
    if operation != "echoVoid":
        assert generate(operation, seed=7) != generate(operation, seed=8)


def test_sizes_are_obeyed() -> None:
    for size in (0, 1, 5):
        for operation in ("echoStruct", "echoList"):
            (exchange,) = generate(operation, count=1, ListSize=size)
            found = [value for name, value in values(payload(exchange["request"])) if name == "varInt"]
            assert len(found) == size
            assert (exchange["marker"] is None) == (size == 0)
        (exchange,) = generate("echoSynthetic", count=1, NumBytes=size)
        assert len(dict(values(payload(exchange["request"])))["bytes"]) == size


def test_defaults_are_those_of_the_paper() -> None:
    (listed,) = generate("echoList", count=1)
    (synthetic,) = generate("echoSynthetic", count=1)
    assert sum(name == "varInt" for name, _ in values(payload(listed["request"]))) == 20
    assert len(dict(values(payload(synthetic["request"])))["bytes"]) == 1024


def test_floats_are_exact_in_32_bits() -> None:
    for exchange in generate("echoStruct", count=20):
        for node in payload(exchange["request"]).iter("{*}varFloat"):
            assert struct.unpack("f", struct.pack("f", float(node.text)))[0] == float(node.text)


@pytest.mark.parametrize("wrong", ["Listsize=3", "ListSize=-1", "NumBytes=x", "NumBytes"])
def test_a_wrong_parameter_is_refused_by_name(wrong: str) -> None:
    command = [sys.executable, str(SCRIPT), "--operation", "echoVoid", "--seed", "1", "--count", "1", "--set", wrong]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert wrong.split("=")[0] in done.stderr
