"""Long builds print progress, short ones print nothing, and the exit code is passed on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = [sys.executable, str(ROOT / "tools" / "patience.py"), "making it"]


def ran(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PATIENCE, *command], capture_output=True, text=True, check=False)


def test_a_command_that_takes_long_is_said_to_be_at_work_within_two_seconds() -> None:
    with subprocess.Popen([*PATIENCE, "sleep", "1000"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "making it (1 s)\n"
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        subprocess.run(["kill", *children], check=True)
        assert process.wait() == 128 + 15


@pytest.mark.parametrize("code", [0, 3])
def test_it_ends_as_the_command_ends_with_what_that_printed(code: int) -> None:
    done = ran("sh", "-c", f"echo done; exit {code}")
    assert (done.returncode, done.stdout) == (code, "done\n")


def test_the_makefile_builds_nothing_in_silence() -> None:
    recipes = [line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("\t")]
    silent = [line for line in recipes if "--quiet" in line and ("sync" in line or "pip install" in line)]
    assert len(silent) == 2
    assert all("tools/patience.py" in line for line in silent)
