"""Every message format on every server that supports it: the whole contract, required refusals, a comparison."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import MARK, Lab, still_running, trial_records
from rich.console import Console
from steelyard.base.http_client import Answer, HttpClient
from steelyard.base.progress import Progress
from steelyard.catalogue import entries, subject_syntax
from steelyard.hosts import cpus, launch, subject
from steelyard.workload import contract, exchanges
from steelyard.workload.body_formats import meaning_of

ASKED = [
    *(f"go@format={form}" for form in ("rest-json", "json-rpc", "grpc", "soap12")),
    *(f"rust-axum@format={form}" for form in ("rest-json", "json-rpc", "grpc")),
    *(f"tomcat-{stack}@format={form}" for stack in ("metro", "cxf") for form in ("soap12", "mtom", "signed")),
    *(f"tomcat-cxf@format={form}" for form in ("encrypted", "signed-encrypted")),
    "java-rmi@format=rmi",
    *(f"{server}@format=rest-json" for server in ("wildfly", "liberty", "glassfish", "payara", "tomee")),
]


SOON = ("go@", "java-rmi@")  # one that is there at once, and the one whose format and driver are asked nowhere else


@pytest.mark.parametrize(
    "subject", [name if name.startswith(SOON) else pytest.param(name, marks=pytest.mark.long) for name in ASKED]
)
def test_a_server_keeps_the_whole_contract_in_a_format(subject: str, kept_contract: Callable[[str], Any]) -> None:
    row = kept_contract(subject)
    least = 40 if subject.startswith("java-rmi@") else 150  # calls have one spelling
    assert row.exchanges is not None and row.exchanges >= least


def test_every_format_is_asked_of_somebody() -> None:
    assert {subject.rpartition("=")[2] for subject in ASKED} == set(entries.service("wstest").model.formats)


def test_formats_are_loaded_and_judged_each_in_its_own(lab: Lab) -> None:
    subjects = ["go", "go@format=rest-json", "go@format=grpc"]
    words = ["--forks", "1", "--pairs", "2", "--slice-seconds", "0.2", "--warm-up", "0.6"]
    ran = lab.run("run", "envelope", "--only", ",".join(subjects), *words, "--operation", "echoVoid,getOrder", "--json")
    assert ran.code in (0, 2), ran.err
    (run,) = lab.runs()
    (trial,) = trial_records(run)
    assert (trial["status"], trial["wrong_samples"]) == ("complete", [])
    assert trial["samples_checked"] > 0
    assert all(each["by_service"] == each["by_engine"] > 0 for each in trial["counted"])
    job = json.loads(next(run.glob("trials/*/job.json")).read_text())
    by_http2 = {target["subject"]: target["http2"] is not None for target in job["targets"] if "http2" in target}
    assert by_http2.get("go@format=grpc") and not by_http2.get("go@format=rest-json")


def test_what_is_asked_by_rmi_is_driven_beside_the_engine_in_stretches(lab: Lab) -> None:
    words = ["--forks", "1", "--pairs", "2", "--slice-seconds", "0.5", "--warm-up", "1", "--operation", "getOrder"]
    ran = lab.run("run", "envelope", "--only", "java-rmi,go", *words, "--json")
    assert ran.code in (0, 2), ran.err
    (run,) = lab.runs()
    (trial,) = trial_records(run)
    assert (trial["status"], trial["wrong_samples"]) == ("complete", [])
    assert {each["subject"] for each in trial["counted"]} == {"java-rmi", "go"}
    assert all(each["by_service"] == each["by_engine"] > 0 for each in trial["counted"])
    folder = next(run.glob("trials/*"))
    with (folder / "slices.csv").open(newline="") as file:
        rows = {int(row["slice"]): row for row in csv.DictReader(file)}
    assert rows.keys() == {plan["number"] for plan in trial["slices"]}
    assert all(row["valid"] == "1" and not row["cpu_own_ns"] for row in rows.values())
    windows = sorted((int(row["begin_ns"]), int(row["end_ns"])) for row in rows.values())
    assert all(end <= begin for (_, end), (begin, _) in pairwise(windows)), "no two slices are driven at a time"
    kept = [path.name for path in (folder / "samples").glob("*.answer")]
    assert len(kept) == trial["samples_checked"] > 0


def test_a_signed_request_is_answered_signed_and_a_wrapped_signature_gains_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    progress, service = Progress(Console(quiet=True)), entries.service("wstest")
    ready = subject.provide_subject(subject_syntax.subject_of("tomcat-cxf@format=signed"), service, progress)
    with launch.running_subject(ready, tmp_path, cpus.share(), random.Random(), progress) as running:
        assert contract.verify(ready.service, running.url, seed=1, all_spellings=False) > 30
        meaning, written = meaning_of(ready.service), exchanges.contract_exchanges(ready.service)
        asked = {bad.name: bad for bad in meaning.bad_requests(written, tmp_path)}

        def answer(name: str) -> Answer:
            headers = contract.request_headers(ready.service.model, asked[name].operation)
            return HttpClient(running.url).ask("POST", "", asked[name].body, headers)

        for name in ("unprotected", "not-signed", "signed-by-a-stranger", "signature-broken", "body-changed"):
            assert meaning.refusal_problem(answer(name)) is None, name
        # CXF takes the first body that it reads: the signed one, so what was put in its place is not looked at.
        right = written[0][1]
        assert meaning.difference(answer("signed-body-in-header").body, right.answer, right.operation) is None
    assert still_running(tmp_path) == [], "still running"
