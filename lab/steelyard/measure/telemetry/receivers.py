"""Receivers of a load's totals: OpenTelemetry by OTLP over HTTP, or Prometheus by remote write."""

from __future__ import annotations

import itertools
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from ... import __version__
from ...base.errors import ConfigurationError, ToolchainError
from .totals import BOUNDS, LoadTotals

TIMEOUT_SECONDS = 2.0
_COMPLETED, _FAILED, _USERS = "requests.completed", "requests.failed", "users"


@dataclass(frozen=True)
class LoadLabels:
    """Labels of a load beside its totals: the service's name, its address, the run's folder, and the load's start in ns since
    1970."""

    service: str
    target: str
    run: str
    begun_unix_ns: int


class Receiver(ABC):
    """A monitoring system at an http(s) address of the user's. `taken` of the `sent` messages were accepted, and `refused` is the
    error of the last one that was not."""

    def __init__(self, url: str, option: str) -> None:
        """Raises ConfigurationError for an invalid address, and ToolchainError where the library is not installed."""
        try:
            parts = urlsplit(url)
            known = (
                parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
            )
        except ValueError:
            known = False
        if not known:
            raise ConfigurationError(f"{option} takes an http or https address, not '{url[:80]}'")
        if parts.username is not None or parts.password is not None:
            raise ConfigurationError(f"{option} takes an address without a user's name and password")
        self.url = url
        self.sent = self.taken = 0
        self.refused = ""

    def send(self, load: LoadLabels, totals: LoadTotals) -> None:
        """Send the totals once; a failure is only counted."""
        self.sent += 1
        refused = self._send(load, totals)
        if refused:
            self.refused = refused
        else:
            self.taken += 1

    @abstractmethod
    def _send(self, load: LoadLabels, totals: LoadTotals) -> str:
        """Send the totals; returns an empty text where they were accepted, else the error."""


class OtlpReceiver(Receiver):
    """OpenTelemetry, by OTLP over HTTP in protobuf. Headers, certificates and other settings come from the OTEL_EXPORTER_OTLP_...
    variables."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "--otlp")
        self._sdk = _require_module("opentelemetry.sdk.metrics.export")
        self._resources = _require_module("opentelemetry.sdk.resources")
        self._scopes = _require_module("opentelemetry.sdk.util.instrumentation")
        logging.getLogger("opentelemetry").setLevel(
            logging.CRITICAL
        )  # our own message replaces the library's log of a missing receiver
        exporter = _require_module("opentelemetry.exporter.otlp.proto.http.metric_exporter")
        self._exporter = exporter.OTLPMetricExporter(endpoint=url, timeout=TIMEOUT_SECONDS)

    def _send(self, load: LoadLabels, totals: LoadTotals) -> str:
        result = self._exporter.export(self._data(load, totals), timeout_millis=TIMEOUT_SECONDS * 1000)
        return "" if result is self._sdk.MetricExportResult.SUCCESS else "it did not accept them"

    def _data(self, load: LoadLabels, totals: LoadTotals) -> Any:
        sdk, now = self._sdk, _unix_ns(totals.time_ns)
        when = {"start_time_unix_nano": load.begun_unix_ns, "time_unix_nano": now}
        sums = {
            name: sdk.Sum(
                [sdk.NumberDataPoint(attributes, value=value, **when) for attributes, value in points],
                sdk.AggregationTemporality.CUMULATIVE,
                is_monotonic=True,
            )
            for name, points in _counters(totals).items()
        }
        times = sdk.HistogramDataPoint(
            {}, count=sum(totals.buckets), sum=totals.response_s, bucket_counts=totals.buckets, explicit_bounds=BOUNDS,
            min=None, max=None, **when,
        )  # fmt: skip
        response = sdk.Histogram([times], sdk.AggregationTemporality.CUMULATIVE)
        users = sdk.Gauge([sdk.NumberDataPoint({}, value=totals.users, **when)])
        metrics = [
            *(
                sdk.Metric(f"steelyard.{name}", "since the load began", "{request}", data)
                for name, data in sums.items()
            ),
            sdk.Metric(f"steelyard.{_USERS}", "active users", "{user}", users),
            sdk.Metric("steelyard.response_time", "of right answers, from the request's due time", "s", response),
        ]
        attributes = {
            "service.name": "steelyard",
            **{f"steelyard.{name}": value for name, value in _labels(load).items()},
        }
        scope = self._scopes.InstrumentationScope("steelyard", __version__)
        scoped = sdk.ScopeMetrics(scope, metrics, schema_url="")
        resource = self._resources.Resource(attributes)
        return sdk.MetricsData([sdk.ResourceMetrics(resource, [scoped], schema_url="")])


class RemoteWriteReceiver(Receiver):
    """Prometheus, by remote write 1.0: protobuf compressed by Snappy, labels sorted by name."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "--remote-write")
        messages = "opentelemetry.exporter.prometheus_remote_write.gen"
        self._remote, self._types = _require_module(f"{messages}.remote_pb2"), _require_module(f"{messages}.types_pb2")
        self._snappy, self._requests = _require_module("snappy"), _require_module("requests")

    def _send(self, load: LoadLabels, totals: LoadTotals) -> str:
        headers = {
            "Content-Type": "application/x-protobuf",
            "Content-Encoding": "snappy",
            "X-Prometheus-Remote-Write-Version": "0.1.0",
            "User-Agent": f"steelyard/{__version__}",
        }
        message = self._snappy.compress(self._message(load, totals).SerializeToString())
        try:
            answer = self._requests.post(
                self.url, data=message, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False
            )
        except self._requests.RequestException as error:
            return type(error).__name__
        return "" if answer.ok else f"status {answer.status_code}"

    def _message(self, load: LoadLabels, totals: LoadTotals) -> Any:
        milliseconds = _unix_ns(totals.time_ns) // 1_000_000
        of_load = {"job": "steelyard", **_labels(load)}
        series = [
            self._types.TimeSeries(
                labels=[
                    self._types.Label(name=label, value=value)
                    for label, value in sorted({**of_load, **labels, "__name__": f"steelyard_{name}"}.items())
                ],
                samples=[self._types.Sample(value=value, timestamp=milliseconds)],
            )
            for name, labels, value in _series(totals)
        ]
        return self._remote.WriteRequest(timeseries=series)


def _series(totals: LoadTotals) -> Iterator[tuple[str, Mapping[str, str], float]]:
    """Name, labels and value of each series, with a histogram's buckets cumulated for Prometheus."""
    for name, points in _counters(totals).items():
        yield from ((f"{name.replace('.', '_')}_total", labels, value) for labels, value in points)
    yield _USERS, {}, totals.users
    bounds = (*(f"{bound:g}" for bound in BOUNDS), "+Inf")
    for bound, count in zip(bounds, itertools.accumulate(totals.buckets), strict=True):
        yield "response_time_seconds_bucket", {"le": bound}, count
    yield "response_time_seconds_sum", {}, totals.response_s
    yield "response_time_seconds_count", {}, sum(totals.buckets)


def _counters(totals: LoadTotals) -> dict[str, list[tuple[Mapping[str, str], int]]]:
    """The counters by name, each with its values and their labels."""
    return {
        _COMPLETED: [({"operation": operation}, count) for operation, count in totals.completed.items()],
        _FAILED: [
            ({"operation": operation, "kind": kind}, count) for (operation, kind), count in totals.failed.items()
        ],
    }


def _labels(load: LoadLabels) -> dict[str, str]:
    return {"service": load.service, "target": load.target, "run": load.run}


def _unix_ns(monotonic_ns: int) -> int:
    """An instant of CLOCK_MONOTONIC in ns since 1970, by the current difference of both clocks."""
    return time.time_ns() - time.monotonic_ns() + monotonic_ns


def _require_module(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ToolchainError(
            "the telemetry libraries are not installed here",
            hint="install Steelyard with them: steelyard[telemetry]",
        ) from None
