"""What the programs of this package share: progress on the terminal, and exit codes."""

from __future__ import annotations

from collections.abc import Callable

from ..base.errors import SteelyardError
from ..base.progress import Progress
from ..base.terminal import console


def run_program(collect: Callable[[Progress], str], kept: str) -> int:
    """Print what `collect` returns. The exit code: 0, 130 where the user stopped it (`kept` says what is kept), or the error's."""
    terminal = console()
    try:
        with Progress(terminal) as progress:
            collected = collect(progress)
    except SteelyardError as error:
        terminal.print(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        terminal.print(f"stopped; {kept}")
        return 130
    terminal.print(collected)
    return 0
