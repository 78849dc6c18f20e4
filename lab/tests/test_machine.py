"""The machine: its processors shared, its lock held by one, its troubles named."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from steelyard import cpus, doctor, observe, subject
from steelyard.errors import LockError
from steelyard.lock import machine_lock


@pytest.mark.parametrize(
    ("available", "server", "engine"),
    [([0], [0], [0]), ([0, 1], [0], [1]), ([0, 1, 2, 3], [0, 1, 2], [3]), (list(range(8)), [0, 1, 2, 3, 4, 5], [6, 7])],
)
def test_the_engine_has_processors_of_its_own_where_there_are_two(
    available: list[int], server: list[int], engine: list[int]
) -> None:
    shares = cpus.share(available)
    assert (shares.server, shares.engine) == (server, engine)
    assert shares.apart == (len(available) > 1)


def test_a_second_holder_is_refused_and_told_who_holds_the_machine(tmp_path: Path) -> None:
    place = tmp_path / "lock"
    with (
        machine_lock("steelyard run wstest", place),
        pytest.raises(LockError, match="`steelyard run wstest`, process"),
        machine_lock("another", place),
    ):
        pass


def test_a_dead_holder_keeps_nothing(tmp_path: Path) -> None:
    place = tmp_path / "lock"
    code = f"""
import os, pathlib
from steelyard.lock import machine_lock
with machine_lock("first", pathlib.Path({str(place)!r})):
    os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with machine_lock("second", place):
        pass


def test_processor_times_are_read_with_steal() -> None:
    times = observe.machine_times("cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 100 50 30 200 10 5 5 7 0 0\nintr 5\n")
    assert list(times) == [0]
    found = times[0]
    assert (found.user_s, found.system_s, found.idle_s, found.steal_s) == pytest.approx((1.5, 0.4, 2.1, 0.07))


@pytest.fixture
def stranger() -> Iterator[int]:
    """A busy process that is no descendant of ours: its parent ended."""
    code = f"{sys.executable} -c 'while True: pass' >/dev/null 2>&1 & echo $!"
    pid = int(subprocess.run(["sh", "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout)
    time.sleep(0.3)
    yield pid
    os.kill(pid, signal.SIGKILL)


def test_a_busy_stranger_is_named(stranger: int) -> None:
    check = {check.name: check for check in doctor.examine(0.5)}["other processes"]
    assert f"(process {stranger})" in check.found
    assert not check.good
    assert doctor.warnings([check]) == [f"other processes: {check.found}; {check.advice}"]


def test_a_busy_process_of_ours_is_not_a_stranger(stranger: int) -> None:
    check = {check.name: check for check in doctor.examine(0.5, ours=[stranger])}["other processes"]
    assert f"(process {stranger})" not in check.found


def test_a_port_that_somebody_listens_on_is_never_given() -> None:
    seed = 5
    port = subject.free_port(random.Random(seed))
    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", port))
        somebody.listen()
        assert subject.free_port(random.Random(seed)) != port
    assert subject.free_port(random.Random(seed)) == port
