"""Writes the demonstration's output into README.md from the stored run docs/results/demo: `python tools/readme.py [--check]`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from kept import ROOT, STEELYARD, between, keep

README = ROOT / "README.md"
BEGIN, END = "<!-- demo: made by `make readme` from docs/results/demo -->", "<!-- /demo -->"


def output() -> str:
    """What `steelyard report` prints for the stored run, without the report's place."""
    with TemporaryDirectory() as folder:
        run = Path(folder) / "demo"
        shutil.copytree(ROOT / "docs" / "results" / "demo", run)
        said = subprocess.run([str(STEELYARD), "report", str(run)], capture_output=True, text=True, check=True).stdout
    lines = [line.rstrip() for line in said.splitlines() if not line.startswith("report: ")]
    return "\n".join(lines).strip("\n")


def main() -> int:
    """Rewrite README.md, or with --check fail where it is stale."""
    block = "\n".join("    " + line if line else "" for line in output().splitlines())
    return keep(README, between(README.read_text(encoding="utf-8"), BEGIN, END, block), "`make readme`")


if __name__ == "__main__":
    sys.exit(main())
