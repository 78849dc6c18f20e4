"""Writes the notes of kept runs from their files: `python tools/results.py [--check]`.

Figures are read from the run. A sentence that interprets figures is in `notes/` with its condition; where that no longer holds
nothing is written, and the sentence must be reconsidered.
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
    """The sentence about the calibration's forks."""
    found = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    return f"The forks were collected in {plural(len(found['sittings']), 'session')}."


def pages() -> Iterator[tuple[Path, str]]:
    """Each page with its marked blocks updated: the notes of every run, and the calibration's."""
    for name, make in MADE.items():
        folder = kept_runs()[name]
        page = folder / "notes.md"
        marks = f"<!-- {name}: made by `make kept` from the run's own files -->", f"<!-- /{name} -->"
        yield page, between(page.read_text(encoding="utf-8"), *marks, make(Kept(folder)))
    marks = "<!-- calibration: made by `make kept` from docs/results/calibration -->", "<!-- /calibration -->"
    yield PAGE, between(PAGE.read_text(encoding="utf-8"), *marks, calibration(RESULTS / "calibration"))


def main() -> int:
    """Rewrite the pages, or with --check fail where one is stale or a run contradicts a sentence."""
    try:
        return max(keep(page, text, "`make kept`") for page, text in pages())
    except NoLongerTrueError as error:
        print(f"{Path(__file__).name} has a sentence that the kept run contradicts: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
