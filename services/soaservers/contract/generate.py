#!/usr/bin/env python3
"""Prints random exchanges of the service soaservers, one JSON object a line, the same for the same seed.

The answers follow from the request and the graph of services (contract/README.md), never from a server. Only the
standard library is used, so that any Python can run this file.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from xml.sax.saxutils import escape

import graph

NAMESPACE = "urn:steelyard:soaservers"
ELEMENTS = {"single": "single", "large": "single", "pair": "pair", "mesh": "mesh"}
DEFAULTS = {"SingleBytes": 259, "LargeBytes": 129_890, "PairBytes": 262, "MeshBytes": 260}
PAIR = [("main", 0), ("left", 1), ("right", 1)]

WORDS = (
    *(
        "bridge",
        "broker",
        "bus",
        "caller",
        "channel",
        "chorus",
        "conductor",
        "consumer",
        "contract",
        "envelope",
        "facade",
    ),
    *(
        "gateway",
        "ledger",
        "mediator",
        "mesh",
        "orchestra",
        "partner",
        "provider",
        "registry",
        "router",
        "score",
        "tempo",
    ),
)


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


def request(operation: str, parameters: list[str]) -> str:
    names = ("first", "second") if operation == "pair" else ("parameter",)
    content = "".join(element(name, text) for name, text in zip(names, parameters, strict=True))
    return envelope(ELEMENTS[operation], content)


def answer(operation: str, parameters: list[str]) -> str:
    """The expected answer: one token a visit, each with all parameters."""
    carried = "".join(element("parameter", text) for text in parameters)
    tokens = "".join(
        f"<token>{element('service', service)}{element('depth', depth)}{carried}</token>"
        for service, depth in visits(operation)
    )
    return envelope(f"{ELEMENTS[operation]}Response", tokens)


def visits(operation: str) -> list[tuple[str, int]]:
    """Service and depth of each token of an answer, in order."""
    if operation == "mesh":
        return graph.read(graph.chosen()).visits()
    return PAIR if operation == "pair" else [("single", 0)]


def parameters(rng: random.Random, operation: str, size: int) -> tuple[list[str], str]:
    """Parameters that make the request `size` bytes long, and the marker that the first one opens with.

    Words pad the last parameter; `pair` splits the room between its two.
    """
    mark = f"mark{rng.getrandbits(64):016x}"
    first = [mark] if operation == "pair" else []
    room = size - len(request(operation, [*first, ""]).encode())
    if operation != "pair":
        room -= len(mark)
    if room < 0:
        raise SystemExit(f"a request of {operation} cannot be made {size} bytes long; {size - room} are the least")
    padding = words(rng, room)
    return [*first, padding] if operation == "pair" else [mark + padding], mark


def words(rng: random.Random, length: int) -> str:
    """A text of `length` characters that begins with a space and ends with a letter, if it has more than one."""
    text = ""
    while len(text) < length:
        text += " " + rng.choice(WORDS)
    return text[:length].rstrip().ljust(length, "x")


def exchanges(operation: str, seed: int, count: int, sizes: dict[str, int]) -> Iterator[dict[str, object]]:
    """`count` exchanges as dictionaries of the model Exchange; no marker occurs twice."""
    rng = random.Random(f"{operation}/{seed}")
    used: set[str] = set()
    while len(used) < count:
        asked, mark = parameters(rng, operation, sizes[f"{operation.capitalize()}Bytes"])
        if mark in used:
            continue
        used.add(mark)
        yield {
            "operation": operation,
            "request": request(operation, asked),
            "answer": answer(operation, asked),
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


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Prints random exchanges of soaservers, one JSON object a line.")
    parser.add_argument("--operation", required=True, choices=ELEMENTS)
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--count", required=True, type=int)
    parser.add_argument("--set", dest="sizes", action="append", default=[], type=size, metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    try:
        for exchange in exchanges(options.operation, options.seed, options.count, DEFAULTS | dict(options.sizes)):
            print(json.dumps(exchange, ensure_ascii=True))
    except graph.GraphError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
