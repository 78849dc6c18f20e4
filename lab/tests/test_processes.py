"""The resource use of processes between two readings, with processors that are switched on and off."""

from __future__ import annotations

from pathlib import Path

from steelyard.base.csvfiles import read_table
from steelyard.hosts.processes import Observer, Reading
from steelyard.hosts.processors import CpuTimes
from steelyard.results.tables import read_machine

IDLE = CpuTimes(1.0, 1.0, 8.0, 0.0)
LATER = CpuTimes(2.0, 1.0, 17.0, 0.0)


def test_a_processor_taken_offline_or_put_online_is_left_out_of_that_slice(tmp_path: Path) -> None:
    with Observer(tmp_path) as observer:
        observer.record(0, "go", Reading(0, {}, {0: IDLE, 1: IDLE}), Reading(1_000, {}, {0: LATER, 2: IDLE}))
    assert [row.whole("cpu") for row in read_table(tmp_path / "machine.csv", ("cpu",))] == [0]


def test_what_the_processors_of_another_machine_did_stands_under_its_name(tmp_path: Path) -> None:
    before = Reading(0, {}, {0: IDLE}, host="rack", theirs={0: IDLE, 1: IDLE})
    after = Reading(1_000, {}, {0: LATER}, host="rack", theirs={0: LATER, 1: LATER})
    with Observer(tmp_path) as observer:
        observer.record(3, "go", before, after)
    rows = read_machine(tmp_path / "machine.csv", may_be_cut=False)[3]
    assert [(row.host, row.cpu, row.user_s, row.idle_s) for row in rows] == [
        ("", 0, 1.0, 9.0),
        ("rack", 0, 1.0, 9.0),
        ("rack", 1, 1.0, 9.0),
    ]


def test_a_table_of_before_other_machines_were_looked_at_is_read_as_this_machines(tmp_path: Path) -> None:
    (tmp_path / "machine.csv").write_text("slice,cpu,user_s,system_s,idle_s,steal_s\n1,0,1,0,0,0\n")
    assert read_machine(tmp_path / "machine.csv", may_be_cut=False)[1][0].host == ""
