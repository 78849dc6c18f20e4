#!/usr/bin/env python3
"""Prints WSTest's exchanges as gRPC frames them, one object a line: what generate.py takes, or `--translate`.

The exchanges are those of generate.py, or with --translate those on standard input, with the same values in the messages of
wstest.proto; bodies are base64. It needs the package `protobuf`, which the lab has.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import generate
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from message_values import Kinds, Values, single, values

SERVICE = "steelyard.wstest.WSTest"
COMPILED = Path(__file__).with_name("wstest.protoset")
_DEEP = 10_000  # a list of 200 nests 201 messages


def real(text: str) -> float | str:
    """An xs:float exactly, or the word that JSON of protocol buffers has for it."""
    number = single(text)
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else f"{'-' * (number < 0)}Infinity"


def cents(written: str) -> int:
    return int(Decimal(written) * 100)


KINDS = Kinds(real, cents, lambda written: base64.b64encode(base64.b64decode(written)).decode("ascii"))


class Messages:
    """The messages of the contract, by operation."""

    def __init__(self) -> None:
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(COMPILED.read_bytes()).file:
            pool.Add(file)
        self._methods = pool.FindServiceByName(SERVICE).methods_by_name

    def framed(self, operation: str, side: str, said: Values) -> str:
        """A message, as gRPC frames it: not packed, its length, its bytes. `side` is `request` or `answer`."""
        method = self._methods[operation[0].upper() + operation[1:]]
        kind = method.input_type if side == "request" else method.output_type
        message = message_factory.GetMessageClass(kind)()
        json_format.ParseDict(said, message, max_recursion_depth=_DEEP)
        written = message.SerializeToString(deterministic=True)
        return base64.b64encode(struct.pack(">BI", 0, len(written)) + written).decode("ascii")


def translated(exchanges: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each exchange in frames of gRPC."""
    messages = Messages()
    for exchange in exchanges:
        operation = exchange["operation"]
        bodies = {
            side: messages.framed(operation, side, values(exchange[side], KINDS)) for side in ("request", "answer")
        }
        yield {**exchange, **bodies}


def main(arguments: list[str]) -> int:
    sys.setrecursionlimit(_DEEP)
    given = map(json.loads, sys.stdin) if arguments == ["--translate"] else generate.asked(arguments)
    for exchange in translated(given):
        print(json.dumps(exchange, ensure_ascii=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
