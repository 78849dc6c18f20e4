"""The exchanges in JSON hold the values that those in XML have, and are never what JSON cannot say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CONTRACT = Path(__file__).parent
SCRIPT = CONTRACT / "in_json.py"
ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>{}</e:Body></e:Envelope>'


def run(*arguments: str, given: str = "") -> list[dict[str, object] | None]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], input=given, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_structs(real: str) -> str:
    struct = f"<varInt> -7 </varInt><varFloat>{real}</varFloat><varString>a\r&lt;b</varString>".replace("\r", "&#13;")
    messages = [
        ENVELOPE.format(f'<echoStruct{end} xmlns="urn:steelyard:wstest"><{name}>{struct}</{name}></echoStruct{end}>')
        for end, name in (("", "struct"), ("Response", "return"))
    ]
    return json.dumps({"operation": "echoStruct", "request": messages[0], "answer": messages[1]})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", "1.5"),
        ("0.1234567890123", "0.12345679"),
        ("3.4028234663852886E38", "3.4028235e+38"),
        (" 2 ", "2"),
        ("-0", "0"),
    ],
)
def test_a_float_is_the_shortest_number_that_is_its_32_bits(text: str, number: str) -> None:
    (exchange,) = run("rest", "--translate", given=of_structs(text))
    assert exchange is not None
    item = {"varInt": -7, "varFloat": json.loads(number), "varString": "a\r<b"}
    assert exchange["request"] == exchange["answer"]
    assert json.loads(str(exchange["answer"])) == {"structs": [item]}
    assert f'"varFloat":{number},' in str(exchange["request"])


def test_what_is_no_number_in_json_is_not_said() -> None:
    lines = "\n".join([of_structs("NaN"), of_structs("-INF"), of_structs("1"), of_structs("1E39")])
    assert [exchange is None for exchange in run("json-rpc", "--translate", given=lines)] == [True, True, False, True]


def test_a_list_nests_as_deep_as_it_is_long() -> None:
    arguments = ("--operation", "echoList", "--seed", "1", "--count", "1", "--set", "ListSize=200")
    (exchange,) = run("rest", *arguments)
    assert exchange is not None
    item, depth = json.loads(str(exchange["request"]))["list"], 1
    while "next" in item:
        item, depth = item["next"], depth + 1
    assert depth == 200


def test_a_call_has_the_number_that_its_answer_has() -> None:
    exchanges = run("json-rpc", "--operation", "getOrder", "--seed", "1", "--count", "2")
    for number, exchange in enumerate(exchanges, 1):
        assert exchange is not None
        call, answer = (json.loads(str(exchange[key])) for key in ("request", "answer"))
        assert (call["method"], call["id"], answer["id"]) == ("getOrder", number, number)
        assert answer["result"]["orderId"] == call["params"]["orderId"]


def test_an_unknown_style_says_which_there_are() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "yaml"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()[:29]) == (2, "usage: in_json.py rest|json-r")
