"""The processor time of a request in sessions that capture and fill values, beside the same request without a session."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import engine_run
from clients import CONTENT_TYPE, SOAP_ACTION, request_body
from processes import BenchError, nginx
from quiet import Quiet

COLUMNS = ["load", "repeat", "seconds", "requests", "user_us_per_request", "system_us_per_request", "others_cpu"]
USERS = 30
# Each load of the same requests, and the header that the second request of a session fills.
LOADS = {
    "plain": "",
    "session": "{{of}}",
    "signed": "{{hmac_sha256(of, method, path, body)}}",
}
CORPUS_COLUMNS = "entry,operation,offset,length,rule,safe,method,path,headers,link,pause_ms,filled"


def measure(
    engine: str, server: tuple[str, str], quiet: Quiet, repeats: int, seconds: int
) -> Iterator[dict[str, object]]:
    """One row for each load in each repeat, in an order that alternates. `server`: the programs nginx and keeper."""
    with nginx(*server) as null_server:
        for repeat in range(repeats):
            loads = list(LOADS) if repeat % 2 == 0 else list(LOADS)[::-1]
            for row in quiet.measure(lambda: _run(engine, null_server.url, loads, seconds)):  # noqa: B023
                yield {"repeat": repeat, **row}


def _run(engine: str, url: str, loads: list[str], seconds: int) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as made:
        folder = Path(made)
        write_corpus(folder / "corpus")
        engine_run.drive([engine], folder, job(url, loads, seconds))
        rows = engine_run.slice_rows(folder)
    return [_row(load, row) for load, row in zip(loads, rows, strict=True)]


def _row(load: str, row: dict[str, str]) -> dict[str, object]:
    requests = int(row["completed"])
    if row["valid"] != "1" or requests == 0:
        raise BenchError(f"the load {load} is not valid: {row['why_not']}")
    return {
        "load": load,
        "seconds": round(int(row["measured_ns"]) / 1e9, 2),
        "requests": requests,
        "user_us_per_request": round(int(row["engine_user_ns"]) / 1000 / requests, 4),
        "system_us_per_request": round(int(row["engine_system_ns"]) / 1000 / requests, 4),
    }


def write_corpus(folder: Path) -> None:
    """The first request of a session, which is that of the plain load, and the second one of each session."""
    folder.mkdir()
    body = request_body()
    (folder / "corpus.bin").write_bytes(body)
    with (folder / "corpus.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(CORPUS_COLUMNS.split(","))
        for entry, (load, header) in enumerate(LOADS.items()):
            own = json.dumps({"X-Of": header}) if header else ""
            rows.writerow([entry, f"{load}-request", 0, len(body), "right", 1, "", "", own, "", "", int(bool(header))])


def job(url: str, loads: list[str], seconds: int) -> dict[str, Any]:
    """The job of one slice for each load."""
    capture = {"of": {"kind": "regex", "expression": "(echoVoid)Response"}}
    sessions = {
        load: {"steps": [{"operation": "plain-request", "captures": capture}, {"operation": f"{load}-request"}]}
        for load, header in LOADS.items()
        if header
    }
    slices = [
        engine_run.closed_slice(number, USERS, seconds) | {"mix": {load if load in sessions else "plain-request": 1}}
        for number, load in enumerate(loads)
    ]
    return {
        "seed": 1,
        "corpus": "corpus",
        "rules": {"right": {"contains": "</soap:Envelope>"}},
        "targets": [
            {"subject": "server", "url": url, "headers": {"Content-Type": CONTENT_TYPE, "SOAPAction": SOAP_ACTION}}
        ],
        "sessions": sessions,
        "slices": slices,
        "samples": {"one_in": 1000, "most_right": 0, "most_failed": 0},
    }
