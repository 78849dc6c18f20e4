"""Descriptions that Steelyard's servers publish of their services: imported, and every sample sent to the server it came from."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import Lab
from rich.console import Console
from steelyard.base.errors import FetchError, ToolchainError
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.models.study import PartSpec, SubjectSpec

pytestmark = pytest.mark.long
PROGRESS = Progress(Console(quiet=True))
SERVICES = ("wstest", "soakit", "flight", "soaservers")
# What stacks describe by themselves, at `?wsdl` of the service's own path.
SERVERS = sorted(
    name
    for name in entries.server_files()
    if entries.server(name).model.implementation
    in ("java", "aspnet", "node", "node-strong-soap", "php", "python-spyne")
    and entries.server(name).model.licence is None
)


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("server", SERVERS)
def test_what_a_server_publishes_is_imported_and_every_sample_is_answered(
    server: str, service: str, lab: Lab, tmp_path: Path
) -> None:
    known = entries.service(service)
    implementation = entries.server(server).model.implementation
    if implementation is None or not (known.folder / implementation).is_dir():
        pytest.skip(f"{server} does not run {service}")
    spec = SubjectSpec(label=server, parts=[PartSpec(server=server)])
    try:
        ready = subject.provide_subject(spec, known, PROGRESS)
    except (FetchError, ToolchainError) as error:
        pytest.skip(f"{server} cannot be had here: {error.message}")
    with launch.running_subject(ready, tmp_path, cpus.share(), random.Random(), PROGRESS) as running:
        imported = lab.run("import", f"{running.url}?wsdl", "--out", "mine", "--json")
        if imported.code != 0 and "answers with HTTP status" in imported.err:
            pytest.skip(f"{server} publishes no description of {service}: {imported.err}")
        assert imported.code == 0, imported.err
        outcome = imported.json()
        assert outcome["operations"] == outcome["samples_valid"] > 0, outcome
        # One request an operation, in the verification; a service may rightly refuse what it does not know.
        loaded = lab.run("load", "mine", "--writes", "--users", "1", "--for", "1s", "--json")
    assert "Traceback" not in loaded.err and "defect" not in loaded.err, loaded.err
    if service == "wstest":
        assert loaded.code == 0 and loaded.json()["failed"] == 0, loaded.err
    else:
        assert loaded.code == 0 or "fault" in loaded.err, loaded.err
