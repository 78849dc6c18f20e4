"""The servers of the shop's API: each keeps the whole contract, on a real database."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import MARK, still_running
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.measure.conformance import examination

SERVERS = [
    "helidon@items=1000",
    "micronaut@items=1000@threads=platform",
    *(
        pytest.param(f"{server}@items=1000@pool=5", marks=pytest.mark.long)
        for server in ("glassfish", "liberty", "payara", "wildfly")
    ),
    *(  # another variant of a program that is asked here as well
        pytest.param(words, marks=pytest.mark.long)
        for words in (
            "python-fastapi@items=1000@server=uvicorn@prepared=off",
            "spring-boot@items=1000@container=jetty@persistence=jdbc@threads=virtual@aot_cache=on",
            "jetty-jersey@items=1000",
        )
    ),
    "php-fpm@items=1000",
    "python-fastapi@items=1000@workers=2",
    "quarkus@items=1000",
    "rust-axum@items=1000",
    "spring-boot@items=1000",
    "tomcat-jersey@items=1000@prepared=off",
    "vertx@items=1000@event_loops=2",
    "node-fastify@items=1000@workers=2@pool=5",
]


@pytest.mark.parametrize("words", SERVERS)
def test_a_server_keeps_the_whole_contract(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    row = examination.check(words, "shop-api", Progress(Console(quiet=True)), quick=True)
    if row.contract is None:
        pytest.skip(str(row.reason))
    assert (row.contract, row.reason) == (True, None)
    assert row.exchanges is not None and row.exchanges >= 100
    assert row.keep_alive is not None and row.keep_alive.answered == examination.REQUESTS_ON_ONE_CONNECTION
    assert row.sockets is not None and len(row.sockets) >= 1
    assert still_running(tmp_path) == [], "still running"
