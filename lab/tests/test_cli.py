"""What the command line does before any command: its version, and nothing that a user would wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from steelyard import __version__


def test_the_version_is_printed() -> None:
    steelyard = Path(sys.executable).with_name("steelyard")
    ran = subprocess.run([steelyard, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"steelyard {__version__}\n"


def test_what_takes_seconds_to_load_waits_for_a_command_that_needs_it() -> None:
    said = "import sys, steelyard.cli; print([name for name in ('scipy', 'altair') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout == "[]\n"
