"""Every child process of the lab is registered at its start and ended with the lab, however the lab ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from living import is_there
from steelyard.base import children
from steelyard.hosts.cpus import Shares, kept_awake

FORGOTTEN = """
import subprocess, sys
from steelyard import cli
from steelyard.base import children
from steelyard.hosts.keeper import Keeper
from pathlib import Path
plain = children.start_child(lambda: subprocess.Popen(["sleep", "100"]))
kept = Keeper(["sh", "-c", "sleep 100 & sleep 100"], log=Path(sys.argv[1]))
print(plain.pid, *[used.pid for used in kept.use()], flush=True)
sys.argv = ["steelyard", "--version"]
cli.main()
"""


def test_what_nobody_ended_is_gone_when_the_command_has_exited(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", FORGOTTEN, str(tmp_path / "log")], capture_output=True, text=True, check=True
    ).stdout
    begun = [int(pid) for pid in said.splitlines()[0].split()]
    assert len(begun) >= 2
    assert [pid for pid in begun if is_there(pid)] == []


def test_an_interrupt_waits_until_what_must_not_be_cut_is_done() -> None:
    done = False
    with pytest.raises(KeyboardInterrupt), children.hold_interrupts():
        os.kill(os.getpid(), signal.SIGINT)
        done = True
    assert done


def test_after_ctrl_c_the_processors_are_let_halt_before_the_lab_goes_on() -> None:
    with pytest.raises(KeyboardInterrupt), kept_awake(Shares([0], [0], awake=[min(os.sched_getaffinity(0))])):
        process = children._begun[-1]
        process._sigint_wait_secs = 0  # type: ignore[union-attr]  # what Popen waits then, as if a busy machine had used it up
        raise KeyboardInterrupt
    assert process.returncode is not None


def test_a_short_command_that_takes_too_long_ends_with_what_it_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    # What it starts holds none of its pipes, so that nothing but a kill ends it with the command.
    script = f"sleep 100 <&- >&- 2>&- & echo $! > {note}; wait"
    with pytest.raises(subprocess.TimeoutExpired):
        children.run(["sh", "-c", script], seconds=2)
    deadline = 200
    while is_there(int(note.read_text())) and deadline:
        signal.sigtimedwait([], 0.1)
        deadline -= 1
    assert not is_there(int(note.read_text()))
