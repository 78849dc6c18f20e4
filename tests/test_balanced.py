"""Instances behind a load balancer are one subject: it answers as one, and the instances' counts sum to its count."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from conftest import MARK
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.hosts import cpus, launch, subject
from steelyard.hosts.asking import service_count
from steelyard.models.study import PartSpec, SubjectSpec
from steelyard.workload import contract


@pytest.mark.parametrize("balancer", ["haproxy", "nginx"])
def test_two_instances_behind_a_balancer_share_its_requests(
    balancer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(balancer) is None:
        pytest.skip(f"there is no {balancer} here")
    monkeypatch.setenv(MARK, str(tmp_path))
    service, progress = entries.service("wstest"), Progress(Console(quiet=True))
    instances = [PartSpec(server="go", role=f"instance{number}") for number in (1, 2)]
    spec = SubjectSpec(label="two", parts=[PartSpec(server=balancer), *instances])
    ready = subject.provide_subject(spec, service, progress)
    with launch.running_subject(ready, tmp_path, cpus.share(), random.Random(), progress) as running:
        assert [part.part.place for part in running.parts] == ["balancer", "instance1", "instance2"]
        asked = contract.verify(service, running.url, seed=1, all_spellings=False)
        shares = [service_count(ready, part.part, part.site, part.port, 5.0) for part in running.parts[1:]]
        assert running.requests_served() == sum(shares) == asked
        assert min(shares) > 0.4 * asked, "in turn"
