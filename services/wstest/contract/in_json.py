#!/usr/bin/env python3
"""Prints WSTest's exchanges in JSON, one object a line: `in_json.py STYLE`, then what generate.py takes, or `--translate`.

STYLE is `rest` or `json-rpc`. The exchanges are those of generate.py, or with --translate those on standard input, with the same
values in other messages; `null` stands where JSON has no such value (NaN and infinity). Only the standard library is used.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import generate

_WHOLE = 1e7  # below it a whole number is written without a fraction, as most writers do

Values = dict[str, Any]
Said = dict[str, Any]
"""What is an exchange's own in a style: its request, its answer, and where they go."""


class UnsayableError(ValueError):
    """A value that JSON has no number for."""


def _single(text: str) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", float(text)))[0])
    except OverflowError:
        return math.inf


def real(text: str) -> float:
    """An xs:float as the shortest number that tells its 32 bits from all others; raises UnsayableError where it is not finite."""
    number = _single(text.strip().replace("INF", "inf"))
    if not math.isfinite(number):
        raise UnsayableError(text)
    texts = (f"{number:.{digits}g}" for digits in range(1, 10))  # nine digits always do
    shortest = float(next(text for text in texts if _single(text) == number))
    return int(shortest) if shortest.is_integer() and abs(shortest) < _WHOLE else shortest


def body(message: str) -> ElementTree.Element:
    """The element in the body of an envelope, all names without their namespaces."""
    root = ElementTree.fromstring(message.encode())
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root.find("Body")[0]  # type: ignore[index]  # every message of the contract has one


def text(parent: ElementTree.Element, name: str) -> str:
    """The text of a child, which may be empty."""
    return parent.findtext(name) or ""


def values_of(element: ElementTree.Element, **types: Callable[[str], Any]) -> Values:
    """An element's children by name, each as its type."""
    return {name: kind(text(element, name)) for name, kind in types.items()}


def structure(element: ElementTree.Element) -> Values:
    return values_of(element, varInt=int, varFloat=real, varString=str)


def listed(element: ElementTree.Element) -> Values:
    """A list's item, and in it the next."""
    item, values = element, [structure(element.find("value"))]  # type: ignore[arg-type]
    while (following := item.find("next")) is not None:
        item = following
        values.append(structure(item.find("value")))  # type: ignore[arg-type]
    chain: Values = {"value": values.pop()}
    while values:
        chain = {"value": values.pop(), "next": chain}
    return chain


def plain_base64(written: str) -> str:
    return base64.b64encode(base64.b64decode(written)).decode("ascii")


def synthetic(element: ElementTree.Element) -> Values:
    inner = element.find("struct")
    return {**values_of(element, text=str), "struct": structure(inner), **values_of(element, bytes=plain_base64)}  # type: ignore[arg-type]


def amount(written: str) -> float:
    return float(Decimal(written))


def order(element: ElementTree.Element) -> Values:
    address = {"street": str, "city": str, "state": str, "postalCode": str, "country": str}
    line = {"lineNumber": int, "sku": str, "description": str, "quantity": int, "unitPrice": amount}
    return {
        **values_of(element, orderId=int, reference=str, orderDate=str),
        "customer": values_of(element.find("customer"), customerId=int, name=str, email=str),  # type: ignore[arg-type]
        "billingAddress": values_of(element.find("billingAddress"), **address),  # type: ignore[arg-type]
        "shippingAddress": values_of(element.find("shippingAddress"), **address),  # type: ignore[arg-type]
        "items": [values_of(item, **line) for item in element.iter("item")],
        **values_of(element, total=amount),
    }


def values(element: ElementTree.Element) -> Values:
    """What a request's or an answer's element holds, as JSON's values; raises UnsayableError."""
    operation = element.tag.removesuffix("Response")
    if operation == "echoVoid":
        return {}
    if operation == "echoStruct":
        return {"structs": [structure(item) for item in element]}
    if operation == "echoList":
        return {"list": listed(element[0])} if len(element) else {}
    inner = element.find("return")
    if operation == "echoSynthetic":
        return synthetic(element if inner is None else inner)
    return values_of(element, orderId=int) if inner is None else order(inner)


def written(value: Values) -> str:
    """As a client would send it: compact, and UTF-8 where it can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rest(operation: str, asked: Values, answered: Values, _number: int) -> Said:
    if operation == "getOrder":
        said = {"request": "", "method": "GET", "path": f"/wstest/rest/orders/{asked['orderId']}"}
    else:
        said = {"request": written(asked)}
    return {**said, "answer": written(answered)}


def json_rpc(operation: str, asked: Values, answered: Values, number: int) -> Said:
    version = {"jsonrpc": "2.0"}
    return {
        "request": written({**version, "method": operation, "params": asked, "id": number}),
        "answer": written({**version, "result": answered, "id": number}),
    }


STYLES: dict[str, Callable[[str, Values, Values, int], Said]] = {"rest": rest, "json-rpc": json_rpc}


def translated(exchanges: Iterable[dict[str, Any]], style: str) -> Iterator[dict[str, Any] | None]:
    """Each exchange in a style; None where JSON cannot say it."""
    for number, exchange in enumerate(exchanges, 1):
        try:
            asked, answered = (values(body(exchange[key])) for key in ("request", "answer"))
        except UnsayableError:
            yield None
            continue
        yield {**exchange, **STYLES[style](exchange["operation"], asked, answered, number)}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in STYLES:
        print(f"usage: in_json.py {'|'.join(STYLES)} [--translate | generate.py's arguments]", file=sys.stderr)
        return 2
    style, rest_of = arguments[0], arguments[1:]
    if rest_of == ["--translate"]:
        given: Iterable[dict[str, Any]] = map(json.loads, sys.stdin)
    else:
        given = generate.asked(rest_of)
    for exchange in translated(given, style):
        print(json.dumps(exchange, ensure_ascii=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
