"""Findings of the machine checks before each trial, as notes of a report."""

from __future__ import annotations

from collections.abc import Iterator

from ..base.text import label_names
from ..results.stored_run import Run

_MOST_LISTED = 8  # findings of one check
_LONGEST = 200  # characters of a finding


def machine_notes(run: Run) -> Iterator[str]:
    """One note per check, such as "other processes before trials 1, 3: backup 40%; before trial 2: make 198%"."""
    by_check: dict[str, dict[str, list[int]]] = {}
    for trial in run.trials:
        for check in trial.record_or_empty.machine:
            if not check.good:
                by_check.setdefault(check.name, {}).setdefault(check.found[:_LONGEST], []).append(trial.number)
    for name, seen in by_check.items():
        readings = [f"before {label_names('trial', numbers)}: {reading}" for reading, numbers in seen.items()]
        left = [number for numbers in list(seen.values())[_MOST_LISTED:] for number in numbers]
        more = [f"other findings before {label_names('trial', left)}"] if left else []
        yield f"{name} {'; '.join([*readings[:_MOST_LISTED], *more])}"
