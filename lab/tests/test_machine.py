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
from steelyard.base.errors import ConfigurationError, EngineError, LockError
from steelyard.base.lock import machine_lock
from steelyard.observe import doctor, processes
from steelyard.provision import cpus, subject


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


@pytest.mark.parametrize(
    ("cpuinfo", "said", "awake"),
    [
        ("flags\t\t: fpu hypervisor sse", "", True),
        ("flags\t\t: fpu hypervisor sse", "no", False),
        ("model name\t: hypervisor\nflags\t\t: fpu sse", "", False),
        ("flags\t\t: fpu sse", "yes", True),
    ],
)
def test_a_virtual_machines_processors_are_kept_awake_unless_the_user_says_otherwise(
    tmp_path: Path, cpuinfo: str, said: str, awake: bool
) -> None:
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    assert cpus.awake_wanted(said, tmp_path / "cpuinfo") is awake


def test_what_is_neither_yes_nor_no_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_AWAKE", "maybe")
    with pytest.raises(ConfigurationError, match="STEELYARD_AWAKE is 'maybe', but must be yes or no"):
        cpus.share()


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_processors_kept_awake_are_never_idle_and_what_kept_them_so_is_gone_after() -> None:
    (cpu, *_) = os.sched_getaffinity(0)
    with cpus.kept_awake(cpus.Shares([cpu], [cpu], awake=True)):
        before = processes.machine_times(Path("/proc/stat").read_text())[cpu]
        time.sleep(0.5)
        after = processes.machine_times(Path("/proc/stat").read_text())[cpu]
        kept = children()
    assert after.idle_s - before.idle_s < 0.1
    assert len(kept - children()) == 1


def test_a_processor_that_cannot_be_kept_awake_is_named() -> None:
    with (
        pytest.raises(EngineError, match=r"cannot be kept awake: .*processor 1000"),
        cpus.kept_awake(cpus.Shares([1000], [1000], awake=True)),
    ):
        pass


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
from steelyard.base.lock import machine_lock
with machine_lock("first", pathlib.Path({str(place)!r})):
    os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with machine_lock("second", place):
        pass


def test_processor_times_are_read_with_steal() -> None:
    times = processes.machine_times("cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 100 50 30 200 10 5 5 7 0 0\nintr 5\n")
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
