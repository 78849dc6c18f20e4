"""A command's options are one object, and its --json output has the verdicts and their paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from steelyard.analyse import analysis
from steelyard.commands.options import ComparisonOptions, takes
from steelyard.commands.printing import run_output
from steelyard.measure.outcome import Outcome
from steelyard.models.outputs.run import RunOutput
from synthetic import Planted, write_run
from typer.testing import CliRunner

RUNNER = CliRunner()


@dataclass(frozen=True, kw_only=True)
class WeighOptions(ComparisonOptions):
    """Those of a comparison, with another default and an argument of its own."""

    goods: Annotated[list[str], typer.Argument(help="What is weighed.")]
    margin: Annotated[str, typer.Option(help="What counts as equal.")] = "7%"


def weigh(*words: str) -> tuple[int, list[WeighOptions]]:
    """The exit code of a command that takes such options, and the options that it was called with."""
    app, taken = typer.Typer(), []

    @app.command()
    @takes(WeighOptions)
    def weigh_goods(options: WeighOptions) -> None:
        taken.append(options)

    return RUNNER.invoke(app, words).exit_code, taken


def test_a_command_gets_its_options_as_one_object_with_the_defaults_of_the_nearest_class() -> None:
    assert weigh("flour", "salt", "--users", "3", "--out", "runs") == (
        0,
        [WeighOptions(goods=["flour", "salt"], users=3, out=Path("runs"), margin="7%", budget="15m", json=False)],
    )
    assert weigh("flour", "--margin", "1%")[1][0].margin == "1%"


@pytest.mark.parametrize("words", [("--users", "3"), ("flour", "--users", "0"), ("flour", "--weight", "3")])
def test_an_argument_that_is_missing_a_bound_that_is_passed_or_an_unknown_option_is_used_wrongly(
    words: tuple[str, ...],
) -> None:
    assert weigh(*words) == (2, [])


def test_what_run_prints_says_of_a_run_what_its_verdicts_say(tmp_path: Path) -> None:
    verdicts = analysis.analyse(write_run(tmp_path / "run", Planted(forks=3, pairs=3)))
    printed = run_output(Outcome(tmp_path / "run", verdicts, tmp_path / "report.html", ["trial 2 died"]))
    assert (printed.run, printed.report) == (str(tmp_path / "run"), str(tmp_path / "report.html"))
    assert printed.failures == ["trial 2 died"] and printed.comparisons and printed.figures
    shared = RunOutput.model_fields.keys() & verdicts.model_fields_set - {"run", "failures"}
    assert shared >= {"valid", "why_not", "sentence", "comparisons", "figures"}
    assert all(getattr(printed, name) == getattr(verdicts, name) for name in shared)


def test_a_run_in_which_nothing_was_measured_prints_why(tmp_path: Path) -> None:
    printed = run_output(Outcome(tmp_path, None, None, ["trial 1 died"]))
    assert not printed.valid and printed.why_not == printed.failures == ["trial 1 died"]
    assert printed.sentence == "nothing was measured" and printed.report is None and printed.comparisons == []
