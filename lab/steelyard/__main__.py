"""The entry point. It loads little, so that an interrupt while the command line loads, or after its end, prints nothing."""

from __future__ import annotations

import os
import signal
import sys

from .base.errors import INTERRUPTED

TYPE_CHECKING = False  # as type checkers read it; `typing` itself takes as long to load as all that is needed here
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn


def main() -> None:
    """Run the command line; an interrupt before it is loaded, or after its end, only sets the exit code."""
    _exit_at_interrupts()
    try:
        from . import cli

        cli.main()
    except KeyboardInterrupt:  # a second one, while the first still ends the command
        sys.exit(INTERRUPTED)
    finally:
        _exit_at_interrupts()


def _exit_at_interrupts() -> None:
    """Let each terminating signal end the process at once, except those that its starter ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _exit)


def _exit(_signal: int, _frame: FrameType | None) -> NoReturn:
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
