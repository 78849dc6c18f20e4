"""Every message format on every server that answers in it: the whole contract, what must be refused, a run that compares."""

from __future__ import annotations

import csv
import json
import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import MARK, Lab, still_running
from rich.console import Console
from steelyard.base.progress import Progress
from steelyard.catalogue import entries
from steelyard.check import examination

ASKED = [
    *(f"go@format={form}" for form in ("rest-json", "json-rpc", "grpc", "soap12")),
    *(f"rust-axum@format={form}" for form in ("rest-json", "json-rpc", "grpc")),
    *(f"tomcat-{stack}@format={form}" for stack in ("metro", "cxf") for form in ("soap12", "mtom")),
    "java-rmi@format=rmi",
    *(f"{server}@format=rest-json" for server in ("wildfly", "liberty", "glassfish", "payara", "tomee")),
]


SOON = (
    "go@",
    "wildfly@",
    "java-rmi@",
)  # one that is there at once, and those whose format or driver is asked nowhere else


@pytest.mark.parametrize(
    "subject", [name if name.startswith(SOON) else pytest.param(name, marks=pytest.mark.long) for name in ASKED]
)
def test_a_server_keeps_the_whole_contract_in_a_format(
    subject: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    row = examination.check(subject, "wstest", Progress(Console(quiet=True)), quick=True)
    assert (row.contract, row.reason) == (True, None)
    assert row.exchanges is not None and row.exchanges >= (
        40 if subject.startswith("java-rmi@") else 150
    )  # calls have one spelling
    assert row.keep_alive is not None and row.keep_alive.answered == examination.REQUESTS_ON_ONE_CONNECTION
    assert still_running(tmp_path) == [], "still running"


def test_every_format_is_asked_of_somebody() -> None:
    assert {subject.rpartition("=")[2] for subject in ASKED} == set(entries.service("wstest").model.formats)


def test_formats_are_loaded_and_judged_each_in_its_own(lab: Lab) -> None:
    subjects = ["go", "go@format=rest-json", "go@format=grpc"]
    words = [
        "--forks",
        "1",
        "--pairs",
        "2",
        "--slice-seconds",
        "0.2",
        "--operation",
        "echoVoid,getOrder",
    ]
    ran = lab.run("run", "envelope", "--only", ",".join(subjects), *words, "--json")
    assert ran.code in (0, 2), ran.err
    (run,) = lab.runs()
    (trial,) = (json.loads(path.read_text()) for path in run.glob("trials/*/trial.json"))
    assert (trial["status"], trial["wrong_samples"]) == ("complete", [])
    assert trial["samples_checked"] > 0
    assert all(each["by_service"] == each["by_engine"] > 0 for each in trial["counted"])
    job = json.loads(next(run.glob("trials/*/job.json")).read_text())
    by_http2 = {target["subject"]: target["http2"] is not None for target in job["targets"] if "http2" in target}
    assert by_http2.get("go@format=grpc") and not by_http2.get("go@format=rest-json")


def test_what_is_asked_by_rmi_is_driven_beside_the_engine_in_stretches(lab: Lab) -> None:
    words = ["--forks", "1", "--pairs", "2", "--slice-seconds", "0.5", "--operation", "echoStruct,getOrder"]
    ran = lab.run("run", "envelope", "--only", "java-rmi,go", *words, "--json")
    assert ran.code in (0, 2), ran.err
    (run,) = lab.runs()
    (trial,) = (json.loads(path.read_text()) for path in run.glob("trials/*/trial.json"))
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
