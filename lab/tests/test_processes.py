"""What processes used between two looks, where processes and processors come and go between them."""

from __future__ import annotations

from pathlib import Path

from steelyard.base.csvfiles import read_table
from steelyard.observe.processes import CpuTimes, Observer, Reading
from steelyard.provision.keeper import ProcessUse

IDLE = CpuTimes(1.0, 1.0, 8.0, 0.0)
LATER = CpuTimes(2.0, 1.0, 17.0, 0.0)


def test_a_process_number_that_was_given_again_counts_from_nothing(tmp_path: Path) -> None:
    before = Reading(0, {"part1": [ProcessUse(7, "php", 9_000, 500, 1), ProcessUse(8, "php", 100, 0, 1)]}, {0: IDLE})
    after = Reading(1_000, {"part1": [ProcessUse(7, "php", 400, 30, 1), ProcessUse(8, "php", 250, 0, 1)]}, {0: LATER})
    with Observer(tmp_path) as observer:
        observer.record(0, "php", before, after)
    rows = list(read_table(tmp_path / "observations.csv", ("cpu_ns", "jit_ns")))
    assert [(row.whole("cpu_ns"), row.whole("jit_ns")) for row in rows] == [(400, 30), (150, 0)]


def test_a_processor_taken_offline_or_put_online_is_left_out_of_that_slice(tmp_path: Path) -> None:
    with Observer(tmp_path) as observer:
        observer.record(0, "go", Reading(0, {}, {0: IDLE, 1: IDLE}), Reading(1_000, {}, {0: LATER, 2: IDLE}))
    assert [row.whole("cpu") for row in read_table(tmp_path / "machine.csv", ("cpu",))] == [0]
