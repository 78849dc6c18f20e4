"""A user's folders may have any name: servers are fetched, built, prepared and started below blanks, quotes and long paths."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from conftest import MARK, still_running
from rich.console import Console
from steelyard.base.errors import ToolchainError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.workload import contract

ROOT = Path(__file__).parent.parent
PROGRESS = Progress(Console(quiet=True))
HOUSES = {"tomcat-metro": "a house of one's own"}  # Tomcat itself takes no double quote in a path
LONGEST_OF_A_SOCKET = 107  # bytes of a path that the kernel takes for a Unix socket


COMPILED = [
    pytest.param(name, marks=pytest.mark.long) for name in ("gsoap", "aspnet-mono", "tomcat-metro")
]  # for half a minute


@pytest.mark.parametrize("name", ["go", "null", "node-soap", "php-fpm", *COMPILED])
def test_a_server_runs_below_a_path_with_blanks_and_quotes_that_is_long(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / HOUSES.get(name, 'a "house" of one\'s own') / ("long-" * 20)
    for room in ("servers", "services", "studies", "papers"):
        shutil.copytree(ROOT / room, place / room, ignore=shutil.ignore_patterns("target", "results", "__pycache__"))
    cache = place / "cache"
    assert len(str(cache)) > LONGEST_OF_A_SOCKET
    monkeypatch.setenv("STEELYARD_HOME", str(place))
    monkeypatch.setenv("STEELYARD_CACHE", str(cache))
    monkeypatch.setenv(MARK, str(tmp_path))
    service = entries.service("wstest")
    assert service.folder.is_relative_to(place)
    spec = SubjectSpec(label=name, parts=[PartSpec(server=name)])
    try:
        ready = subject.provide_subject(spec, service, PROGRESS)
    except ToolchainError as error:
        pytest.skip(str(error))
    with launch.running_subject(ready, tmp_path, cpus.share(), random.Random(), PROGRESS) as running:
        deviations = running.front.part.server.model.deviations
        assert contract.verify(service, running.url, seed=1, all_spellings=False, deviations=deviations) >= 15
    assert still_running(tmp_path) == []
