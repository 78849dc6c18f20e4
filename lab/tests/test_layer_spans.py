"""Recorded requests as OpenTelemetry spans: OpenTelemetry's own code reads them, and each marks its sums."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from command import steelyard
from google.protobuf import json_format
from layered import files, observed
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status, TracesData
from steelyard.report.layer_spans import REQUESTS_A_LINE, layer_spans
from steelyard.results.layer_records import read_records
from steelyard.results.request_columns import LayerTime, RequestRecord
from synthetic import Planted, write_run

GO_OF_THE_COLLECTOR = (1, 26)
READER = Path(__file__).parent / "otlp_reader"
PLANTED = Planted(
    rates={"a": 60.0, "b": 50.0}, reference="b", cells={"search": 1.0}, forks=2, pairs=3, slice_seconds=2.0, users=2
)


def go_version() -> tuple[int, ...]:
    """Of the Go that is here; empty where there is none."""
    if shutil.which("go") is None:
        return ()
    told = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    return tuple(int(number) for number in re.findall(r"\d+", told)[:2])


def resource_spans(path: Path) -> list[Any]:
    """What OpenTelemetry's own messages make of the file: they know every field, and its identifiers are in base64 there."""
    found = []
    for line in path.read_text().splitlines():
        content = json.loads(line)
        for span in (
            one for spans in content["resourceSpans"] for scope in spans["scopeSpans"] for one in scope["spans"]
        ):
            for name in {"traceId", "spanId", "parentSpanId"} & set(span):
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
        found += json_format.ParseDict(content, TracesData()).resource_spans
    return found


def said(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


def spans_of(path: Path) -> list[Any]:
    return [span for spans in resource_spans(path) for scope in spans.scope_spans for span in scope.spans]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    (tmp_path / "records").mkdir()
    ran = steelyard("layers", str(files(tmp_path / "records")), "--otlp", "spans.jsonl", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("spans.jsonl: 50 requests, ") and "2 requests left out" in ran.err
    return tmp_path


def test_a_request_is_a_trace_whose_spans_are_the_layers_that_it_entered(written: Path) -> None:
    records = [one for one in read_records(written / "records").requests if not one.violations]
    by_trace: dict[bytes, list[Any]] = defaultdict(list)
    for span in spans_of(written / "spans.jsonl"):
        by_trace[span.trace_id].append(span)
    assert len(by_trace) == len(records) == 50
    assert Counter(len(mine) for mine in by_trace.values()) == Counter(len(one.layers) for one in records)
    for mine in by_trace.values():
        assert {len(span.trace_id) for span in mine} == {16} and {len(span.span_id) for span in mine} == {8}
        (root,) = (span for span in mine if not span.parent_span_id)
        assert root.kind == Span.SPAN_KIND_SERVER
        ids = {span.span_id for span in mine}
        assert len(ids) == len(mine) and all(span.parent_span_id in ids for span in mine if span is not root)
        for span in mine:
            assert root.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= root.end_time_unix_nano
        own = sum(said(span.attributes)["steelyard.layer.self_ns"] for span in mine)
        assert own == root.end_time_unix_nano - root.start_time_unix_nano


def test_a_span_says_where_it_is_several_stays_in_a_layer(written: Path) -> None:
    for span in spans_of(written / "spans.jsonl"):
        facts = said(span.attributes)
        assert facts["steelyard.layer.summed"] is (facts["steelyard.layer.entries"] > 1)
        assert span.end_time_unix_nano - span.start_time_unix_nano == facts["steelyard.layer.total_ns"]
        assert span.name.split()[0] == facts["steelyard.layer"]
        if facts["steelyard.layer.summed"]:
            assert span.name == facts["steelyard.layer"], "of several stays no one name is told"
    assert any(said(span.attributes)["steelyard.layer.summed"] for span in spans_of(written / "spans.jsonl"))


def record(contexts: dict[str, str] | None = None, **layers: LayerTime) -> RequestRecord:
    return RequestRecord(1, 1000, 0, layers, contexts or {})


def test_a_span_hangs_from_the_innermost_layer_that_was_open_for_certain() -> None:
    found = layer_spans(
        record(
            filter=LayerTime(1, 1000, 100, 0),
            si=LayerTime(2, 600, 100, 100),  # twice: nobody knows when it was left first
            hibernate=LayerTime(1, 300, 200, 200),
            reads=LayerTime(1, 100, 100, 250),
            http=LayerTime(1, 50, 50, 600),  # after hibernate was left
            writes=LayerTime(3, 290, 290, 300),  # longer than hibernate was open from then on
        )
    )
    assert {one.tag: one.parent for one in found} == {
        "filter": "", "si": "filter", "hibernate": "filter", "reads": "hibernate", "http": "filter", "writes": "filter",
    }  # fmt: skip
    assert [one.tag for one in found if one.summed] == ["si", "writes"]


def test_the_outermost_layer_is_one_stay_however_often_it_was_entered() -> None:
    (outermost, _) = layer_spans(record(filter=LayerTime(2, 1000, 900, 0), si=LayerTime(1, 100, 100, 10)))
    assert not outermost.summed and outermost.duration_ns == 1000


def test_a_runs_spans_say_where_they_were_measured_and_as_many_requests_stand_in_a_line_as_fit(tmp_path: Path) -> None:
    observed(tmp_path / "run", PLANTED)
    ran = steelyard("layers", "run", "--otlp", "spans.jsonl", folder=tmp_path)
    assert ran.code == 0 and ran.err == "", ran.err
    rows = steelyard("layers", "run", folder=tmp_path).out.splitlines()
    resources = resource_spans(tmp_path / "spans.jsonl")
    assert {said(one.resource.attributes)["service.instance.id"] for one in resources} == {
        f"run/{trial}/{subject}" for trial in (1, 2) for subject in "ab"
    }
    assert {said(one.resource.attributes)["steelyard.clock"] for one in resources} == {"estimated"}
    spans = [span for one in resources for scope in one.scope_spans for span in scope.spans]
    roots = [span for span in spans if not span.parent_span_id]
    assert len({span.trace_id for span in spans}) == len(roots) == len(rows) - 1
    assert {said(span.attributes)["steelyard.cell"] for span in roots} == {"search"}
    most = max(sum(not span.parent_span_id for scope in one.scope_spans for span in scope.spans) for one in resources)
    assert most <= REQUESTS_A_LINE


def test_a_run_whose_trial_read_both_clocks_has_spans_of_its_own_time(tmp_path: Path) -> None:
    folder, now_ns = observed(tmp_path / "run", PLANTED), time.time_ns()
    for path in folder.glob("trials/*/trial.json"):
        content = json.loads(path.read_text())
        path.write_text(json.dumps(content | {"clock_offset_ns": now_ns}))
    assert steelyard("layers", "run", "--otlp", "spans.jsonl", folder=tmp_path).code == 0
    rows = steelyard("layers", "run", folder=tmp_path).out.splitlines()
    begins = {int(row.split(",")[4]) + now_ns for row in rows[1:]}
    (resource, *_) = resource_spans(tmp_path / "spans.jsonl")
    assert said(resource.resource.attributes)["steelyard.clock"] == "read"
    roots = [span for span in spans_of(tmp_path / "spans.jsonl") if not span.parent_span_id]
    assert {span.start_time_unix_nano for span in roots} == begins


def test_a_process_that_read_both_clocks_at_its_end_has_spans_of_its_own_time(tmp_path: Path) -> None:
    (end,) = files(tmp_path).glob("*-end.json")
    begun_ns = min(one.begin_ns for one in read_records(tmp_path).requests if not one.violations)
    end.write_text(json.dumps(json.loads(end.read_text()) | {"ended_ns": begun_ns + 5, "ended_unix_ns": 10**18}))
    assert steelyard("layers", ".", "--otlp", "spans.jsonl", folder=tmp_path).code == 0
    begins = [span.start_time_unix_nano for span in spans_of(tmp_path / "spans.jsonl")]
    assert min(begins) == 10**18 - 5


def test_a_system_error_is_one_and_a_declared_fault_is_an_answer(tmp_path: Path) -> None:
    observed(tmp_path / "run", PLANTED)
    path = tmp_path / "run" / "trials" / "01" / "layers.csv"
    head, *rows = path.read_text().splitlines()
    faults = ["system", "application", ""]
    path.write_text(
        "\n".join([f"{head},context_si_fault", *(f"{row},{faults[n % 3]}" for n, row in enumerate(rows))]) + "\n"
    )
    assert steelyard("layers", "run", "--otlp", "spans.jsonl", folder=tmp_path).code == 0
    failed = [span for span in spans_of(tmp_path / "spans.jsonl") if span.status.code == Status.STATUS_CODE_ERROR]
    names = Counter(span.name for span in failed)
    assert set(names) == {"filter", "si"} and names["filter"] == names["si"]
    assert {said(span.attributes)["steelyard.si.fault"] for span in failed if span.name == "si"} == {"system"}


def test_two_exports_at_once_and_a_place_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    write_run(tmp_path / "bare", PLANTED)
    observed(tmp_path / "run", PLANTED)
    for words, why in (
        (("run", "--text", "--otlp", "a"), "two exports"),
        (("run", "--otlp", "no/where"), "cannot write"),
        (("bare", "--otlp", "a"), "has no records of layers"),
        (("nowhere", "--otlp", "a"), "is not a folder"),
    ):
        ran = steelyard("layers", *words, folder=tmp_path)
        assert ran.code != 0 and why in ran.err, ran.err
    assert not (tmp_path / "a").exists()


def test_the_collectors_own_reader_understands_every_span(written: Path) -> None:
    if go_version() < GO_OF_THE_COLLECTOR:
        pytest.skip("there is no Go here that the collector's library could be built with")
    reader = written / "otlp_reader"
    subprocess.run(["go", "build", "-o", reader, "."], cwd=READER, check=True, timeout=600)
    printed = subprocess.run([reader, written / "spans.jsonl"], check=True, capture_output=True, text=True, timeout=60)
    read = [json.loads(line) for line in printed.stdout.splitlines()]
    expected = spans_of(written / "spans.jsonl")
    assert [(one["Trace"], one["Span"], one["Parent"], one["Name"], one["Begin"], one["End"]) for one in read] == [
        (
            *(each.hex() for each in (span.trace_id, span.span_id, span.parent_span_id)),
            *(span.name, span.start_time_unix_nano, span.end_time_unix_nano),
        )
        for span in expected
    ]
    assert [one["Attributes"] for one in read] == [said(span.attributes) for span in expected]
    assert {one["Resource"]["service.name"] for one in read} == {"records"}
