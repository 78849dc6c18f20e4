"""`steelyard check`: a gate for continuous integration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ..base.csvfiles import write_text
from ..base.errors import ConfigurationError, SteelyardError
from ..catalogue.own_subjects import is_own
from .compare import compared
from .compare_urls import is_running
from .examples import examples
from .options import ComparisonOptions, console, takes

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class CheckOptions(ComparisonOptions):
    """What `check` is told."""

    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD", help="What was: SERVER or SERVER@FACTOR=VALUE; or your own folder, command line or jar."
        ),
    ]
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is to be no slower.")]
    margin: Annotated[str, typer.Option(help="The slow-down that is still accepted.")] = "5%"


@commands.command(
    short_help="Gate a change: is NEW slower than OLD? For CI.",
    epilog=examples(
        "steelyard check tomcat-metro tomcat-metro@heap=128m --margin 5% --budget 15m",
        more="Exit codes: 0 no regression, 1 regression, 2 cannot tell, 64 used wrongly.",
    ),
)
@takes(CheckOptions)
def check(options: CheckOptions) -> None:
    """A gate for continuous integration: both are built and run now, paired; junit.xml and summary.md go into the run's folder."""
    from . import gate

    for subject in (options.old, options.new):
        if is_running(subject) and not is_own(subject):
            raise ConfigurationError(
                f"{subject} is nothing that check can start",
                hint="`steelyard compare URL URL` prints the figures of two that run; a folder's service.toml says its start",
            )
    try:
        outcome = compared([options.new, options.old], options)
    except ConfigurationError:
        raise
    except SteelyardError as error:
        raise SteelyardError(f"cannot tell: {error.message}", error.hint, exit_code=gate.Gate.CANNOT_TELL) from None
    if outcome.verdicts is None:
        raise SteelyardError(f"cannot tell: {'; '.join(outcome.failures)}", exit_code=gate.Gate.CANNOT_TELL)
    write_text(outcome.folder / "junit.xml", gate.junit(outcome.verdicts))
    write_text(outcome.folder / "summary.md", gate.summary(outcome.verdicts))
    answer = gate.judged(outcome.verdicts)
    console().print(
        f"{answer.meaning}; junit.xml and summary.md are in {outcome.folder}", highlight=False, markup=False
    )
    raise typer.Exit(answer)
