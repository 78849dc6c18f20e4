"""What the benchmarks of the monitor make of their raw data, and when they say that it costs too much."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import bench
import cost
import pytest


def costs(clock: float, probe: float, monitor: float) -> dict[str, list[float]]:
    return {"clock": [clock] * 3, "kieker-probe": [probe] * 3, "monitor": [monitor] * 3}


@pytest.mark.parametrize(("monitor", "fits"), [(38, True), (42, False)])
def test_the_monitor_is_held_against_half_of_the_probe(monitor: float, fits: bool) -> None:
    probe, share = bench.judged(costs(20, 80, monitor))
    assert probe == "Kieker's probe" and (share <= bench.PROBE_SHARE) is fits


@pytest.mark.parametrize(("monitor", "fits"), [(59, True), (64, False)])
def test_where_the_clock_alone_is_more_than_half_what_stands_above_it_is_compared(monitor: float, fits: bool) -> None:
    probe, share = bench.judged(costs(44, 80, monitor))
    assert "above two readings of the clock" in probe and (share <= bench.PROBE_SHARE) is fits


def halves(added: float, spread: float) -> list[dict[str, str]]:
    draw, rows = random.Random(1), list[dict[str, str]]()
    for pair in range(40):
        level = draw.uniform(4e8, 6e8)  # the server grows slower and faster, which both halves share
        for on in (0, 1):
            cpu = level * (1 + on * added) * (1 + draw.gauss(0, spread))
            rows.append({"pair": str(pair), "on": str(on), "answered": "100", "cpu_ns": str(round(cpu))})
    return rows


@pytest.mark.parametrize("planted", [0.0, 0.005, 0.03])
def test_what_the_monitor_adds_is_found_within_its_interval(planted: float) -> None:
    mean, low, high = cost.added(halves(planted, 0.004))
    assert low < planted < high and low < mean < high
    assert high - low < 0.006


def test_the_page_is_made_of_the_raw_data_and_its_bound_is_that_of_few_crossings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = tmp_path / "flight.csv"
    monkeypatch.setattr(cost, "RAW", raw)
    few, many = cost.LOADS
    rows = [
        [load, row["pair"], row["on"], row["answered"], row["cpu_ns"], crossings]
        for load, added, crossings in ((few, 0.004, "12.0"), (many, 0.05, "150.0"))
        for row in halves(added, 0.001)
    ]
    with raw.open("w", newline="") as file:
        csv.writer(file).writerows([["requests", "pair", "on", "answered", "cpu_ns", "crossings"], *rows])
    setup = {"server": "tomcat-metro", "database": "H2", "rate": 20.0, "pairs": 40, "seconds": 8.0, "setup": "here"}
    raw.with_suffix(".json").write_text(json.dumps(setup))
    page, bound = cost.table()
    assert 0.004 < bound < 0.01 and f"| {few} | 12 |" in page and f"| {many} | 150 |" in page


def test_arrivals_are_poissons_and_the_same_for_both_halves() -> None:
    arrivals = cost.poisson(random.Random(7), 50.0, 100.0)
    assert len(arrivals) == pytest.approx(5000, rel=0.1) and arrivals == sorted(arrivals)
    assert arrivals == cost.poisson(random.Random(7), 50.0, 100.0)


def test_every_load_is_made_by_the_services_own_generator() -> None:
    for operation, permille, _ in cost.LOADS.values():
        made = cost.payloads(operation, permille)
        assert len(made) == (50 if operation else 100) and all(b"urn:steelyard:flight" in request for request in made)
