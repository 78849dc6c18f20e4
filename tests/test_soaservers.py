"""Services that call each other: the calls are made, counted and joined, and an answer is wrong where a callee is."""

from __future__ import annotations

import os
import random
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import HOUSE, MARK, still_running
from rich.console import Console
from steelyard.base.errors import BuildError, ConfigurationError, ContractError
from steelyard.base.http_client import HttpClient
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningPart, RunningSubject
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.workload import contract, exchanges

sys.path.insert(0, str(HOUSE.parent.parent / "services" / "soaservers" / "contract"))
import graph

PROGRESS = Progress(Console(quiet=True))
MESH = graph.read(Path(graph.__file__).with_name("graph.xml"))
CALLS = {"single": {}, "pair": {"left": 1, "right": 1}, "mesh": dict(MESH.calls())}

MONO = pytest.param("aspnet-mono", marks=pytest.mark.skipif(not shutil.which("wsdl"), reason="Mono is not installed"))
STACKS = pytest.mark.parametrize("server", ["tomcat-metro", MONO])

SMALL_GRAPH = """<graph xmlns="urn:steelyard:soaservers:graph" entry="top">
  <service name="low"/>
  <service name="top" calls="low middle low" order="parallel"/>
  <service name="middle" calls="low"/>
</graph>"""


@contextmanager
def started(folder: Path, monkeypatch: pytest.MonkeyPatch, *parts: PartSpec) -> Iterator[RunningSubject]:
    """A subject of these parts; when it has ended, nothing of it runs."""
    monkeypatch.setenv("STEELYARD_PATH", str(HOUSE))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv(MARK, str(folder))
    ready = subject.provide_subject(
        SubjectSpec(label="soa", parts=list(parts)), entries.service("soaservers"), PROGRESS
    )
    with launch.running_subject(ready, folder, cpus.share(), random.Random(), PROGRESS) as running:
        yield running
    assert still_running(folder) == []


def verify(running: RunningSubject, seed: int = 1) -> int:
    service = subject.service_as_run(entries.service("soaservers"), [running.subject])
    return contract.verify(service, running.url, seed=seed, all_spellings=False)


def count(part: RunningPart, service: str) -> int:
    """How often a service of a part was called."""
    with urllib.request.urlopen(f"http://127.0.0.1:{part.port}/soaservers/count?service={service}") as answer:
        return int(answer.read())


def counts(part: RunningPart) -> dict[str, int]:
    return {service: count(part, service) for service in ("left", "right", *MESH.calls())}


def send(running: RunningSubject, operation: str, requests: int) -> None:
    """So many random requests of an operation, whatever their answers."""
    service = subject.service_as_run(entries.service("soaservers"), [running.subject])
    conversation = HttpClient(running.url)
    for exchange in exchanges.generate_exchanges(service, operation, seed=3, count=requests, parameters={}):
        headers = contract.request_headers(service.model, operation)
        assert conversation.post(exchange.request.encode(), headers).status == 200
    conversation.close()


@STACKS
def test_every_call_that_the_graph_declares_is_made_and_no_other(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with started(tmp_path, monkeypatch, PartSpec(server=server)) as running:
        assert verify(running) > 20
        for operation, declared in CALLS.items():
            before, asked = counts(running.front), running.requests_served()
            send(running, operation, 4)
            made = {service: after - before[service] for service, after in counts(running.front).items()}
            assert {service: calls for service, calls in made.items() if calls} == {
                service: 4 * calls for service, calls in declared.items()
            }
            assert running.requests_served() - asked == 4


@STACKS
def test_a_callee_that_is_wrong_late_or_gone_breaks_the_contract_of_its_caller(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = PartSpec(server=server, factors={"call_timeout": "4"})
    with started(tmp_path, monkeypatch, caller, PartSpec(server="callee", role="callee")) as running:
        callee = running.parts[1]

        def mode(name: str) -> None:
            request = urllib.request.Request(f"http://127.0.0.1:{callee.port}/mode", name.encode(), method="PUT")
            urllib.request.urlopen(request).close()

        assert verify(running) > 20
        for name, said in (
            ("depth", r"pair/.*/token\[1\]/depth is 2, expected 1"),
            ("less", r"pair/.*/token holds 1 items, expected 3"),
            ("fault", r"pair/.*HTTP status 500, expected 200 \(a SOAP fault came: .*not today"),
        ):
            mode(name)
            with pytest.raises(ContractError, match=said):
                verify(running)
        mode("order")  # which a callee that calls nobody cannot get wrong
        with pytest.raises(ContractError, match=r"mesh/.*/token\[1\]/service is 's5', expected 's2'"):
            verify(running)
        mode("right")
        assert verify(running, seed=2) > 20

        callee.keeper.freeze()
        with pytest.raises(ContractError, match=r"pair/.*HTTP status 500.*timed out"):
            verify(running)
        callee.keeper.thaw()
        assert verify(running, seed=3) > 20

        callee.keeper.stop()
        with pytest.raises(ContractError, match=r"pair/.*HTTP status 500.*[Rr]efused"):
            verify(running)


def test_calls_go_to_the_second_server_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with started(
        tmp_path, monkeypatch, PartSpec(server="tomcat-metro"), PartSpec(server="tomcat-metro", role="callee")
    ) as running:
        send(running, "mesh", 3)
        assert set(counts(running.parts[0]).values()) == {0}
        assert counts(running.parts[1]) == {"left": 0, "right": 0, **{s: 3 * n for s, n in MESH.calls().items()}}
        assert running.requests_served() == 3


@pytest.mark.parametrize(
    "server", ["tomcat-metro", "tomcat-cxf", pytest.param("tomcat-springws", marks=pytest.mark.long), MONO]
)
def test_hundreds_of_requests_that_make_two_calls_each_open_few_connections(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with started(tmp_path, monkeypatch, PartSpec(server=server)) as running:
        before = connections(running.front.port)
        send(running, "pair", 500)
        assert count(running.front, "right") == 500
        assert len(connections(running.front.port) - before) < 20


def connections(port: int) -> set[frozenset[str]]:
    """All connections to a port of the last minute (so long Linux remembers a closed one), each by the ports of its ends."""
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    ends = [frozenset(address.rpartition(":")[2] for address in line[1:3]) for line in lines]
    return {pair for pair in ends if f"{port:04X}" in pair}


def test_a_user_gives_another_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.xml"
    path.write_text(SMALL_GRAPH)
    with started(tmp_path, monkeypatch, PartSpec(server="tomcat-metro", factors={"graph": str(path)})) as running:
        assert verify(running) > 20
        before = count(running.front, "low"), count(running.front, "middle")
        send(running, "mesh", 2)
        assert (count(running.front, "low"), count(running.front, "middle")) == (before[0] + 6, before[1] + 2)


def test_a_time_out_that_is_none_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = PartSpec(server="tomcat-metro", factors={"call_timeout": "soon"})
    with (
        pytest.raises(ConfigurationError, match="tomcat-metro: factor call_timeout may be such as none, not 'soon'"),
        started(tmp_path, monkeypatch, part),
    ):
        pass


def test_a_server_without_an_implementation_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(BuildError, match="soaservers has no implementation 'go', which go runs"),
        started(tmp_path, monkeypatch, PartSpec(server="go")),
    ):
        pass
