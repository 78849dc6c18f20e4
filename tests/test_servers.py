"""The servers: every statement on all servers is checked on some here, and every check can fail."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import HOUSE, MARK, Lab, still_running
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import sockets, subject
from steelyard.measure.conformance import examination as servers
from steelyard.measure.conformance.rows import row as row_of
from steelyard.models.outputs.catalogue import ServerRow, ServersOutput
from steelyard.models.study import PartSpec, SubjectSpec

ROOT = Path(__file__).parent.parent
EVERYWHERE = ["null", "go", "tomcat-metro"]  # `make test-servers` asks them all
WHERE_INSTALLED = ["gsoap", "python-spyne", "dotnet", "dotnet-mono"]
FROZEN_SECONDS = 25

Check = Callable[..., ServerRow]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.setenv(MARK, str(tmp_path))
    monkeypatch.setenv("STEELYARD_PATH", str(HOUSE))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    progress = Progress(Console(quiet=True))

    def checked(words: str, **wishes: object) -> ServerRow:
        row = servers.check(words, "wstest", progress, **wishes)  # type: ignore[arg-type]
        assert still_running(tmp_path) == [], "still running"
        return row

    return checked


@pytest.mark.long
def test_a_connection_outlives_a_freeze(check: Check) -> None:
    row = check("null", frozen_seconds=FROZEN_SECONDS)
    assert row.keep_alive is not None and (row.keep_alive.answered, row.keep_alive.survived) == (2000, True)


@pytest.mark.parametrize("name", EVERYWHERE + WHERE_INSTALLED)
def test_a_server_keeps_the_whole_contract(check: Check, name: str) -> None:
    row = check(name, frozen_seconds=0)
    if row.contract is None and name in WHERE_INSTALLED:
        pytest.skip(str(row.reason))
    assert (row.contract, row.reason) == (True, None)
    assert row.fetched and row.started and row.deployed and row.loopback and row.twice
    assert row.exchanges is not None and row.exchanges >= (40 if row.floor else 350)
    assert row.sockets is not None and len(row.sockets) == 1
    assert row.keep_alive is not None and row.keep_alive.answered == 2000
    assert row.keep_alive.survived is None, "it was not frozen"
    assert row.redeploy_seconds is not None and row.redeploy_seconds > 0
    assert row.stop_seconds is not None and row.stop_seconds < servers.STOP_SECONDS


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("everywhere", "sockets: it listens beyond this machine, on tcp 0.0.0.0:"),
        ("fixed-port", "twice: odd died before it was ready"),
        ("close", "keep-alive: a connection was lost after 100 requests: the server had announced"),
        ("impatient", "keep-alive: a connection was lost in a freeze of 5 s"),
        ("obliging", "not-xml: HTTP status 200"),
        ("escape", "stop: 1 process did not end within 2 s of SIGTERM and had to be killed"),
        ("leaky", "leak: the answer to external-entity holds the content of a file"),
        ("tireless", "busy-beyond-a-second: HTTP status 200 without a SOAP fault"),
        ("wrong", "breaks the contract of wstest at"),
        ("never-ready", "odd was not ready after 8 s"),
    ],
)
def test_a_fault_is_named(check: Check, monkeypatch: pytest.MonkeyPatch, mode: str, said: str) -> None:
    monkeypatch.setattr(servers, "STOP_SECONDS", 2.0)
    row = check(
        f"odd@mode={mode}",
        frozen_seconds=5 if mode == "impatient" else 0,
        quick=mode in ("everywhere", "close", "obliging", "never-ready", "escape", "leaky", "tireless"),
    )
    assert row.contract is False
    assert said in str(row.reason)
    if mode not in ("obliging", "leaky", "wrong"):  # these fail in more than one way
        assert "; " not in str(row.reason)


@pytest.mark.usefixtures("check")
def test_a_redeployment_that_changes_nothing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(servers, "_REDEPLOY_SECONDS", 1.0)
    progress = Progress(Console(quiet=True))
    odd, service = entries.server("odd"), entries.service("wstest")
    ready = subject.provide_subject(SubjectSpec(label="odd", parts=[PartSpec(server="odd")]), service, progress)
    idle = replace(odd, model=odd.model.model_copy(update={"redeploy": [["true"]]}))
    ready = replace(ready, parts=[replace(ready.parts[0], server=idle)])
    examination = servers.Examination(row_of(odd), service, ready, tmp_path, progress, seed=1)
    examination.run(quick=False, frozen_seconds=0)
    assert examination.row().reason == "redeploy: no new deployment answered within 1 s"


def test_every_listening_socket_of_a_process_is_seen() -> None:
    places = [
        (socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1", True),
        (socket.AF_INET, socket.SOCK_DGRAM, "127.0.0.2", True),
        (socket.AF_INET6, socket.SOCK_STREAM, "::1", True),
        (socket.AF_INET, socket.SOCK_STREAM, "0.0.0.0", False),
        (socket.AF_INET6, socket.SOCK_DGRAM, "::", False),
    ]
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.socket(family, kind)) for family, kind, _, _ in places]
        for each, (_, kind, address, _) in zip(opened, places, strict=True):
            each.bind((address, 0))
            if kind == socket.SOCK_STREAM:
                each.listen()
        seen = {found.port: found.loopback for found in sockets.listening([os.getpid()])}
        for each, (_, _, address, loopback) in zip(opened, places, strict=True):
            assert seen[each.getsockname()[1]] is loopback, address
        talking = stack.enter_context(socket.create_connection(("127.0.0.1", opened[0].getsockname()[1])))
        assert talking.getsockname()[1] not in {found.port for found in sockets.listening([os.getpid()])}


def test_a_deviation_excuses_what_it_names_and_nothing_else(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = entries.server("odd")
    excused = replace(odd, model=odd.model.model_copy(update={"deviations": {"keep-alive": "100 requests, no more"}}))
    monkeypatch.setattr(entries, "server", lambda _name: excused)
    row = check("odd@mode=close", quick=True)
    assert (row.contract, row.reason) == (True, None)
    assert row.keep_alive is not None and row.keep_alive.answered == 100
    row = check("odd@mode=everywhere", quick=True)
    assert row.contract is False and "sockets" in str(row.reason)


def test_a_leak_of_a_file_is_named_and_no_deviation_excuses_it(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = entries.server("odd")
    excuses = dict.fromkeys(("leak", "external-entity", "doctype", "entity-expansion"), "as ever")
    excused = replace(odd, model=odd.model.model_copy(update={"deviations": excuses}))
    monkeypatch.setattr(entries, "server", lambda _name: excused)
    row = check("odd@mode=leaky", quick=True)
    assert row.contract is False
    assert row.reason == "leak: the answer to external-entity holds the content of a file of the server's machine"
    assert check("odd@mode=right", quick=True).contract is True


def test_the_command_prints_a_matrix_and_keeps_what_it_found(lab: Lab) -> None:
    kept = lab.folder / "servers.json"
    ran = lab.run("servers", "check", "null", "odd@mode=close", "--quick", "--save", str(kept))
    assert ran.code == 1
    header, null, odd = ran.out.splitlines()[-3:]
    assert header.split("  ")[0] == "server" and "keep-alive" in header and "cold start" in header
    assert null.startswith("null ") and "1 on loopback" in null and "2,000" in null
    assert odd.startswith("odd@mode=close ") and "NO" in odd.split() and "closed after 100" in odd
    found = ServersOutput.model_validate_json(kept.read_text())
    assert [(row.name, row.contract) for row in found.servers] == [("null", True), ("odd@mode=close", False)]
    assert all(row.checked is not None and row.checked.processors == os.cpu_count() for row in found.servers)
