"""Writes the demonstration's output into README.md from the stored run docs/results/demo: `python tools/readme.py [--check]`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BEGIN, END = "<!-- demo: made by `make readme` from docs/results/demo -->", "<!-- /demo -->"


def output() -> str:
    """What `steelyard report` prints for the stored run, without the report's place."""
    with TemporaryDirectory() as folder:
        run = Path(folder) / "demo"
        shutil.copytree(ROOT / "docs" / "results" / "demo", run)
        command = [str(Path(sys.executable).with_name("steelyard")), "report", str(run)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.rstrip() for line in said.splitlines() if not line.startswith("report: ")]
    return "\n".join(lines).strip("\n")


def written(readme: str) -> str:
    """The README with the block between its two marks made anew."""
    before, rest = readme.split(BEGIN)
    after = rest.split(END)[1]
    block = "\n".join("    " + line if line else "" for line in output().splitlines())
    return f"{before}{BEGIN}\n\n{block}\n\n{END}{after}"


def main() -> int:
    """Rewrite README.md, or with --check fail where it is stale."""
    old = README.read_text(encoding="utf-8")
    new = written(old)
    if "--check" in sys.argv[1:]:
        if new != old:
            print("README.md does not show what docs/results/demo says; `make readme` rewrites it", file=sys.stderr)
        return int(new != old)
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
