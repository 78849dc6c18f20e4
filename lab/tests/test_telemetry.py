"""Telemetry during a load: real receivers decode the same totals that the load counted."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import snappy
from answering import Reply, answering
from command import steelyard
from hdrh.histogram import HdrHistogram
from opentelemetry.exporter.prometheus_remote_write.gen.remote_pb2 import WriteRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from own_service import serving
from steelyard.measure.load import load as loading
from steelyard.measure.telemetry.publisher import notes_of, publish_totals, receivers_of
from steelyard.measure.telemetry.totals import BOUNDS
from steelyard.results.live_file import STOP
from steelyard.results.tables import FAILURE_KINDS

TICK_COLUMNS = ("time_ns", "operation", "completed", "wrong", *FAILURE_KINDS, "users_active", "response_ns_sum")


class Messages:
    """What a receiver was told, decoded: the series of remote write, and the metrics of OTLP, by name."""

    def __init__(self) -> None:
        self.series: list[dict[tuple[tuple[str, str], ...], float]] = []
        self.metrics: list[dict[str, Any]] = []
        self.resource: dict[str, str] = {}
        self.both = threading.Event()

    def take(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        if path == "/write":
            assert (headers["Content-Encoding"], headers["X-Prometheus-Remote-Write-Version"]) == ("snappy", "0.1.0")
            request = WriteRequest.FromString(snappy.decompress(body))
            for series in request.timeseries:
                names = [label.name for label in series.labels]
                assert names == sorted(set(names)) and len(series.samples) == 1
            self.series.append(
                {
                    tuple((label.name, label.value) for label in each.labels): each.samples[0].value
                    for each in request.timeseries
                }
            )
        else:
            (resource,) = ExportMetricsServiceRequest.FromString(body).resource_metrics
            self.resource = {each.key: each.value.string_value for each in resource.resource.attributes}
            self.metrics.append({metric.name: metric for metric in resource.scope_metrics[0].metrics})
        if self.series and self.metrics:
            self.both.set()

    def of_series(self, name: str, **labels: str) -> float:
        """The last value of the one series of a name with these labels."""
        wanted = {"__name__": name, **labels}.items()
        (value,) = [value for series, value in self.series[-1].items() if wanted <= dict(series).items()]
        return value


@contextmanager
def receiving(messages: Messages, status: int = 200) -> Iterator[str]:
    """The address of a server that takes both kinds of messages, and answers with a status."""

    def answer(request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        messages.take(request.path, request.headers, body)  # type: ignore[arg-type]
        return status, {}, b""

    with answering(answer) as address:
        yield address


def test_a_load_is_told_while_it_runs_and_in_the_end_as_it_was_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = Messages()
    written: list[tuple[int, int]] = []
    shown = loading._tick_text

    def look(tick: Mapping[str, Any]) -> str:
        """What the files hold when the engine says that another second is over."""
        (folder,) = tmp_path.glob("runs/*/trials/01")
        seconds = (folder / "seconds.hlog").read_text().count("Tag=")
        written.append((len((folder / "ticks.csv").read_text().splitlines()) - 1, seconds))
        return shown(tick)

    monkeypatch.setattr(loading, "_tick_text", look)

    def stop_when_told() -> None:
        if messages.both.wait(300):
            (tmp_path / "runs" / messages.resource["steelyard.run"] / STOP).touch()

    watcher = threading.Thread(target=stop_when_told)
    watcher.start()
    with serving(0.0) as url, receiving(messages) as address:
        to = ("--otlp", f"{address}/v1/metrics", "--remote-write", f"{address}/write")
        ran = steelyard("load", url, "--users", "2", "--for", "10m", "--json", *to, folder=tmp_path)
    watcher.join()
    loaded = json.loads(ran.out)
    assert all(min(rows, times) >= number for number, (rows, times) in enumerate(written, 1)) and written
    assert loaded["stopped"] == "that was asked for"  # long before it was over, when it had been told
    assert not [note for note in loaded["notes"] if "messages about this load" in note]
    last = messages.metrics[-1]
    (completed,) = last["steelyard.requests.completed"].sum.data_points
    assert completed.as_int == loaded["completed"] > 0
    assert last["steelyard.requests.completed"].sum.is_monotonic
    (times,) = last["steelyard.response_time"].histogram.data_points
    assert times.count == sum(times.bucket_counts) == loaded["completed"]
    assert times.start_time_unix_nano < times.time_unix_nano
    assert messages.resource["steelyard.target"] == loaded["target"]
    assert messages.of_series("steelyard_requests_completed_total") == loaded["completed"]
    assert messages.of_series("steelyard_response_time_seconds_bucket", le="+Inf") == loaded["completed"]
    counts = [message["steelyard.requests.completed"].sum.data_points[0].as_int for message in messages.metrics]
    assert counts == sorted(counts) and len(counts) > 1


def tick(folder: Path, time_ns: int, response_us: list[int], **failed: int) -> None:
    """A second of a load, as the engine writes it down."""
    values = {
        "time_ns": time_ns, "operation": "read", "completed": len(response_us), "users_active": 3,
        "response_ns_sum": sum(response_us) * 1000, **failed,
    }  # fmt: skip
    times = HdrHistogram(1, 3_600_000_000, 3)
    for microseconds in response_us:
        times.record_value(microseconds)
    with (folder / "seconds.hlog").open("a") as file:
        file.write(f"Tag=a/0/read/response,0.000,1.000,1.000,{times.encode().decode()}\n")
    path = folder / "ticks.csv"
    with path.open("a") as file:
        file.write("" if path.stat().st_size else ",".join(TICK_COLUMNS) + "\n")
        file.write(",".join(str(values.get(name, 0)) for name in TICK_COLUMNS) + "\n")


def test_failures_are_told_by_kind_and_response_times_by_bucket(tmp_path: Path) -> None:
    messages = Messages()
    with receiving(messages) as address:
        receivers = receivers_of([f"{address}/v1/metrics"], [f"{address}/write"])
        with publish_totals(receivers, "own", "http://127.0.0.1:1", "load-own", tmp_path):
            tick(tmp_path, 10**9, [150, 3_000], timeout=2)
            assert messages.both.wait(300)
            tick(tmp_path, 2 * 10**9, [3_000, 70_000_000], timeout=1, wrong=1)
    assert notes_of(receivers) == []
    assert messages.of_series("steelyard_requests_failed_total", operation="read", kind="timeout") == 3
    assert messages.of_series("steelyard_requests_failed_total", operation="read", kind="wrong") == 1
    assert messages.of_series("steelyard_users") == 3
    buckets = {
        le: messages.of_series("steelyard_response_time_seconds_bucket", le=le)
        for le in ("0.0001", "0.0002", "0.002", "0.005", "50", "+Inf")
    }
    assert buckets == {"0.0001": 0, "0.0002": 1, "0.002": 1, "0.005": 3, "50": 3, "+Inf": 4}
    assert messages.of_series("steelyard_response_time_seconds_sum") == pytest.approx(70.00615)
    (times,) = messages.metrics[-1]["steelyard.response_time"].histogram.data_points
    assert tuple(times.explicit_bounds) == BOUNDS and list(times.bucket_counts)[BOUNDS.index(0.005)] == 2
    failed = {
        point.attributes[1].value.string_value: point.as_int
        for point in messages.metrics[-1]["steelyard.requests.failed"].sum.data_points
    }
    assert failed == {"timeout": 3, "wrong": 1}


def test_a_receiver_that_refuses_or_is_away_is_named_and_keeps_nobody(tmp_path: Path) -> None:
    with receiving(Messages()) as away:
        pass
    with receiving(Messages(), 400) as refusing:
        receivers = receivers_of([f"{refusing}/v1/metrics"], [f"{refusing}/write", f"{away}/write"])
        with publish_totals(receivers, "own", "http://127.0.0.1:1", "load-own", tmp_path):
            tick(tmp_path, 10**9, [150])
    notes = notes_of(receivers)
    assert len(notes) == 3 and all(" accepted 0 of " in note for note in notes)
    assert "status 400" in notes[1] and "ConnectionError" in notes[2]


@pytest.mark.parametrize(
    "address", ["somewhere", "http://me:secret@127.0.0.1/", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:99999/"]
)
def test_what_is_no_address_is_refused_before_anything_is_loaded(address: str, tmp_path: Path) -> None:
    ran = steelyard("load", "http://127.0.0.1:9/", "--otlp", address, folder=tmp_path)
    assert ran.code == 64 and "--otlp takes an" in ran.err and not (tmp_path / "runs").exists()


def test_several_engines_and_a_receiver_are_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    several = ("--users", "4", "--engines", "2", "--otlp", "http://127.0.0.1:9/v1/metrics")
    ran = steelyard("load", "http://127.0.0.1:9/", *several, folder=tmp_path)
    assert ran.code == 64 and "use one engine" in ran.err and not (tmp_path / "runs").exists()


def test_without_its_libraries_it_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snappy", None)
    ran = steelyard("load", "http://127.0.0.1:9/", "--remote-write", "http://127.0.0.1:9/", folder=tmp_path)
    assert ran.code == 1 and "steelyard[telemetry]" in ran.err and not (tmp_path / "runs").exists()
