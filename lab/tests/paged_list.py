"""A service whose list has three pages, each of which names the next one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from answering import Reply, answering

SERVICE = """\
name = "pages"
title = "A list by pages"
target = "http://127.0.0.1:{port}"
path = "/"
meaning = "json"

[[sessions.read.steps]]
name = "list"
path = "/list"
captures.next = {{ kind = "json", path = ["next"] }}

[[sessions.read.steps]]
repeat = 5
if_captured = "next"

[[sessions.read.steps.steps]]
name = "page"
path = "/page/{{{{next}}}}"
captures.next = {{ kind = "json", path = ["next"] }}

[[sessions.read.steps]]
name = "news"
path = "/news"
repeat = 2
"""
NEXT = {"/list": 2, "/page/2": 3}


@contextmanager
def pages() -> Iterator[tuple[int, Counter[str]]]:
    """A server of a list of three pages: its port, and its requests by path."""
    counted: Counter[str] = Counter()

    def answer(handler: BaseHTTPRequestHandler, _: bytes) -> Reply:
        counted[handler.path] += 1
        content = {"next": NEXT[handler.path]} if handler.path in NEXT else {}
        return 200, {"Content-Type": "application/json"}, json.dumps(content).encode()

    with answering(answer) as address:
        yield int(address.rpartition(":")[2]), counted


def written(folder: Path, text: str, port: int = 9) -> Path:
    """The folder of a service with this service.toml."""
    made = folder / "pages"
    made.mkdir()
    (made / "service.toml").write_text(text.format(port=port))
    return made
