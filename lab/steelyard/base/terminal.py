"""The terminal: text is printed as it is, without markup or colours of its own."""

from __future__ import annotations

import sys

from rich.console import Console


def console(*, stderr: bool = True) -> Console:
    """The terminal: standard error for progress and errors, or standard output for data."""
    stream = sys.stderr if stderr else sys.stdout
    # In a pipe or a file no line is folded: a table row stays one line.
    width = None if stream.isatty() else 240
    return Console(stderr=stderr, width=width, highlight=False, markup=False)
