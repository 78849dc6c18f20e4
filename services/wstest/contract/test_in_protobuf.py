"""The exchanges by gRPC hold the values that those in XML have, whatever number, depth or text they are."""

from __future__ import annotations

import base64
import json
import math
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import in_protobuf
import pytest
from google.protobuf import message_factory
from test_in_json import of_structs

SCRIPT = Path(__file__).with_name("in_protobuf.py")


def run(*arguments: str, given: str = "") -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], input=given, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def message(exchange: dict[str, Any], side: str) -> Any:
    """A body's message, read by the library."""
    name = exchange["operation"]
    method = in_protobuf.Messages()._methods[name[0].upper() + name[1:]]
    kind = method.input_type if side == "request" else method.output_type
    body = base64.b64decode(exchange[side])
    assert struct.unpack(">BI", body[:5]) == (0, len(body) - 5)
    return message_factory.GetMessageClass(kind).FromString(body[5:])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5),
        ("3.4028234663852886E38", 3.4028234663852886e38),
        (" 2 ", 2.0),
        ("-INF", -math.inf),
        ("1E39", math.inf),
        ("0.1", 0.10000000149011612),
    ],
)
def test_a_float_is_its_32_bits(text: str, number: float) -> None:
    (exchange,) = run("--translate", given=of_structs(text))
    for side in ("request", "answer"):
        (item,) = message(exchange, side).structs
        assert (item.var_int, item.var_float, item.var_string) == (-7, number, "a\r<b")


def test_not_a_number_is_said() -> None:
    (exchange,) = run("--translate", given=of_structs("NaN"))
    assert math.isnan(message(exchange, "answer").structs[0].var_float)


def test_an_order_has_its_amounts_in_cents() -> None:
    (exchange,) = run("--operation", "getOrder", "--seed", "1", "--count", "1")
    order = message(exchange, "answer")
    assert order.order_id == message(exchange, "request").order_id
    assert order.total == sum(item.quantity * item.unit_price for item in order.items)
    assert order.reference == exchange["marker"]


def test_bytes_come_as_they_are_and_a_marker_stands_in_both_messages() -> None:
    (exchange,) = run("--operation", "echoSynthetic", "--seed", "1", "--count", "1", "--set", "NumBytes=300")
    for side in ("request", "answer"):
        assert len(message(exchange, side).bytes) == 300
        assert exchange["marker"].encode() in base64.b64decode(exchange[side])


def test_a_list_nests_as_deep_as_it_is_long() -> None:
    (exchange,) = run("--operation", "echoList", "--seed", "1", "--count", "1", "--set", "ListSize=90")
    item, depth = message(exchange, "answer").list, 1
    while item.HasField("next"):
        item, depth = item.next, depth + 1
    assert depth == 90
    (longest,) = run("--operation", "echoList", "--seed", "1", "--count", "1", "--set", "ListSize=200")
    assert len(base64.b64decode(longest["request"])) > 200 * 20  # deeper than the library reads


def test_absent_and_empty_are_what_they_are() -> None:
    (void,) = run("--operation", "echoVoid", "--seed", "1", "--count", "1")
    assert base64.b64decode(void["request"]) == bytes(5)
    (none,) = run("--operation", "echoList", "--seed", "1", "--count", "1", "--set", "ListSize=0")
    assert not message(none, "request").HasField("list")
