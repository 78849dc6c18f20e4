"""`Agents = auto` on a real server: the levels are tried with the requested operations only."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from conftest import MARK
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, subject
from steelyard.measure.trial import agents
from steelyard.models.study import PartSpec, SubjectSpec


def test_the_levels_are_tried_with_the_operation_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    for name, value in (("LEVELS", (1, 4)), ("WARM_UP_SLICES", 1), ("ROUNDS", 1), ("SLICE_SECONDS", 0.3)):
        monkeypatch.setattr(agents, name, value)
    progress = Progress(Console(quiet=True))
    service = entries.service("wstest")
    ready = subject.provide_subject(SubjectSpec(label="go", parts=[PartSpec(server="go")]), service, progress)
    found = agents.find_agents(service, [ready], {"echoVoid": 1.0}, {}, tmp_path, cpus.share(), progress)
    assert found in (1, 4)
    for table in ("slices.csv", "corpus/corpus.csv"):
        with (tmp_path / "agents" / "go" / table).open(newline="") as file:
            assert {row["operation"] for row in csv.DictReader(file)} == {"echoVoid"}
