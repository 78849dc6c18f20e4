#!/usr/bin/env python3
"""Prints WSTest's exchanges in JSON, one object a line: `in_json.py STYLE`, then what generate.py takes, or `--translate`.

STYLE is `rest` or `json-rpc`. The exchanges are those of generate.py, or with --translate those on standard input, with the same
values in other messages; `null` stands where JSON has no such value (NaN and infinity). Only the standard library is used.
"""

from __future__ import annotations

import base64
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any

import generate
from message_values import Kinds, Values, single, values

_WHOLE = 1e7  # below it a whole number is written without a fraction, as most writers do

Said = dict[str, Any]
"""What is an exchange's own in a style: its request, its answer, and where they go."""


class UnsayableError(ValueError):
    """A value that JSON has no number for."""


def real(text: str) -> float:
    """An xs:float as the shortest number that tells its 32 bits from all others; raises UnsayableError where it is not finite."""
    number = single(text)
    if not math.isfinite(number):
        raise UnsayableError(text)
    texts = (f"{number:.{digits}g}" for digits in range(1, 10))  # nine digits always do
    shortest = float(next(text for text in texts if single(text) == number))
    return int(shortest) if shortest.is_integer() and abs(shortest) < _WHOLE else shortest


def plain_base64(written: str) -> str:
    return base64.b64encode(base64.b64decode(written)).decode("ascii")


def amount(written: str) -> float:
    return float(Decimal(written))


KINDS = Kinds(real, amount, plain_base64)


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
            asked, answered = (values(exchange[key], KINDS) for key in ("request", "answer"))
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
