"""Updates the command output in README.md and CONTRIBUTING.md from stored files: `python tools/readme.py [--check]`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from kept import ROOT, STEELYARD, between, keep
from rich.console import Console
from steelyard.commands import listing
from steelyard.models.outputs.catalogue import ServersOutput

README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
DEMO, CHECK, DRY_RUN = ("docs/results/demo", "docs/reference/servers.json", "studies/demo.toml")


def demo() -> str:
    """The output of `steelyard report` for the stored run, without the report's path."""
    with TemporaryDirectory() as folder:
        run = Path(folder) / "demo"
        shutil.copytree(ROOT / "docs" / "results" / "demo", run)
        said = subprocess.run([str(STEELYARD), "report", str(run)], capture_output=True, text=True, check=True).stdout
    lines = [line for line in said.splitlines() if not line.startswith("report: ")]
    return "\n".join(lines).strip("\n")


def check() -> str:
    """The output of `steelyard servers check go` from the stored results of all checks."""
    kept = ServersOutput.model_validate_json((ROOT / CHECK).read_text(encoding="utf-8"))
    (go,) = [row for row in kept.servers if row.name == "go"]
    console = Console(width=200, file=StringIO())
    console.print(listing.check_summary(go), highlight=False)
    listing.print_matrix([go], console)
    assert isinstance(console.file, StringIO)
    return f"$ uv run steelyard servers check go\n{console.file.getvalue().rstrip()}"


def dry_run() -> str:
    """The output of `steelyard run demo --dry-run`."""
    words = ["run", "demo", "--dry-run"]
    said = subprocess.run([str(STEELYARD), *words], capture_output=True, text=True, check=True).stdout
    return f"$ uv run steelyard {' '.join(words)}\n{said.rstrip()}"


def written(page: Path, name: str, source: str, said: str) -> str:
    """The page with a command's output between its marks."""
    block = "\n".join("    " + line.rstrip() if line.strip() else "" for line in said.splitlines())
    begin = f"<!-- {name}: made by `make readme` from {source} -->"
    return between(page.read_text(encoding="utf-8"), begin, f"<!-- /{name} -->", block)


def main() -> int:
    """Rewrite the pages, or with --check fail where one is stale."""
    stale = keep(README, written(README, "demo", DEMO, demo()), "`make readme`")
    stale |= keep(CONTRIBUTING, written(CONTRIBUTING, "check", CHECK, check()), "`make readme`")
    return stale | keep(CONTRIBUTING, written(CONTRIBUTING, "dry run", DRY_RUN, dry_run()), "`make readme`")


if __name__ == "__main__":
    sys.exit(main())
