"""Servers with TLS: the whole contract, a verified certificate, and load whose answers the service counts."""

from __future__ import annotations

import json
import random
import shutil
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import MARK, Lab, trial_records
from rich.console import Console
from steelyard.base.errors import NoAnswerError, ProvisionError
from steelyard.base.http_client import HttpClient
from steelyard.base.progress import Progress
from steelyard.catalogue import entries, subject_syntax
from steelyard.hosts import cpus, launch, subject
from steelyard.models.study import PartSpec, SubjectSpec

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl makes certificates here")
ASKED = [
    "go@tls=on",
    "go@format=grpc@tls=on",
    "tomcat-metro@tls=on",
    "tomcat-cxf@tls=on",
    "tomcat-axis2@tls=on",
    "tomcat-springws@tls=on",
    "tomee@tls=on",
]
SOON = ("go@", "tomcat-metro@")


@pytest.mark.parametrize(
    "words", [name if name.startswith(SOON) else pytest.param(name, marks=pytest.mark.long) for name in ASKED]
)
def test_a_server_keeps_the_whole_contract_over_tls(words: str, kept_contract: Callable[[str], Any]) -> None:
    kept_contract(words)


def test_nobody_is_answered_who_does_not_ask_over_tls_or_trusts_another_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    progress, service = Progress(Console(quiet=True)), entries.service("wstest")
    ready = subject.provide_subject(subject_syntax.subject_of("go@tls=on"), service, progress)
    with launch.running_subject(ready, tmp_path, cpus.share(), random.Random(), progress) as running:
        assert running.url.startswith("https://")
        with pytest.raises(NoAnswerError, match="certificate"):
            HttpClient(running.url).get({})
        with socket.create_connection((running.host, running.front.port)) as plain:
            plain.settimeout(10)
            plain.sendall(b"GET /wstest/count HTTP/1.1\r\nHost: here\r\n\r\n")
            assert b" 200 " not in plain.recv(1000)
        context = ssl.create_default_context(cafile=running.access.authority)
        with (
            socket.create_connection((running.host, running.front.port)) as plain,
            context.wrap_socket(plain, server_hostname=running.host) as secure,
        ):
            assert secure.version() == "TLSv1.3"


def test_a_run_asks_with_and_without_tls_and_the_service_counts_what_the_engine_does(lab: Lab) -> None:
    words = ["--forks", "1", "--pairs", "2", "--slice-seconds", "0.2", "--warm-up", "0.6", "--operation", "echoVoid"]
    ran = lab.run("run", "envelope", "--only", "go,go@tls=on,go@format=grpc@tls=on", *words, "--json")
    assert ran.code in (0, 2), ran.err
    (run,) = lab.runs()
    (trial,) = trial_records(run)
    assert (trial["status"], trial["wrong_samples"]) == ("complete", [])
    assert all(each["by_service"] == each["by_engine"] > 0 for each in trial["counted"])
    targets = {each["subject"]: each for each in json.loads(next(run.glob("trials/*/job.json")).read_text())["targets"]}
    secure = {name for name, target in targets.items() if target.get("secure")}
    assert secure == {"go@tls=on", "go@format=grpc@tls=on"}
    assert all(targets[name]["tls"]["ca"].endswith("certificate.pem") for name in secure)
    assert all(targets[name]["tls"].get("verify", True) for name in secure)


def test_servers_that_ask_each_other_are_refused_with_tls_before_anything_starts() -> None:
    spec = SubjectSpec(
        label="two", parts=[PartSpec(server="go", factors={"tls": "on"}), PartSpec(server="go", role="other")]
    )
    with pytest.raises(ProvisionError, match="two has 2 servers, which call each other without TLS"):
        subject.provide_subject(spec, entries.service("wstest"), Progress(Console(quiet=True)))
