"""What the benchmarks of the monitor make of their raw data, and when they say that it costs too much."""

from __future__ import annotations

import csv
import http.client
import json
import random
from pathlib import Path

import asking
import beside
import cost
import overhead
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from spans_sink import SpansSink
from steelyard.statistics.interval import student_interval


def costs(clock: float, probe: float, monitor: float) -> dict[str, list[float]]:
    return {"clock": [clock] * 3, "kieker-probe": [probe] * 3, "monitor": [monitor] * 3}


@pytest.mark.parametrize(("monitor", "fits"), [(38, True), (42, False)])
def test_the_monitor_is_held_against_half_of_the_probe(monitor: float, fits: bool) -> None:
    probe, share = overhead.judged(costs(20, 80, monitor))
    assert probe == "Kieker's probe" and (share <= overhead.PROBE_SHARE) is fits


@pytest.mark.parametrize(("monitor", "fits"), [(59, True), (64, False)])
def test_where_the_clock_alone_is_more_than_half_what_stands_above_it_is_compared(monitor: float, fits: bool) -> None:
    probe, share = overhead.judged(costs(44, 80, monitor))
    assert "above two readings of the clock" in probe and (share <= overhead.PROBE_SHARE) is fits


def halves(added: float, spread: float, of_starts: float = 0.0) -> list[dict[str, str]]:
    """Eight starts of twenty pairs, in which the monitor adds a share that differs from start to start."""
    draw, rows = random.Random(1), list[dict[str, str]]()
    for start in range(8):
        own = added + draw.gauss(0, of_starts)
        for pair in range(20):
            level = draw.uniform(4e8, 6e8)  # the server grows slower and faster, which both halves share
            for on in (0, 1):
                cpu = round(level * (1 + on * own) * (1 + draw.gauss(0, spread)))
                row = {"start": start, "pair": pair, "on": on, "answered": 100, "cpu_ns": 2 * cpu, "serving_ns": cpu}
                rows.append({name: str(value) for name, value in row.items()})
    return rows


@pytest.mark.parametrize("planted", [0.0, 0.005, 0.03])
def test_what_the_monitor_adds_is_found_within_its_interval(planted: float) -> None:
    mean, low, high = cost.added(halves(planted, 0.004))
    assert low < planted < high and low < mean < high
    assert high - low < 0.006


def test_starts_that_differ_make_the_interval_wide_however_many_pairs_each_has() -> None:
    _, low, high = cost.added(halves(0.01, 0.001, of_starts=0.01))
    assert low < 0.01 < high and 0.008 < high - low < 0.04


def test_the_page_is_made_of_the_raw_data_and_its_bound_is_that_of_few_crossings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = tmp_path / "flight.csv"
    monkeypatch.setattr(cost, "RAW", raw)
    few, some, many = cost.LOADS
    rows = [
        [load, *row.values(), crossings]
        for load, added, crossings in ((few, 0.004, "12.0"), (some, 0.01, "40.0"), (many, 0.05, "150.0"))
        for row in halves(added, 0.001)
    ]
    with raw.open("w", newline="") as file:
        csv.writer(file).writerows([cost.HEADINGS, *rows])
    setup = {"server": "tomcat-metro", "database": "H2", "seconds": 8.0, "setup": "here"}
    raw.with_suffix(".json").write_text(json.dumps(setup))
    page, bound = cost.table()
    assert (
        0.004 < bound < 0.01 and f"| {few} | 500 | 12 | 8 | 20 |" in page and f"| {many} | 80 | 150 | 8 | 20 |" in page
    )


def test_arrivals_are_poissons_and_the_same_for_both_halves() -> None:
    arrivals = asking.poisson(random.Random(7), 50.0, 100.0)
    assert len(arrivals) == pytest.approx(5000, rel=0.1) and arrivals == sorted(arrivals)
    assert arrivals == asking.poisson(random.Random(7), 50.0, 100.0)


def test_every_load_is_made_by_the_services_own_generator() -> None:
    for load in cost.LOADS.values():
        made = asking.flight_requests(load.operation, load.permille)
        assert len(made) == (50 if load.operation else 100)
        assert all(b"urn:steelyard:flight" in request.body and request.path == "/flight/Flight" for request in made)


def turns(agent_ms: float, opentelemetry_ms: float, spread: float) -> list[list[object]]:
    """Six forks of ten rounds of a service that takes about 2 ms, and more where an agent is."""
    draw, rows = random.Random(2), list[list[object]]()
    ways = {"none": 0.0, "agent": agent_ms, "opentelemetry": opentelemetry_ms}
    for fork in range(1, 7):
        level = draw.uniform(1.9, 2.1)  # of a start, which all ways of a fork share
        for number in range(10):
            for way, more in ways.items():
                cpu_ms = (level + more) * (1 + draw.gauss(0, spread))
                rows.append(["books", fork, number, way, 100, round(cpu_ms * 1e8)])
    return rows


def kept(folder: Path, monkeypatch: pytest.MonkeyPatch, rows: list[list[object]]) -> Path:
    raw = folder / "beside.csv"
    monkeypatch.setattr(beside, "RAW", raw)
    monkeypatch.setattr(beside, "PAGE", folder / "beside.md")
    with raw.open("w", newline="") as file:
        csv.writer(file).writerows([beside.COLUMNS, *rows])
    setup = {"forks": 6, "rounds": 10, "seconds": 8.0, "rate": 20.0, "setup": "here", "version": "1"}
    raw.with_suffix(".json").write_text(json.dumps({**setup, "seen": {"books": {"crossings": 7.0, "spans": 5.0}}}))
    return raw


def test_what_an_agent_adds_beside_another_is_found_within_its_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path, monkeypatch, turns(0.06, 0.3, 0.004))
    page, bounds = beside.table()
    bound = bounds["books"]
    assert bound is not None and 0.2 < bound < beside.MOST
    assert "| books on Spring Boot | " in page and "| 7 | 5 |" in page


def test_where_nothing_is_told_from_nothing_there_is_no_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path, monkeypatch, turns(0.0, 0.0, 0.05))
    page, bounds = beside.table()
    assert bounds == {"books": None} and "not told from nothing" in page


def test_the_interval_of_a_ratio_is_wider_than_that_of_its_numerator_alone() -> None:
    ours, theirs = [1.0, 1.1, 0.9, 1.05], [4.0, 4.4, 3.5, 4.2]
    low, high = beside.fieller(ours, theirs)
    assert high is not None and low < 1.0125 / 4.025 < high
    exact = beside.fieller(ours, [4.0, 4.0, 4.0, 4.0])
    alone = student_interval(ours)
    assert exact[1] is not None
    assert (exact[0], exact[1]) == pytest.approx((alone.low / 4, alone.high / 4), abs=1e-4)


def test_a_page_that_its_raw_data_does_not_make_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path, monkeypatch, turns(0.06, 0.3, 0.004))
    for words, code in (("--table", 0), ("--check", 0)):
        monkeypatch.setattr("sys.argv", ["beside.py", words])
        assert beside.main() == code
    (tmp_path / "beside.md").write_text("other")
    assert beside.main() == 1 and "beside.py --table" in capsys.readouterr().out
    (tmp_path / "beside.md").unlink()
    assert beside.main() == 1


def test_spans_that_come_are_counted() -> None:
    spans = [ScopeSpans(spans=[Span(name="a"), Span(name="b")])]
    with SpansSink() as sink:
        for _ in range(3):
            message = ExportTraceServiceRequest(resource_spans=[ResourceSpans(scope_spans=spans)])
            connection = http.client.HTTPConnection("127.0.0.1", sink.port, timeout=10)
            connection.request("POST", "/v1/traces", message.SerializeToString())
            assert connection.getresponse().status == 200
            connection.close()
        assert sink.spans == 6
