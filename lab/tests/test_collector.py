"""The collector's log: pauses and allocation by the clock that slices have, of each of HotSpot's collectors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from steelyard.analyse.sources import SOURCES
from steelyard.results.collector_log import by_another_clock, collector_log_of, parse, read_collector_logs
from steelyard.results.stored_run import read_run
from synthetic import Planted, write_run

G1 = """\
[1000000000ns][gc,init     ] Version: 25
[1000000500ns][gc          ] Using G1
[3000000000ns][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)
[3000100000ns][gc,phases   ] GC(0)   Evacuate Collection Set: 1.8ms
[3002000000ns][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 15M->1M(64M) 2.000ms
[5001000000ns][gc          ] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 29M->2M(64M) 1.000ms
[5002000000ns][gc          ] GC(2) Concurrent Mark Cycle
[5004000000ns][gc          ] GC(2) Pause Remark 2M->2M(64M) 0.500ms
[5005000000ns][gc          ] GC(2) Concurrent Mark Cycle 3.000ms
"""
SERIAL = "[1ns][gc] Using Serial\n[9000000ns][gc          ] GC(0) Pause Full (System.gc()) 1024K->512K(61M) 3.000ms\n"
Z = """\
[1ns][gc,init] Initializing The Z Garbage Collector
[2000000ns][gc,phases   ] GC(0) Y: Pause Mark Start (Major) 0.040ms
[3000000ns][gc,phases   ] GC(0) O: Pause Mark End 0.014ms
[4000000ns][gc          ] GC(0) Major Collection (Warmup) 10M(16%)->14M(22%) 0.020s
"""


@pytest.mark.parametrize(
    ("text", "pauses"), [(G1, 3), (SERIAL, 1), (Z, 2), ("", 0), ("no log\n[1ns][gc] GC(0) Pau", 0)]
)
def test_pauses_of_every_collector_are_found(text: str, pauses: int) -> None:
    assert len(parse(text).pauses) == pauses


def test_a_pause_begins_before_it_is_logged() -> None:
    log = parse(G1)
    assert log.collector == "G1"
    assert (log.pauses[0].begin_ns, log.pauses[0].end_ns) == (3_000_000_000, 3_002_000_000)


def test_a_part_of_a_pause_counts_for_the_part_of_time_it_lies_in() -> None:
    log = parse(G1)
    assert log.paused_ns(3_001_000_000, 4_000_000_000) == 1_000_000
    assert log.paused_ns(0, 3_000_000_000) == 0
    assert log.paused_ns(0, 6_000_000_000) == 3_500_000


def test_what_was_allocated_between_two_collections_is_spread_over_the_time_between() -> None:
    log = parse(G1)
    between = log.allocated_bytes(3_002_000_000, 5_001_000_000)
    assert between == pytest.approx(28 * 2**20)
    assert log.allocated_bytes(3_002_000_000, 4_001_500_000) == pytest.approx(between / 2)


@pytest.mark.parametrize("text", [G1, SERIAL, Z])
def test_a_log_by_another_clock_says_the_same_at_other_instants(text: str) -> None:
    log, later = parse(text), parse(by_another_clock(text, lambda instant: instant + 7_000))
    assert later.collector == log.collector
    assert [replace(pause, begin_ns=pause.begin_ns - 7_000) for pause in later.pauses] == list(log.pauses)
    assert [(instant - 7_000, bytes_) for instant, bytes_ in later.allocated] == list(log.allocated)


def test_a_measure_draws_on_the_logs_of_the_slices_own_subject(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Planted(rates={"a": 60.0, "b": 50.0}, reference="b", forks=2, pairs=3))
    trial = folder / "trials" / "01"
    first = read_run(folder).trials[0]
    number = next(number for number, row in first.slices.items() if row.subject == "a")
    at = first.slices[number].begin_ns + 5_000_000
    collector_log_of(trial, "a", "server").write_text(
        f"[{at}ns][gc] GC(0) Pause Young (Normal) (x) 9M->1M(64M) 2.000ms\n"
    )
    again = read_run(folder).trials[0]
    assert set(read_collector_logs(trial)) == {"a.server"}
    of_slice = SOURCES["collector"].of_slice
    assert of_slice(again, number)["gc_pauses"] == 1
    assert of_slice(again, number)["gc_pause_ns"] == of_slice(again, number)["gc_longest_pause_ns"] == 2_000_000
    other = next(number for number, row in again.slices.items() if row.subject == "b")
    assert of_slice(again, other) == {}
