"""A subject of several processes is one unit: started, measured per part, frozen, thawed and stopped together."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import MARK, ours
from rich.console import Console
from steelyard.base.errors import ContractError, ProvisionError
from steelyard.base.http_client import HttpClient
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningSubject
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.workload import contract

TWO_TOMCATS_AND_A_DATABASE = SubjectSpec(
    label="pair",
    parts=[PartSpec(server="tomcat-metro"), PartSpec(server="tomcat-metro", role="second", factors={"heap": "128m"})],
    companions=[PartSpec(server="h2")],
)


def cpu_ns(running: RunningSubject) -> dict[str, int]:
    return {place: sum(process.cpu_ns for process in processes) for place, processes in running.use().items()}


def test_a_subject_of_two_tomcats_and_a_companion_is_one(
    tmp_path: Path, until: Callable[[Callable[[], bool], float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    progress = Progress(Console(quiet=True))
    service = entries.service("wstest")
    ready = subject.provide_subject(TWO_TOMCATS_AND_A_DATABASE, service, progress)
    with launch.running_subject(ready, tmp_path, cpus.share(), random.Random(), progress) as running:
        assert [part.part.place for part in running.parts] == ["database", "server", "second"]
        assert len({part.port for part in running.parts}) == 3
        assert contract.verify(service, running.url, seed=1, all_spellings=False) > 30
        assert running.requests_served() > 30

        used = cpu_ns(running)
        assert set(used) == {"database", "server", "second"}
        assert all(nanoseconds > 0 for nanoseconds in used.values())
        assert used["server"] > used["database"]

        running.freeze()
        before = cpu_ns(running)
        time.sleep(0.5)
        assert cpu_ns(running) == before
        with pytest.raises(ContractError, match="no answer"):
            HttpClient(running.url, seconds=0.5).post(b"<a/>", {})

        running.thaw()
        assert contract.verify(service, running.url, seed=2, all_spellings=False) > 30
        for part in running.parts:
            with socket.create_connection(("127.0.0.1", part.port), timeout=2):
                pass
    until(lambda: ours(tmp_path) == [], 60)


def test_a_subject_with_a_database_connection_is_never_frozen_by_a_design() -> None:
    progress = Progress(Console(quiet=True))
    ready = subject.provide_subject(TWO_TOMCATS_AND_A_DATABASE, entries.service("wstest"), progress)
    assert not ready.may_freeze


def test_a_stranger_on_the_port_is_not_taken_for_the_server_that_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test server's own probe and its count are answered, by a server of another lab; ours never listens there."""
    strange = SubjectSpec(label="stranger", parts=[PartSpec(server="null")])
    ours = SubjectSpec(label="ours", parts=[PartSpec(server="null")])
    service, progress = entries.service("wstest"), Progress(Console(quiet=True))
    first, second = subject.all_provided([strange, ours], service, progress)
    with launch.running_subject(first, tmp_path, cpus.share(), random.Random(), progress) as running:
        monkeypatch.setattr(launch, "free_ports", lambda *_: [running.front.port])
        with (
            pytest.raises(ProvisionError, match="null died before it was ready"),
            launch.running_subject(second, tmp_path, cpus.share(), random.Random(), progress),
        ):
            pass
