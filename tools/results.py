"""Writes what the kept runs' notes say of them, from their files: `python tools/results.py [--check]`.

A figure is read from the run. A sentence that reasons about figures stands in `notes/` with the condition under which it is true,
and where that no longer holds nothing is written: the sentence must be thought over.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from kept import ROOT, between, keep, kept_runs
from notes import MADE
from notes.kept_run import Kept, NoLongerTrueError
from steelyard.base.text import plural

RESULTS = ROOT / "docs" / "results"
PAGE = RESULTS / "README.md"


def calibration(folder: Path) -> str:
    """What is said of the calibration's forks."""
    found = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    return f"The forks were collected in {plural(len(found['sittings']), 'sitting')}."


def pages() -> Iterator[tuple[Path, str]]:
    """Each page with what stands between its marks made anew: the notes of every run, and what is said of the calibration."""
    for name, make in MADE.items():
        folder = kept_runs()[name]
        page = folder / "notes.md"
        marks = f"<!-- {name}: made by `make kept` from the run's own files -->", f"<!-- /{name} -->"
        yield page, between(page.read_text(encoding="utf-8"), *marks, make(Kept(folder)))
    marks = "<!-- calibration: made by `make kept` from docs/results/calibration -->", "<!-- /calibration -->"
    yield PAGE, between(PAGE.read_text(encoding="utf-8"), *marks, calibration(RESULTS / "calibration"))


def main() -> int:
    """Rewrite the pages, or with --check fail where one is stale, or says what a kept run does not bear out."""
    try:
        return max(keep(page, text, "`make kept`") for page, text in pages())
    except NoLongerTrueError as error:
        print(f"{Path(__file__).name} says what the kept run does not bear out any more: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
