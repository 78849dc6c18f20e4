"""`make calibrate-study`: forks for docs/results/calibration, in pieces of 20 minutes that may be stopped at any time."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from ..base import paths
from ..base.progress import Progress
from ..catalogue.subject_syntax import seconds_of
from .bank import Bank
from .collecting import Sitting, collect
from .keys import KEYS, key_of
from .program import run_program


def main() -> int:
    """Collect; 0 when all forks are stored or the budget is used, 130 when stopped, 1 on an error."""
    wishes = argparse.ArgumentParser(description=__doc__)
    wishes.add_argument(
        "--pair", default=KEYS[0].name, help=f"the pair to collect: {', '.join(key.name for key in KEYS)}"
    )
    wishes.add_argument("--budget", default="20m", help="the time limit of this piece; the next one continues")
    wishes.add_argument("--forks", type=int, help="complete forks to collect in total (default: the study's)")
    wishes.add_argument(
        "--banks", type=Path, default=paths.root() / "docs" / "results" / "calibration", help="the folder of all banks"
    )
    wishes.add_argument(
        "--work", type=Path, default=Path("runs") / "calibration", help="folder for the trials' large files"
    )
    wishes.add_argument("--seed", type=int, default=1)
    arguments = wishes.parse_args()
    signal.signal(signal.SIGTERM, _interrupt)

    def collect_forks(progress: Progress) -> str:
        key = key_of(arguments.pair)
        study, bank = key.study(), key.folder(arguments.banks)
        command = ["make", "calibrate-study", f"PAIR={key.name}"]
        forks, budget = arguments.forks or study.forks, seconds_of(arguments.budget)
        work = arguments.work.resolve() / key.name
        sitting = Sitting(study, bank, work, forks, budget, arguments.seed, command, levels_take_turns=True)
        banked = collect(sitting, progress, lambda so_far: progress.print_line(_line(so_far, sitting.forks)))
        return f"{len(banked.complete)} of {sitting.forks} forks are stored in {bank}"

    return run_program(collect_forks, "complete forks are stored, and the next call continues from there")


def _line(so_far: Bank, wanted: int) -> str:
    last = so_far.forks[-1]
    kept = len(so_far.complete)
    stages = f"start {last.start_seconds:.0f}, warm-up {last.warm_up_seconds:.0f}, measured {last.measured_seconds:.0f}"
    cost = f"{last.seconds:.0f} s ({stages}, rest {last.other_seconds:.0f})"
    return f"fork {last.fork}: {last.status} after {cost}; {kept} of {wanted}"


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
