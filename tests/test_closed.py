"""A server's private files and sockets are closed to other users of the machine, on the real products."""

from __future__ import annotations

import http.client
import random
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import MARK
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, fetch, launch, subject
from steelyard.hosts.running import RunningPart, RunningSubject
from steelyard.hosts.toolchain import jdk_home
from steelyard.models.study import PartSpec, SubjectSpec

PROGRESS = Progress(Console(quiet=True))
SERVICE = entries.service("wstest")


@contextmanager
def running(spec: SubjectSpec, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningSubject]:
    monkeypatch.setenv(MARK, str(folder))
    ready = subject.provide_subject(spec, SERVICE, PROGRESS)
    with launch.running_subject(ready, folder, cpus.share(), random.Random(), PROGRESS) as started:
        yield started


def sql(part: RunningPart, database: str, user: str, password: str, statement: str) -> subprocess.CompletedProcess[str]:
    """What H2's own client says to a statement."""
    java, url = jdk_home(25), f"jdbc:h2:tcp://127.0.0.1:{part.port}/./{database}"
    assert java is not None
    jar = next(part.part.cache.glob("h2-*.jar"))
    argv = [java / "bin" / "java", "-cp", jar, "org.h2.tools.Shell", "-url", url, "-user", user, "-password", password]
    return subprocess.run([*argv, "-sql", statement], capture_output=True, text=True, timeout=60, check=False)


def test_the_database_knows_the_trials_password_alone_and_makes_no_other_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SubjectSpec(label="with-h2", parts=[PartSpec(server="null")], companions=[PartSpec(server="h2")])
    with running(spec, tmp_path, monkeypatch) as started:
        database, front = started.parts
        password = database.words.environment["STEELYARD_PASSWORD"]
        assert front.words.environment["STEELYARD_PASSWORD"] == password and len(password) == 32
        asked = sql(database, "steelyard", "steelyard", password, "SELECT 6 * 7 AS answer")
        assert "42" in asked.stdout, asked.stderr
        for user, wrong in (("steelyard", ""), ("steelyard", "guessed"), ("sa", "")):
            assert "Wrong user name or password" in sql(database, "steelyard", user, wrong, "SELECT 1").stderr
        made = sql(database, "mine", "sa", "", "SELECT 1")
        assert "not found" in made.stderr and "42" not in made.stdout
    with running(spec, tmp_path, monkeypatch) as again:
        assert again.parts[0].words.environment["STEELYARD_PASSWORD"] != password


@pytest.mark.long  # each is a download of more than 100 MB that no other test in `make test` needs
@pytest.mark.parametrize("name", ["glassfish", "payara"])
def test_administration_is_closed_without_a_password(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = entries.server(name)
    as_run = replace(server, model=server.model.as_run(server.model.defaults()))
    if not fetch.is_fetched(as_run):
        pytest.skip(f"{name} was not fetched: `steelyard servers check {name}` does that")
    with running(SubjectSpec(label=name, parts=[PartSpec(server=name)]), tmp_path, monkeypatch) as started:
        for credentials in (None, "admin:", "admin:admin", "admin:adminadmin", "admin:changeit"):
            assert administration(started.front.port, credentials) == 401, credentials


def administration(port: int, credentials: str | None) -> int:
    """The status that the product's administration answers to one of its commands with."""
    headers = {"X-Requested-By": "anybody", "Accept": "application/json"}
    if credentials is not None:
        headers["Authorization"] = f"Basic {b64encode(credentials.encode()).decode()}"
    connection = http.client.HTTPConnection("127.0.0.2", port, timeout=60)
    try:
        connection.request("GET", "/management/domain", headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()
