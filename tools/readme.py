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
from steelyard.calibration import bank, page_figures, values
from steelyard.calibration.keys import KEYS
from steelyard.commands import listing
from steelyard.models.outputs.catalogue import ServersOutput
from steelyard.statistics.redraws import Proportion

README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
DEMO, CHECK, DRY_RUN = ("docs/results/demo", "docs/reference/servers.json", "studies/demo.toml")
CALIBRATION = "docs/results/calibration"


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


def alarms() -> str:
    """How often a server was called different from itself: the usual way and Steelyard, each with its interval.

    The forks, and the rule for rounds beyond the budget, are those of docs/reference/calibration.md.
    """
    found = values.values_of(bank.read(ROOT / CALIBRATION), KEYS[0].fork_within)
    usual = page_figures.usual_benchmark_alarms(found.throughputs)
    ours = page_figures.shares([comparison.alarm for comparison in page_figures.as_measured(found.equal)])
    assert usual is not None and ours is not None
    return (
        "We compared one server with itself, where there is no difference. A t test over the slices of two runs called\n"
        f"{usual.count} of {usual.total} such comparisons different (95% interval {_interval(usual)}). "
        f"Steelyard called {ours.count} of {ours.total} different\n({_interval(ours)}), from the same measurements "
        "([calibration](docs/reference/calibration.md))."
    )


def _interval(share: Proportion) -> str:
    return f"{share.low:.0%} to {share.high:.0%}"


def indented(said: str) -> str:
    """A command's output as a block of code."""
    return "\n".join("    " + line.rstrip() if line.strip() else "" for line in said.splitlines())


def written(page: Path, name: str, source: str, block: str) -> str:
    """The page with the block between its marks."""
    begin = f"<!-- {name}: made by `make readme` from {source} -->"
    return between(page.read_text(encoding="utf-8"), begin, f"<!-- /{name} -->", block)


def main() -> int:
    """Rewrite the pages, or with --check fail where one is stale."""
    stale = 0
    for page, name, source, block in (
        (README, "alarms", CALIBRATION, alarms),
        (README, "demo", DEMO, lambda: indented(demo())),
        (CONTRIBUTING, "check", CHECK, lambda: indented(check())),
        (CONTRIBUTING, "dry run", DRY_RUN, lambda: indented(dry_run())),
    ):
        stale |= keep(page, written(page, name, source, block()), "`make readme`")
    return stale


if __name__ == "__main__":
    sys.exit(main())
