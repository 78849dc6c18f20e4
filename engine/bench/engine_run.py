"""Runs the engine in step, as the lab does, for figures that need more than a summary."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clients import CONTENT_TYPE, SOAP_ACTION, request_body
from processes import CLIENT_CPU, BenchError, resident_kib

STAMP = re.compile(rb'read-ns="(\d+)" write-ns="(\d+)"')


@dataclass(frozen=True)
class Exchange:
    """One sampled request: the engine's instants, and the server's where it told them. CLOCK_MONOTONIC, ns."""

    slice: int
    due_ns: int
    sent_ns: int
    first_byte_ns: int
    last_byte_ns: int
    read_ns: int | None
    write_ns: int | None


def rate_slice(number: int, rate: float, seconds: float, *, arrivals: str, cap: int, seed: int) -> dict[str, Any]:
    """A slice of the job at one rate, without a lead-in, so that its schedule begins at its begin."""
    return {
        "number": number,
        "subject": "server",
        "phase": "measure",
        "profile": {
            "kind": "rate",
            "arrivals": arrivals,
            "stages": [{"from_rate": rate, "to_rate": rate, "seconds": seconds}],
            "max_in_flight": cap,
        },
        "mix": {"echo": 1},
        "deck_seed": seed,
        "lead_in_ms": 0,
    }


def closed_slice(number: int, users: int, seconds: float) -> dict[str, Any]:
    """A slice of the job with users who ask again as soon as they are answered."""
    return {
        "number": number,
        "subject": "server",
        "phase": "measure",
        "profile": {"kind": "big-bang", "users": users, "seconds": seconds},
        "mix": {"echo": 1},
        "deck_seed": 1,
    }


def run(
    engine: str, folder: Path, url: str, slices: Sequence[dict[str, Any]], *, samples: int, one_in: int
) -> list[int]:
    """Run all slices in turn, and return the engine's memory (KiB) after each; what it writes is in `folder/out`."""
    corpus = folder / "corpus"
    corpus.mkdir()
    body = request_body()
    (corpus / "corpus.bin").write_bytes(body)
    header = "entry,operation,offset,length,rule,safe"
    (corpus / "corpus.csv").write_text(f"{header}\n0,echo,0,{len(body)},right,1\n")
    job = {
        "seed": 1,
        "corpus": "corpus",
        "rules": {"right": {"contains": "</soap:Envelope>"}},
        "targets": [
            {"subject": "server", "url": url, "headers": {"Content-Type": CONTENT_TYPE, "SOAPAction": SOAP_ACTION}}
        ],
        "slices": list(slices),
        "samples": {"one_in": one_in, "most_right": samples, "most_failed": 100},
    }
    return drive([engine], folder, job)


def drive(driver: Sequence[str], folder: Path, job: dict[str, Any]) -> list[int]:
    """Have a driver run all slices of a job in turn, on the clients' processor, and return its memory (KiB) after each; what it
    writes is in `folder/out`."""
    (folder / "job.json").write_text(json.dumps(job))
    argv = [*driver, "run", str(folder / "job.json"), "--out", str(folder / "out")]
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {CLIENT_CPU}),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    memory = []
    try:
        _wait_for(process, "ready")
        for item in job["slices"]:
            process.stdin.write(json.dumps({"go": item["number"]}) + "\n")
            process.stdin.flush()
            _wait_for(process, "drained")
            memory.append(resident_kib(process.pid))
        process.stdin.close()
        if process.wait(60) != 0:
            raise BenchError(f"the engine ended with code {process.returncode}")
    finally:
        process.kill()
        process.wait()
    return memory


def _wait_for(process: subprocess.Popen[str], name: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if name in json.loads(line):
            return
    raise BenchError(f"the engine ended before it said {name!r}")


def slice_rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "out" / "slices.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def exchanges(folder: Path) -> list[Exchange]:
    """All sampled right answers, in the order of their due instants."""
    samples = folder / "out" / "samples"
    found = []
    with (samples / "index.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["outcome"] != "right":
                continue
            stamp = STAMP.search((samples / f"{row['sample']}.answer").read_bytes())
            found.append(
                Exchange(
                    int(row["slice"]),
                    *(int(row[key]) for key in ("due_ns", "sent_ns", "first_byte_ns", "last_byte_ns")),
                    *((int(stamp[1]), int(stamp[2])) if stamp else (None, None)),
                )
            )
    return sorted(found, key=lambda exchange: exchange.due_ns)
