"""The result files of loads, limit searches, comparisons of running targets and calibrations."""

from __future__ import annotations

from itertools import count as numbers
from pathlib import Path

from ..base.errors import StoreError
from .outcomes import OUTCOMES, OutcomeRow, read_outcomes

LOAD = "load.json"
LIMIT = "limit.json"
COMPARISON = "comparison.json"
CALIBRATION = "calibration.json"
VERIFICATION = "verification"  # the folder of what an engine wrote when it asked for each operation once


def verification_outcomes(folder: Path) -> list[OutcomeRow]:
    """How the requests of a load's verification ended; none of runs that have no such table. Raises StoreError."""
    by_slice = read_outcomes(folder / VERIFICATION / OUTCOMES, True)
    return [row for rows in by_slice.values() for row in rows]


def require_place(out: Path) -> None:
    """Raises StoreError if a folder cannot be made in `out`."""
    if not next(place for place in (out, *out.absolute().parents) if place.exists()).is_dir():
        raise StoreError(f"a run's folder in {out} cannot be made: Not a directory", hint="--out names another place")


def make_run_folder(wanted: Path) -> Path:
    """A new folder with this name, or with a number appended if it exists; raises StoreError."""
    for number in numbers(1):
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            if not folder.is_dir():
                break
        except OSError as error:
            raise StoreError(
                f"the run's folder {folder} cannot be made: {error.strerror}", hint="--out names another place"
            ) from None
    raise StoreError(f"the run's folder {wanted} cannot be made: a file is there", hint="--out names another place")
