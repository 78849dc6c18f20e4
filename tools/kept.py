"""Shared code of the tools that write pages: kept runs, a block between two marks, `--check`, and tables of runs with one
fork."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from steelyard.base.csvfiles import pack, packed_place, read_text

ROOT = Path(__file__).resolve().parent.parent
KEPT_RUNS = ("docs/results/*/raw.zip", "papers/*/results/*/raw.zip")
STEELYARD = Path(sys.executable).with_name("steelyard")


def kept_runs() -> dict[str, Path]:
    """The folders of all kept runs by name, sorted."""
    folders = {path.parent.name: path.parent for places in KEPT_RUNS for path in ROOT.glob(places)}
    return dict(sorted(folders.items()))


def between(page: str, begin: str, end: str, block: str) -> str:
    """The page with the block between its two marks replaced."""
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}\n\n{block}\n\n{end}{after}"


def keep(page: Path, new: str, how: str) -> int:
    """Write the page, or with --check report that it is stale and return 1; `how` is the command that updates it."""
    if "--check" not in sys.argv[1:]:
        page.write_text(new, encoding="utf-8")
        return 0
    stale = not page.is_file() or page.read_text(encoding="utf-8") != new
    if stale:
        print(f"{page.relative_to(ROOT)} is stale; {how} updates it", file=sys.stderr)
    return int(stale)


def wanted_runs() -> int | None:
    """N of `--collect N`."""
    return int(sys.argv[sys.argv.index("--collect") + 1]) if "--collect" in sys.argv[1:] else None


def run_one_fork(
    words: Sequence[str], to: Path, names: Sequence[str], environment: Mapping[str, str] | None = None
) -> None:
    """Run `steelyard run WORDS --forks 1`, and store the files `names` of its trial, packed, in the folder `to`.

    One fork gives no verdict, so the exit code is ignored; an incomplete trial is an error.
    """
    with TemporaryDirectory() as folder:
        command = [str(STEELYARD), "run", *words, "--forks", "1", "--out", folder]
        subprocess.run(command, check=False, env={**os.environ, **(environment or {})})
        (trial,) = Path(folder).glob("*/trials/01")
        to.mkdir(parents=True)
        for name in names:
            packed_place(to / name).write_bytes(pack((trial / name).read_bytes()))


def rows(path: Path) -> list[dict[str, str]]:
    """A table's rows, packed or not."""
    return list(csv.DictReader(io.StringIO(read_text(path), newline="")))


def measured(run: Path) -> list[dict[str, str]]:
    """The measured slices of a kept fork, in order."""
    return [row for row in rows(run / "slices.csv") if row["phase"] == "measure"]


def rate(row: Mapping[str, str]) -> float:
    """Right answers per second of a slice."""
    return int(row["completed"]) / int(row.get("measured_ns") or int(row["end_ns"]) - int(row["begin_ns"])) * 1e9
