"""The command line before any command: its version, and no slow imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from steelyard import __version__
from steelyard.cli import VERBS, program

RESULTS = Path(__file__).parents[2] / "docs" / "results"
# What takes longest to load, and runs no command that only reads a few small files.
SLOW = {"starlette", "uvicorn", "numpy", "scipy", "vl_convert", "xmlschema", "lxml", "hdrh", "jinja2", "ssl"}
LOADED = """
import sys
from steelyard.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def loaded(*words: str | Path, folder: Path | None = None) -> set[str]:
    """The modules that a command has loaded by its end."""
    command = [sys.executable, "-c", LOADED, *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert ran.returncode == 0 or words[0] == "doctor", ran.stderr  # which complains of most machines
    return set(ran.stderr.split())


def test_the_version_is_printed() -> None:
    steelyard = Path(sys.executable).with_name("steelyard")
    ran = subprocess.run([steelyard, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"steelyard {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        "--version",
        "--help",
        "servers",
        "servers --json",
        "studies",
        "services",
        "run wstest --dry-run",
        "run --help",
        "doctor",
    ],
)
def test_a_command_that_measures_nothing_loads_nothing_slow(words: str) -> None:
    assert loaded(*words.split()) & SLOW == set()


def test_each_command_is_in_the_module_that_the_table_names() -> None:
    assert list(commands_of(())) == list(VERBS)
    for name, module in VERBS.items():
        beside = {other for other, its in VERBS.items() if its == module}
        assert set(commands_of((name, "--help"))) == beside


def commands_of(words: tuple[str, ...]) -> dict[str, object]:
    """The commands of the program that a user's words begin."""
    found: dict[str, object] = typer.main.get_command(program(words)).commands  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("words", ["--version", "completion bash", "report --help"])
def test_a_command_loads_no_other_command_and_no_model(words: str) -> None:
    found = loaded(*words.split())
    mine = {VERBS[word] for word in words.split() if word in VERBS}
    others = {f"steelyard.commands.{module}" for module in set(VERBS.values()) - mine - {"completing"}}
    assert found & (others | {"steelyard.models.study", "steelyard.catalogue.entries"}) == set()


def test_a_report_loads_what_it_draws_with_and_nothing_that_starts_servers_or_reads_xml(tmp_path: Path) -> None:
    found = loaded("report", RESULTS / "demo", RESULTS / "demo", folder=tmp_path)
    assert "numpy" in found
    assert found & {"scipy.stats", "scipy.optimize", "xmlschema", "steelyard.measure.trial.trial"} == set()


def test_an_option_that_resembles_none_suggests_none_and_a_dry_run_promises_no_more_trials_than_its_budget() -> None:
    steelyard = Path(sys.executable).with_name("steelyard")
    unknown = [steelyard, "load", "http://127.0.0.1:9/", "--gatling"]
    ran = subprocess.run(unknown, capture_output=True, text=True, check=False)
    assert ran.returncode == 64 and "No such option: --gatling\n" in ran.stderr
    planned = [steelyard, "run", "demo", "--budget", "10s", "--dry-run"]
    ran = subprocess.run(planned, capture_output=True, text=True, check=True)
    assert "up to 6 trials" in ran.stdout
