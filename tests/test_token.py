"""A service behind a token is verified and driven with the headers that its study gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import HOUSE, MARK
from rich.console import Console
from steelyard.base.csvfiles import read_table
from steelyard.base.errors import ContractError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, subject
from steelyard.measure.trial import agents
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.plan.run_parameters import Request, merge_parameters

PROGRESS = Progress(Console(quiet=True))


def found(folder: Path, headers: dict[str, str]) -> int:
    service = entries.service("wstest")
    parts = [PartSpec(server="odd", factors={"mode": "token"})]
    ready = subject.provide_subject(SubjectSpec(label="odd", parts=parts, headers=headers), service, PROGRESS)
    settings = merge_parameters(entries.study("demo").model, Request())
    mix = {entries.study("demo").model.primary: 1.0}
    return agents.find_agents(service, [ready], mix, settings.service, folder, cpus.share(), PROGRESS)


@pytest.fixture(autouse=True)
def few_levels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_PATH", str(HOUSE))
    monkeypatch.setenv(MARK, str(tmp_path))
    for name, value in {"LEVELS": (1, 2), "WARM_UP_SLICES": 1, "ROUNDS": 1, "SLICE_SECONDS": 0.5}.items():
        monkeypatch.setattr(agents, name, value)


def test_the_token_of_a_study_reaches_verification_and_load(tmp_path: Path) -> None:
    assert found(tmp_path, {"Authorization": "Bearer sesame"}) in (1, 2)
    rows = list(read_table(tmp_path / "agents" / "odd" / "slices.csv", ("completed", "status")))
    assert len(rows) == 3
    assert all(row.whole("completed") > 0 and row.whole("status") == 0 for row in rows)


def test_without_it_nothing_is_verified(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="HTTP status 401, expected 200"):
        found(tmp_path, {})
