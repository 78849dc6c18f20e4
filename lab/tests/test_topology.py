"""Placement by topology: processors of one NUMA node and of one kind of core where they fit, on machines of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from steelyard.hosts import cpus
from steelyard.hosts.topology import Topology, parse_list, read_topology


def machine(
    root: Path,
    siblings: Mapping[str, int],
    nodes: Mapping[int, str] | None = None,
    slow: str = "",
    capacities: Mapping[str, int] | None = None,
) -> int:
    """A machine below `root`, with so many processors: `siblings` are lists of processors, each cut into cores of so many threads
    that follow each other; `nodes` are lists by NUMA node, `slow` those of Intel's slower kind, `capacities` those of Arm."""
    count = 0
    for listed, threads in siblings.items():
        members = list(parse_list(listed))
        for place, cpu in enumerate(members):
            first = members[place // threads * threads]
            folder = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
            folder.mkdir(parents=True)
            (folder / "thread_siblings_list").write_text(f"{first}-{first + threads - 1}\n")
            count += 1
    for node, listed in (nodes or {}).items():
        folder = root / f"sys/devices/system/node/node{node}"
        folder.mkdir(parents=True)
        (folder / "cpulist").write_text(f"{listed}\n")
    if slow:
        (root / "sys/devices/cpu_atom").mkdir(parents=True)
        (root / "sys/devices/cpu_atom/cpus").write_text(f"{slow}\n")
    for listed, capacity in (capacities or {}).items():
        for cpu in parse_list(listed):
            (root / f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity").write_text(f"{capacity}\n")
    return count


def placed(root: Path, count: int) -> tuple[list[int], list[int], str]:
    """The processors of the servers and of the engine, and the sentence about their placement."""
    shares = cpus.share(range(count), root)
    return shares.server, shares.engine, shares.placement


def spread(listed: str) -> list[int]:
    return list(parse_list(listed))


def test_16_processors_of_one_node_and_kind_need_no_word(tmp_path: Path) -> None:
    assert placed(tmp_path, machine(tmp_path, {"0-15": 1}, {0: "0-15"})) == (spread("0-11"), spread("12-15"), "")


def test_64_processors_of_two_nodes_give_the_engine_the_last_of_one_node(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-63": 1}, {0: "0-31", 1: "32-63"})
    assert placed(tmp_path, count) == (spread("0-47"), spread("48-63"), "NUMA nodes 0, 1")


def test_nodes_whose_processors_interleave_are_taken_one_after_the_other(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-15": 1}, {0: "0,2,4,6,8,10,12,14", 1: "1,3,5,7,9,11,13,15"})
    server, engine, said = placed(tmp_path, count)
    assert engine == [9, 11, 13, 15] and set(server).isdisjoint(engine) and said == "NUMA nodes 0, 1"


@pytest.mark.parametrize(("wanted", "chosen"), [(1, "0"), (8, "0-7"), (32, "0-31"), (33, "0-32"), (48, "0-47")])
def test_a_subject_has_processors_of_one_node_where_they_fit(tmp_path: Path, wanted: int, chosen: str) -> None:
    count = machine(tmp_path, {"0-63": 1}, {0: "0-31", 1: "32-63"})
    server = cpus.share(range(count), tmp_path).server
    assert read_topology(server, tmp_path).choose(wanted, server) == spread(chosen)


def test_a_small_first_node_is_passed_over_for_one_that_holds_all(tmp_path: Path) -> None:
    machine(tmp_path, {"0-11": 1}, {0: "0-3", 1: "4-11"})
    topology = read_topology(range(12), tmp_path)
    assert topology.choose(4, range(12)) == [0, 1, 2, 3]
    assert topology.choose(6, range(12)) == [4, 5, 6, 7, 8, 9]
    assert topology.describe([4, 5]) == "NUMA node 1"


def test_a_hybrid_processors_slow_cores_are_the_engines(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-15": 2, "16-23": 1}, slow="16-23")
    assert placed(tmp_path, count) == (spread("0-15"), spread("16-23"), "performance cores")


def test_few_slow_cores_are_filled_up_with_fast_ones_for_the_engine(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-11": 2, "12-15": 1}, slow="12-13")
    assert placed(tmp_path, count) == (spread("0-11"), spread("12-15"), "performance cores")


def test_arms_slow_cores_come_first_by_number_and_last_by_capacity(tmp_path: Path) -> None:
    count = machine(tmp_path, {"0-7": 1}, capacities={"0-3": 446, "4-7": 1024})
    assert placed(tmp_path, count) == (spread("4-7"), spread("0-3"), "performance cores")


def test_more_processors_than_a_kind_has_are_of_both_and_it_is_said() -> None:
    topology = Topology(dict.fromkeys(range(6), 0), {0: 0, 1: 0, 2: 1, 3: 1, 4: 1, 5: 1})
    assert topology.choose(2, range(6)) == [0, 1]
    assert topology.choose(3, range(6)) == [2, 3, 4]
    assert topology.choose(5, range(6)) == [0, 1, 2, 3, 4]
    assert topology.describe([0, 1, 2]) == "performance and efficiency cores"


def test_a_machine_that_does_not_tell_has_one_node_and_one_kind(tmp_path: Path) -> None:
    topology = read_topology(range(4), tmp_path)
    assert topology.choose(3, [3, 2, 1, 0]) == [3, 2, 1]
    assert topology.describe(range(4)) == ""
