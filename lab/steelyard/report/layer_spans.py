"""Recorded requests as OpenTelemetry spans: a trace per request, a span per layer, in the lines of the file exporter.

OTLP 1 in JSON (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/): each line is a message of spans. Records hold
sums. A layer entered once is a span with its true start and end. A layer entered more often is one span from its first entry, as
long as the sum of its stays, with `steelyard.layer.summed` true. If a record does not determine the parent of a layer, its span
belongs to the innermost layer that was certainly open.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from .. import __version__
from ..base.csvfiles import write_lines
from ..results.request_columns import RequestRecord
from .layer_requests import RecordedRequests, ShownRequest

REQUESTS_A_LINE = 200
_INTERNAL, _SERVER, _CLIENT = 1, 2, 3  # SpanKind of OTLP
_CALLS = frozenset({"reads", "writes", "http"})  # layers that call another process and wait for it
_ERROR = 2  # StatusCode of OTLP


@dataclass(frozen=True, slots=True)
class LayerSpan:
    """A request's stay in a layer: its start after the request's and its duration in ns, and its parent layer.

    The parent is empty for the outermost layer. `summed`: several stays as one, from the first on.
    """

    tag: str
    parent: str
    first_ns: int
    duration_ns: int
    summed: bool

    def holds(self, begin_ns: int, end_ns: int) -> bool:
        """Whether the request was certainly in the layer between two instants, both relative to its start."""
        return not self.summed and self.first_ns <= begin_ns and end_ns <= self.first_ns + self.duration_ns


def layer_spans(record: RequestRecord) -> list[LayerSpan]:
    """The layers of a request, the outermost first."""
    spans: list[LayerSpan] = []
    for tag, time in record.layers.items():
        around = [span for span in spans if span.holds(time.first_ns, time.first_ns + time.total_ns)]
        # A request is always in the outermost layer, however often it entered that.
        summed = bool(spans) and time.entries > 1
        spans.append(LayerSpan(tag, around[-1].tag if around else "", time.first_ns, time.total_ns, summed))
    return spans


def write_spans(path: Path, recorded: RecordedRequests) -> tuple[int, int]:
    """Write the file as a whole, or keep the old one; returns the numbers of requests and spans. Raises StoreError."""
    write_lines(path, _lines(recorded))
    return len(recorded.requests), sum(len(request.record.layers) for request in recorded.requests)


def _lines(recorded: RecordedRequests) -> Iterator[str]:
    def owner_of(request: ShownRequest) -> tuple[int, str]:
        return int(request.place.get("trial", 0)), request.place.get("subject", "")

    for _, mine in groupby(sorted(recorded.requests, key=owner_of), owner_of):
        while some := list(islice(mine, REQUESTS_A_LINE)):
            yield json.dumps({"resourceSpans": [_resource_spans(recorded, some)]}, separators=(",", ":"))


def _resource_spans(recorded: RecordedRequests, requests: Sequence[ShownRequest]) -> dict[str, object]:
    """The spans of the requests of one subject in one trial."""
    first = requests[0]
    of_resource = {name: first.place[name] for name in ("trial", "subject") if name in first.place}
    resource = {
        "service.name": recorded.service,
        "service.instance.id": "/".join([recorded.name, *of_resource.values()]),
        "steelyard.recorded": recorded.name,
        "steelyard.clock": "read" if first.clock.read else "estimated",
        **{f"steelyard.{name}": value for name, value in of_resource.items()},
    }
    scope = {"name": "steelyard.monitor", "version": __version__}
    spans = [span for request in requests for span in _spans(recorded, request)]
    return {"resource": {"attributes": _attributes(resource)}, "scopeSpans": [{"scope": scope, "spans": spans}]}


def _spans(recorded: RecordedRequests, request: ShownRequest) -> Iterator[dict[str, object]]:
    record = request.record
    trace = _id(16, recorded.name, *request.place.values(), record.thread, record.begin_ns, record.total_ns)
    begun_ns = record.begin_ns + request.clock.offset_ns
    failed = "system" in (record.contexts_of(tag).get("fault") for tag in record.layers)
    for span in layer_spans(record):
        own, time = record.contexts_of(span.tag), record.layers[span.tag]
        attributes: dict[str, str | int | bool] = {
            "steelyard.layer": span.tag,
            "steelyard.layer.entries": time.entries,
            "steelyard.layer.total_ns": time.total_ns,
            "steelyard.layer.self_ns": time.self_ns,
            "steelyard.layer.summed": span.summed,
            **{f"steelyard.{span.tag}.{key}": value for key, value in own.items()},
        }
        if not span.parent:
            attributes["thread.id"] = record.thread
            attributes |= {f"steelyard.{name}": request.place[name] for name in ("cell", "slice") if request.place}
        kind = _CLIENT if span.tag in _CALLS else _INTERNAL
        name = own.get("name") if not span.summed else None  # of several stays only the name of the last is known
        yield {
            "traceId": trace,
            "spanId": _id(8, trace, span.tag),
            **({"parentSpanId": _id(8, trace, span.parent)} if span.parent else {}),
            "name": f"{span.tag} {name}" if name else span.tag,
            "kind": kind if span.parent else _SERVER,
            "startTimeUnixNano": str(begun_ns + span.first_ns),
            "endTimeUnixNano": str(begun_ns + span.first_ns + span.duration_ns),
            "attributes": _attributes(attributes),
            "status": {"code": _ERROR} if failed and (not span.parent or own.get("fault") == "system") else {},
        }


def _attributes(attributes: Mapping[str, str | int | bool]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: str | int | bool) -> dict[str, object]:
    """A value in protobuf's JSON, where a 64-bit integer is text."""
    if isinstance(value, bool):
        return {"boolValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _id(size: int, *words: object) -> str:
    """An identifier of so many bytes, in hexadecimal: the same for the same content."""
    return blake2b("\0".join(map(str, words)).encode(), digest_size=size).hexdigest()
