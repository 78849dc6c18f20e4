#!/usr/bin/env python3
"""Prints WSTest's exchanges as calls by Java RMI, one object a line: `in_rmi.py`, then what generate.py takes, or `--translate`.

A request is an object of JSON with a value for each parameter of the method, an answer the value that comes back, or null. The
exchanges are those of generate.py, or with --translate those on standard input. What is no number, or infinite, is a text, as
Java calls it. Only the standard library is used.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import generate
import in_json
from message_values import Kinds, Values, single, values


def real(text: str) -> float | str:
    """An xs:float as JSON's number, or as the text that Java has for what is none."""
    number = single(text)
    if math.isfinite(number):
        return in_json.real(text)
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


KINDS = Kinds(real, in_json.amount, in_json.plain_base64)


def returned(operation: str, answered: Values) -> Any:
    """What the method returns of the values of an answer."""
    if operation == "echoVoid":
        return None
    if operation == "echoStruct":
        return answered["structs"]
    return answered.get("list") if operation == "echoList" else answered


def translated(exchanges: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each exchange as a call."""
    for exchange in exchanges:
        asked, answered = (values(exchange[key], KINDS) for key in ("request", "answer"))
        answer = returned(exchange["operation"], answered)
        yield {**exchange, "request": in_json.written(asked), "answer": in_json.written(answer)}


def main(arguments: list[str]) -> int:
    given = map(json.loads, sys.stdin) if arguments == ["--translate"] else generate.asked(arguments)
    for exchange in translated(given):
        print(json.dumps(exchange, ensure_ascii=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
