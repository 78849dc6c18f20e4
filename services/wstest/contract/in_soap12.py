#!/usr/bin/env python3
"""Prints WSTest's exchanges in SOAP 1.2, one object a line: what generate.py takes, or `--translate`.

The exchanges are those of generate.py, or with --translate those on standard input, in the envelope of SOAP 1.2; what it holds is
the same. Only the standard library is used.
"""

from __future__ import annotations

import json
import sys

import generate

OLD = '"http://schemas.xmlsoap.org/soap/envelope/"'
NEW = '"http://www.w3.org/2003/05/soap-envelope"'


def main(arguments: list[str]) -> int:
    given = map(json.loads, sys.stdin) if arguments == ["--translate"] else generate.asked(arguments)
    for exchange in given:
        bodies = {side: str(exchange[side]).replace(OLD, NEW, 1) for side in ("request", "answer")}
        print(json.dumps({**exchange, **bodies}, ensure_ascii=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
