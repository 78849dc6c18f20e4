"""A running service: its WSDL becomes a folder, the folder is loaded, and the server's count equals the sent requests."""

from __future__ import annotations

import json
import random
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import Lab
from rich.console import Console
from steelyard.base import paths
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.running import RunningSubject
from steelyard.models.study import PartSpec, SubjectSpec

PROGRESS = Progress(Console(quiet=True))
CONTRACTS = paths.root() / "contracts"


def schema(name: str) -> Any:
    return json.loads((CONTRACTS / f"{name}.schema.json").read_text())


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSubject]:
    """The service of the demonstration on a server that publishes its WSDL."""
    folder = tmp_path_factory.mktemp("target")
    spec = SubjectSpec(label="target", parts=[PartSpec(server="tomcat-metro")])
    ready = subject.provide_subject(spec, entries.service("wstest"), PROGRESS)
    with launch.running_subject(ready, folder, cpus.share(), random.Random(), PROGRESS) as started:
        yield started


@pytest.fixture(scope="module")
def imported(running: RunningSubject, shared_lab: Lab) -> Path:
    ran = shared_lab.run("import", f"{running.url}?wsdl", "--out", "mine", "--json")
    assert ran.code == 0, ran.err
    found = ran.json()
    jsonschema.validate(found, schema("import-output"))
    assert (found["operations"], found["samples_valid"], found["left_out"]) == (5, 5, [])
    return shared_lab.folder / "mine"


def test_what_is_imported_from_a_running_server_is_loaded_and_counted_alike(
    running: RunningSubject, imported: Path, shared_lab: Lab
) -> None:
    before = running.requests_served() or 0
    ran = shared_lab.run("load", str(imported), "--users", "4", "--for", "10s", "--json")
    assert ran.code == 0, ran.err
    found = ran.json()
    jsonschema.validate(found, schema("load-output"))
    # Thousands where nothing else runs; a machine that is busy with other things does a part of that.
    assert found["failed"] == 0 and found["completed"] > 100, found
    assert found["completed"] + found["failed"] + found["outside"] == found["sent"]
    assert found["sent"] == (running.requests_served() or 0) - before
    assert {one["operation"] for one in found["operations"]} == set(entries.service("wstest").model.operations)
    shares = [one["completed"] / found["completed"] for one in found["operations"]]
    assert all(0.15 < share < 0.25 for share in shares), "all five in equal parts"
    assert found["kept_answers"] > 5 and "schema" in found["kept_rules"]
    throughput = found["throughput_per_s"]
    assert throughput["low"] <= throughput["value"] <= throughput["high"]
    assert any("cannot be restarted" in note for note in found["notes"]) and found["not_judged"]


def test_bodies_in_chunks_are_answered_and_counted_alike(
    running: RunningSubject, imported: Path, shared_lab: Lab
) -> None:
    before = running.requests_served() or 0
    ran = shared_lab.run("load", str(imported), "--users", "2", "--for", "2s", "--chunked", "--gzip", "--json")
    assert ran.code == 0, ran.err
    chunked = ran.json()
    assert chunked["failed"] == 0 and chunked["completed"] > 10, chunked
    assert chunked["sent"] == (running.requests_served() or 0) - before
    corpus = (shared_lab.folder / chunked["run"] / "corpus" / "corpus.bin").read_bytes()
    assert corpus.count(b"\r\n0\r\n\r\n") == 5, "all five operations in chunks"


def test_a_users_rule_voids_what_breaks_it(imported: Path, shared_lab: Lab) -> None:
    ran = shared_lab.run(
        "load", str(imported), "--operation", "echoVoid", "--expect", "contains=nowhere", "--for", "1s"
    )
    assert ran.code == 1 and "verification of echoVoid failed" in ran.err, ran.err
    assert "Traceback" not in ran.err


def test_a_url_needs_no_folder_and_a_goal_has_an_exit_code(
    running: RunningSubject, imported: Path, shared_lab: Lab
) -> None:
    words = [
        "load",
        running.url,
        "--body",
        f"@{imported}/samples/echoVoid.xml",
        "--header",
        'SOAPAction: ""',
        "--rate",
        "100/s",
    ]
    words += ["--for", "3s", "--expect", "fault=absent", "--json"]
    kept = shared_lab.run(*words, "--p95", "5s", "--errors", "1%")
    assert kept.code == 0 and kept.json()["goals_kept"] is True, kept.err
    missed = shared_lab.run(*words, "--p95", "1ms", "--p50", "0.001ms")
    assert missed.code == 1 and "was missed" in missed.err, missed.err


def test_operations_that_change_data_are_asked_once_and_not_loaded(
    running: RunningSubject, imported: Path, shared_lab: Lab
) -> None:
    text = (imported / "service.toml").read_text()
    changed = shared_lab.folder / "changed"
    if not changed.exists():
        changed.symlink_to(imported.parent / "mine-changed")
        import shutil

        shutil.copytree(imported, imported.parent / "mine-changed")
        place = text.index("[operations.getOrder]")
        (imported.parent / "mine-changed" / "service.toml").write_text(
            text[:place] + text[place:].replace("changes_data = false", "changes_data = true", 1)
        )
    before = running.requests_served() or 0
    ran = shared_lab.run(
        "load", str(changed), "--operation", "getOrder,echoVoid", "--max-requests", "10", "--users", "1", "--json"
    )
    assert ran.code == 0, ran.err
    found = ran.json()
    assert [one["operation"] for one in found["operations"]] == ["echoVoid"]
    assert [one["what"] for one in found["not_loaded"]] == ["getOrder"]
    assert (running.requests_served() or 0) - before == found["sent"] == 12
    alone = shared_lab.run("load", str(changed), "--operation", "getOrder")
    assert alone.code != 0 and "--writes" in alone.err


def test_nothing_is_loaded_where_nobody_listens(shared_lab: Lab) -> None:
    ran = shared_lab.run("load", "http://127.0.0.1:9/", "--for", "60s")
    assert ran.code == 1 and "no connection" in ran.err, ran.err
    assert not list((shared_lab.folder / "runs").glob("load-127.0.0.1-9-*")), "a run was begun"
    with pytest.raises(OSError):
        urllib.request.urlopen("http://127.0.0.1:9/", timeout=1)
