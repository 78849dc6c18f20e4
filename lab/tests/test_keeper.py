"""The client of the keeper: it reports a command's exit from any parent process, and names processes that could not be ended."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from living import is_there
from steelyard.base.errors import KeeperError
from steelyard.hosts import keeper
from steelyard.hosts.keeper import Keeper

_PTRACE_SEIZE = 0x4206
_WALL = 0x40000000

DEAF = """
import signal, subprocess, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from steelyard import cli
sys.argv = ["steelyard", "--version"]
try:
    cli.main()
except SystemExit:
    print(subprocess.run(["false"]).returncode)
"""


def test_a_program_that_fails_is_seen_to_fail_although_our_starter_ignored_the_ends_of_children() -> None:
    said = subprocess.run([sys.executable, "-c", DEAF], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "1"


def test_a_process_that_could_not_be_ended_is_named(tmp_path: Path) -> None:
    # A tracer that takes no note of its end keeps it from being gone.
    with (
        pytest.raises(KeeperError, match=r"process \d+ \(sleep\) in state Z") as refused,
        Keeper(["sleep", "100"], log=tmp_path / "log") as kept,
    ):
        assert ctypes.CDLL(None).ptrace(_PTRACE_SEIZE, kept.pid, 0, 0) == 0
    os.waitpid(kept.pid, _WALL)
    assert f"process {kept.pid} " in refused.value.message


def test_each_process_is_told_with_its_start(tmp_path: Path) -> None:
    with Keeper(["sleep", "100"], log=tmp_path / "log") as kept:
        [used] = kept.use()
        stat = Path(f"/proc/{kept.pid}/stat").read_text()
    assert used.start_ticks == int(stat.rpartition(")")[2].split()[19])
    deadline = time.monotonic() + 30
    while Path(f"/proc/{kept.pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{kept.pid}").exists()


def test_where_the_guard_must_be_killed_all_that_was_kept_is_gone_when_the_lab_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "_GUARD_SECONDS", 4.0)
    kept = Keeper(["sleep", "100"], log=tmp_path / "log")
    guard = kept._process.pid
    below = int(Path(f"/proc/{guard}/task/{guard}/children").read_text().split()[0])
    os.kill(guard, signal.SIGSTOP)
    os.kill(below, signal.SIGSTOP)

    def go_on_late() -> None:
        while is_there(guard):
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(below, signal.SIGCONT)

    late = threading.Thread(target=go_on_late)
    late.start()
    kept.kill()
    assert not is_there(kept.pid)
    late.join()


def test_a_second_interrupt_does_not_keep_the_lab_from_waiting_for_what_it_ends(tmp_path: Path) -> None:
    kept = Keeper(["sleep", "100"], log=tmp_path / "log")
    guard = kept._process.pid
    os.kill(guard, signal.SIGSTOP)

    def interrupt() -> None:
        while is_there(kept.pid):  # the keeper below the guard has begun to end all: the lab waits for the guard
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
        os.kill(guard, signal.SIGCONT)

    impatient = threading.Thread(target=interrupt)
    impatient.start()
    with pytest.raises(KeyboardInterrupt):
        kept.kill()
    assert not is_there(guard)
    impatient.join()
