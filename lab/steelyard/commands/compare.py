"""`steelyard compare`: servers, or one server under several settings, until it is decided or the budget is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError
from ..plan.settings import Request
from . import completing
from .compare_running import compared_running, is_running
from .examples import examples
from .options import ComparisonOptions, HostsFile, require_verdict, run_study, takes

if TYPE_CHECKING:
    from ..run.outcome import Outcome

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class CompareOptions(ComparisonOptions):
    """What `compare` is told."""

    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C ...]",
            help="Servers, each with settings: SERVER@FACTOR=VALUE; or two that run: URLs, or folders as ./shop.",
            autocompletion=completing.servers,
        ),
    ]
    margin: Annotated[str, typer.Option(help="The difference that counts as none.")] = "3%"
    hosts: HostsFile = None


@commands.command(
    short_help="Compare servers or settings until it is decided.",
    epilog=examples(
        "steelyard compare tomcat-metro tomcat-cxf --operation echoStruct --budget 10m",
        "steelyard compare tomcat-metro@heap=128m tomcat-metro@heap=512m",
        "steelyard compare go go",
        "steelyard compare http://127.0.0.1:8080/shop http://127.0.0.1:8081/shop --service shop",
    ),
)
@takes(CompareOptions)
def compare(options: CompareOptions) -> None:
    """Compare servers, or one server with itself under other settings, until it is decided or the budget is used."""
    if any(is_running(subject) for subject in options.subjects):
        if options.hosts is not None:
            raise ConfigurationError("what runs already stays where it is", hint="leave --hosts out")
        compared_running(options.subjects, options)
        return
    require_verdict(compared(options.subjects, options, options.hosts))


def compared(subjects: Sequence[str], options: ComparisonOptions, hosts: Path | None = None) -> Outcome:
    """Run the comparison that `compare` and `check` ask for; one of a server with itself is remembered.

    `subjects` are in the user's words, SERVER or SERVER@FACTOR=VALUE. Raises ConfigurationError where the options do not go
    together, and SteelyardError where the run cannot be made.
    """
    from ..catalogue import subject_syntax
    from ..catalogue.usual import operation_meant, service_meant
    from ..store import machine_history

    if options.users is not None and options.rate is not None:
        raise ConfigurationError("--users and --rate exclude each other", hint="a load is closed or open")
    study = subject_syntax.study_of(
        list(subjects),
        service_meant(options.service),
        operation_meant(service_meant(options.service), options.operation),
        rate=options.rate,
        budget_seconds=subject_syntax.seconds_of(options.budget),
        margin=subject_syntax.share_of(options.margin),
    )
    request = Request(
        users=options.users,
        pairs=options.pairs,
        slice_seconds=options.slice_seconds,
        warm_up_seconds=options.warm_up,
        seed=options.seed,
    )
    with TemporaryDirectory(prefix="steelyard-compare-") as folder:
        file = Path(folder) / "compare.toml"
        file.write_text(subject_syntax.text_of(study), encoding="utf-8")
        outcome = run_study(str(file), request, options.out, options.json, hosts)
    if hosts is None:  # what is known of this machine is of its loopback
        machine_history.remember_run(study, outcome.verdicts)
    return outcome
