"""What processes used between two looks, where processors come and go between them."""

from __future__ import annotations

from pathlib import Path

from steelyard.base.csvfiles import read_table
from steelyard.observe.processes import Observer, Reading
from steelyard.observe.processors import CpuTimes

IDLE = CpuTimes(1.0, 1.0, 8.0, 0.0)
LATER = CpuTimes(2.0, 1.0, 17.0, 0.0)


def test_a_processor_taken_offline_or_put_online_is_left_out_of_that_slice(tmp_path: Path) -> None:
    with Observer(tmp_path) as observer:
        observer.record(0, "go", Reading(0, {}, {0: IDLE, 1: IDLE}), Reading(1_000, {}, {0: LATER, 2: IDLE}))
    assert [row.whole("cpu") for row in read_table(tmp_path / "machine.csv", ("cpu",))] == [0]
