#!/usr/bin/env python3
"""Prints random exchanges of WSTest, one JSON object a line, the same for the same seed.

The answers follow from schema and request alone (contract/README.md), never from a server. Only the standard library
is used, so that any Python can run this file.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape

NAMESPACE = "urn:steelyard:wstest"
OPERATIONS = ("echoVoid", "echoStruct", "echoList", "echoSynthetic", "getOrder")
DEFAULTS = {"ListSize": 20, "NumBytes": 1024}
LAST_ORDER_ID = 999_999_999

WORDS = (
    *("balance", "beam", "counterweight", "fulcrum", "hook", "scale", "weight", "measure", "load", "lever", "ounce"),
    *("pound", "gram", "stone", "bushel", "market", "grain", "wool", "iron", "copper", "silver", "harbour", "ledger"),
)
ODD_WORDS = ("salt & pepper", "<ton>", '"true"', "it's", "façade", "Größe", "масса", "重量", "⚖️", "𝄞", "a]]>b")

Body = tuple[str, str, str | None]
"""Content of the request element, content of the answer element, and the marker that both hold."""


def element(name: str, text: object) -> str:
    """An element with text; a carriage return survives only as a character reference."""
    escaped = escape(str(text), {"\r": "&#13;"})
    return f"<{name}>{escaped}</{name}>"


def envelope(root: str, content: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
        f'<{root} xmlns="{NAMESPACE}">{content}</{root}>'
        "</soap:Body></soap:Envelope>"
    )


def marker(rng: random.Random) -> str:
    return f"mark{rng.getrandbits(64):016x}"


def phrase(rng: random.Random) -> str:
    """Three words; one word in sixteen has characters that XML escapes or that are not ASCII."""
    return " ".join(rng.choice(ODD_WORDS if rng.randrange(16) == 0 else WORDS) for _ in range(3))


def struct(rng: random.Random, text: str) -> str:
    """A struct's content. The float is a multiple of 1/8 below 2**17: exact in 32 bits, short in decimal."""
    number = rng.randrange(-(2**31), 2**31)
    real = rng.randrange(-(2**20), 2**20) / 8
    return element("varInt", number) + element("varFloat", real) + element("varString", text)


def structs(rng: random.Random, count: int) -> tuple[list[str], str | None]:
    """`count` structs, the first marked; without a struct there is no marker."""
    mark = marker(rng) if count else None
    texts = [phrase(rng) for _ in range(count)]
    return [struct(rng, f"{mark} {text}" if index == 0 else text) for index, text in enumerate(texts)], mark


def echo_void(_rng: random.Random, _sizes: dict[str, int]) -> Body:
    return "", "", None


def echo_struct(rng: random.Random, sizes: dict[str, int]) -> Body:
    items, mark = structs(rng, sizes["ListSize"])
    request = "".join(f"<struct>{item}</struct>" for item in items)
    answer = "".join(f"<return>{item}</return>" for item in items)
    return request, answer, mark


def echo_list(rng: random.Random, sizes: dict[str, int]) -> Body:
    items, mark = structs(rng, sizes["ListSize"])
    if not items:
        return "", "", None
    chain = "<next>".join(f"<value>{item}</value>" for item in items) + "</next>" * (len(items) - 1)
    return f"<list>{chain}</list>", f"<return>{chain}</return>", mark


def echo_synthetic(rng: random.Random, sizes: dict[str, int]) -> Body:
    mark = marker(rng)
    content = (
        element("text", f"{mark} {phrase(rng)}")
        + f"<struct>{struct(rng, phrase(rng))}</struct>"
        + element("bytes", base64.b64encode(rng.randbytes(sizes["NumBytes"])).decode("ascii"))
    )
    return content, f"<return>{content}</return>", mark


def get_order(rng: random.Random, _sizes: dict[str, int]) -> Body:
    order_id = rng.randint(0, LAST_ORDER_ID)
    return element("orderId", order_id), f"<return>{purchase_order(order_id)}</return>", reference(order_id)


def reference(order_id: int) -> str:
    return f"PO-{order_id:09d}"


def purchase_order(n: int) -> str:
    """The content of the purchase order n, by the rule in wstest.xsd (type PurchaseOrder)."""
    customer = 1000 + n % 9000
    items, total = "", 0
    for i in range(1, 5 + n % 6 + 1):
        article, quantity, cents = n % 10000 + 37 * i, 1 + (n + i) % 9, 100 + 7 * (n % 1000) + 25 * i
        total += quantity * cents
        items += (
            "<item>"
            + element("lineNumber", i)
            + element("sku", f"SKU-{article:05d}")
            + element("description", f"Nuts & bolts, size {1 + (n + i) % 12}")
            + element("quantity", quantity)
            + element("unitPrice", money(cents))
            + "</item>"
        )
    return (
        element("orderId", n)
        + element("reference", reference(n))
        + element("orderDate", f"2004-{1 + n % 12:02d}-{1 + n % 28:02d}")
        + "<customer>"
        + element("customerId", customer)
        + element("name", f"Customer {customer}")
        + element("email", f"customer{customer}@example.com")
        + "</customer>"
        + f"<billingAddress>{address(n)}</billingAddress>"
        + f"<shippingAddress>{address(n // 10)}</shippingAddress>"
        + items
        + element("total", money(total))
    )


def address(k: int) -> str:
    return (
        element("street", f"{1 + k % 199} Main Street")
        + element("city", f"City {k % 100}")
        + element("state", f"State {k % 50}")
        + element("postalCode", f"{k % 100000:05d}")
        + element("country", "US")
    )


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


MAKERS: dict[str, Callable[[random.Random, dict[str, int]], Body]] = dict(
    zip(OPERATIONS, (echo_void, echo_struct, echo_list, echo_synthetic, get_order), strict=True)
)


def exchanges(operation: str, seed: int, count: int, sizes: dict[str, int]) -> Iterator[dict[str, object]]:
    """`count` exchanges as dictionaries of the model Exchange; no marker occurs twice."""
    rng = random.Random(f"{operation}/{seed}")
    used: set[str] = set()
    while count > 0:
        request, answer, mark = MAKERS[operation](rng, sizes)
        if mark is not None and mark in used:
            continue
        if mark is not None:
            used.add(mark)
        count -= 1
        yield {
            "operation": operation,
            "request": envelope(operation, request),
            "answer": envelope(f"{operation}Response", answer),
            "marker": mark,
            "fault": False,
            "safe": True,
        }


def size(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if name not in DEFAULTS:
        raise argparse.ArgumentTypeError(f"no parameter {name!r}; there are {', '.join(DEFAULTS)}")
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{name} needs a whole number from 0 on, not {value!r}")
    return name, int(value)


def asked(arguments: list[str]) -> Iterator[dict[str, object]]:
    """The exchanges that a command line asks for."""
    parser = argparse.ArgumentParser(description="Prints random exchanges of WSTest, one JSON object a line.")
    parser.add_argument("--operation", required=True, choices=OPERATIONS)
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--count", required=True, type=int)
    parser.add_argument("--set", dest="sizes", action="append", default=[], type=size, metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    return exchanges(options.operation, options.seed, options.count, DEFAULTS | dict(options.sizes))


def main(arguments: list[str]) -> int:
    for exchange in asked(arguments):
        print(json.dumps(exchange, ensure_ascii=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
