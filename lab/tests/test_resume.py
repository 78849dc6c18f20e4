"""A stopped run is resumed with its original setup, and with no other."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from steelyard.base.errors import StoreError
from steelyard.catalogue import entries
from steelyard.hosts import cpus, environment
from steelyard.measure.resume import require_same_setup
from steelyard.results.setup import setup_differences


def described(service_folder: Path) -> dict[str, object]:
    service = replace(entries.service("soaservers"), folder=service_folder)
    return environment.describe([], cpus.share(), ["steelyard", "run"], service=service)


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """A service's folder that may be changed."""
    folder = tmp_path / "soaservers"
    shutil.copytree(
        entries.service("soaservers").folder,
        folder,
        ignore=shutil.ignore_patterns("target", "node_modules", "__pycache__"),
    )
    return folder


@pytest.mark.parametrize("room", ["contract/generate.py", "java/pom.xml"])
def test_another_generator_or_implementation_is_another_setup(tmp_path: Path, service: Path, room: str) -> None:
    (tmp_path / "environment.json").write_text(json.dumps(described(service)))
    require_same_setup(tmp_path, described(service))
    changed = service / room
    changed.write_text(changed.read_text() + "\n")
    with pytest.raises(StoreError, match=r"was started with another setup: service\.sources was .* and is "):
        require_same_setup(tmp_path, described(service))


def test_another_content_of_a_file_that_a_factor_names_is_another_setup(tmp_path: Path) -> None:
    entry = entries.service("soaservers")
    [name] = [name for name, factor in entry.model.factors.items() if factor.file]
    file = tmp_path / "own.xml"
    file.write_text("<one/>")
    asked = replace(entry, model=entry.model.as_set({name: str(file)}))
    before = environment.describe([], cpus.share(), [], service=asked)
    file.write_text("<two/>")
    after = environment.describe([], cpus.share(), [], service=asked)
    assert [said.partition(" was ")[0] for said in setup_differences(before, after)] == [f"service.files.{name}"]


@pytest.mark.parametrize("key", ["revision", "changes"])
def test_another_revision_or_local_change_is_another_setup(tmp_path: Path, service: Path, key: str) -> None:
    then = described(service)
    then["git"] = {**then["git"], key: "another"}  # type: ignore[dict-item]
    (tmp_path / "environment.json").write_text(json.dumps(then))
    with pytest.raises(StoreError, match=rf"was started with another setup: git\.{key} was another and is "):
        require_same_setup(tmp_path, described(service))


def test_a_setup_that_cannot_be_read_is_no_ground_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "environment.json").write_text("")
    with pytest.raises(StoreError, match=r"the setup at the start of the run is unknown: .*environment\.json"):
        require_same_setup(tmp_path, {})
