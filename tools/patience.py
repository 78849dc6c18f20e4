"""Runs a long command without output, and prints progress: `python3 tools/patience.py WORDS COMMAND ...`.

A command that ends within a second prints nothing. It needs only Python.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TextIO

SAID_AFTER_SECONDS = 1.0
AGAIN_SECONDS = 15.0  # seconds between lines without a terminal; a terminal counts in place


def run(words: str, command: Sequence[str], said: TextIO) -> int:
    """The exit code of `command`; `words`, with the elapsed time, go to `said` while it runs."""
    begun = time.monotonic()
    step = 1.0 if said.isatty() else AGAIN_SECONDS
    begin, end = ("\r", "") if said.isatty() else ("", "\n")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        wait = SAID_AFTER_SECONDS
        while True:
            try:
                code = process.wait(wait)
                break
            except subprocess.TimeoutExpired:
                print(f"{begin}{words} ({time.monotonic() - begun:.0f} s)", file=said, end=end, flush=True)
                wait = step
            except KeyboardInterrupt:  # the command got it, too
                code = process.wait()
                break
    if said.isatty() and time.monotonic() - begun > SAID_AFTER_SECONDS:
        print(file=said)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:], sys.stderr))
