"""The process that drives a trial on a worker's machine, `python -m steelyard.cluster.one_trial FOLDER`.

It writes how it ended to a file.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from ..base import children
from ..base.csvfiles import read_document, write_document
from ..base.errors import LockError, SteelyardError
from ..base.progress import Progress
from ..base.terminal import console
from ..measure.handed import drive_handed
from ..measure.trial.context import TrialFailedError
from .handing import TrialEnd
from .worker import ENDED, ORDER, SAME


def drive(folder: Path) -> tuple[TrialEnd, str]:
    """Drive the trial in `folder` to its end, and write how it ended."""
    order = read_document(folder / ORDER)
    try:
        with Progress(console()) as progress:
            drive_handed(
                folder,
                read_document(folder / SAME),
                order["command"],
                progress,
                all_spellings=bool(order["all_spellings"]),
            )
    except TrialFailedError:
        pass  # a failed trial is a result, and is stored
    except LockError as error:
        return TrialEnd.BUSY, error.message
    except SteelyardError as error:
        return TrialEnd.UNFIT, error.message
    except OSError as error:
        return TrialEnd.UNFIT, str(error)
    return TrialEnd.DRIVEN, ""


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> int:
    """Exit code 0 wherever the ending could be written."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    folder = Path(sys.argv[1])
    try:
        outcome, message = drive(folder)
        write_document(folder / ENDED, {"outcome": outcome, "said": message})
    finally:
        children.end_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
