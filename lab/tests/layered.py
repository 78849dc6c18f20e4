"""Run folders with records of layers, without any server: requests of 1 ms, and more in the service where that is planted; and
record files that the library itself wrote."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from steelyard.models.records import Schedule
from steelyard.models.service import Layer, RequestKind
from steelyard.results.layer_table import TimedRequests, write_layers
from steelyard.results.request_columns import LayerTime, RequestRecord, columns_of
from synthetic import Planted, write_run

RECORDED = Path(__file__).parent / "recorded" / "monitor"
LAYERS = [
    Layer(name="web", title="Web", tags=["filter"]),
    Layer(name="service", title="Service", tags=["soap", "si"]),
    Layer(name="engine", title="Engine", tags=["hibernate"]),
    Layer(name="reads", title="Reads", tags=["reads"]),
]
SEARCHES = RequestKind(name="searches", title="Searches", where={"soap_name": ["search"]})


def files(folder: Path) -> Path:
    """A copy of the files that the library itself wrote (recorded/monitor/README.md says how)."""
    for path in RECORDED.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def request(
    begin_ns: int, times: Mapping[str, tuple[int, int]], name: str = "search", violations: int = 0
) -> RequestRecord:
    """With the total and own time of each tag in us."""
    layers = {
        tag: LayerTime(1, total * 1000, own * 1000, place) for place, (tag, (total, own)) in enumerate(times.items())
    }
    return RequestRecord(7, begin_ns, violations, layers, {"soap_name": name})


def observed(folder: Path, planted: Planted, slow: Mapping[str, float] | None = None, change: int = 0) -> Path:
    """A run of requests of 1 ms: 0.1 web, 0.5 service, 0.3 engine, 0.1 reads; of some subjects the service is slower."""
    write_run(folder, planted)
    schedule = Schedule.model_validate_json((folder / "schedule.json").read_bytes())
    asked = {
        "observe": ["layers"],
        "layers": LAYERS,
        "nesting": ["filter", "si", "hibernate"],
        "request_kinds": [SEARCHES],
    }
    (folder / "schedule.json").write_text(schedule.model_copy(update=asked).model_dump_json(), encoding="utf-8")
    for trial in sorted((folder / "trials").iterdir()):
        rows = list(csv.DictReader((trial / "slices.csv").open(encoding="utf-8")))
        timed: list[TimedRequests] = []
        for row in rows:
            count = int(row["completed"]) + int(row["lead_in_completed"])
            more = round(1000 * (slow or {}).get(row["subject"], 0.0))
            requests = []
            for n in range(count + change):
                own = 500 + more + n % 5 + int(trial.name)
                times = {
                    "filter": (own + 500, 100),
                    "si": (own + 400, own),
                    "hibernate": (400, 300),
                    "reads": (100, 100),
                }
                one = request(int(row["begin_ns"]) + n, times, "search" if n % 2 else "reserve")
                requests.append(one)
            measured = np.arange(len(requests)) < int(row["completed"])
            timed.append(TimedRequests(row["subject"], int(row["slice"]), measured, columns_of(requests)))
        write_layers(trial / "layers.csv", timed)
        record = json.loads((trial / "trial.json").read_text())
        record["recorded"] = [
            {"subject": label, "records": sum(map(len, timed)), "lost": 0, "violations": 0, "whole": True}
            for label in planted.rates
        ]
        (trial / "trial.json").write_text(json.dumps(record), encoding="utf-8")
    return folder
