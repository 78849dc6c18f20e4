"""Comparisons: `compare`, the gate `check`, and what this machine can tell apart (`calibrate`)."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..plan import design
from .options import (
    BudgetTime,
    Json,
    OperationName,
    Out,
    Pairs,
    Rate,
    Seed,
    ServiceName,
    SliceSeconds,
    Users,
    WarmUp,
    console,
    require_verdict,
    run_study,
)

if TYPE_CHECKING:
    from ..run import main_job as running

commands = typer.Typer()


@commands.command(
    epilog="Examples: steelyard compare tomcat-metro tomcat-cxf --operation echoStruct --budget 10m; "
    "steelyard compare tomcat-metro@heap=128m tomcat-metro@heap=512m; steelyard compare go go"
)
def compare(
    subjects: Annotated[
        list[str], typer.Argument(metavar="A B [C ...]", help="Servers, each with settings: SERVER@FACTOR=VALUE.")
    ],
    service: ServiceName = "wstest",
    operation: OperationName = "echoStruct",
    users: Users = None,
    rate: Rate = None,
    budget: BudgetTime = "15m",
    margin: Annotated[str, typer.Option(help="The difference that counts as none.")] = "3%",
    pairs: Pairs = None,
    slice_seconds: SliceSeconds = None,
    warm_up: WarmUp = None,
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """Compare servers, or one server with itself under other settings, until it is decided or the budget is used."""
    request = design.Request(users=users, pairs=pairs, slice_seconds=slice_seconds, warm_up_seconds=warm_up, seed=seed)
    require_verdict(_compare(subjects, service, operation, rate, budget, margin, request, out, json))


@commands.command(
    epilog="Example: steelyard check tomcat-metro tomcat-metro@heap=128m --margin 5% --budget 15m. "
    "Exit codes: 0 no regression, 1 regression, 2 cannot tell."
)
def check(
    old: Annotated[str, typer.Argument(metavar="OLD", help="What was: SERVER or SERVER@FACTOR=VALUE.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is to be no slower.")],
    service: ServiceName = "wstest",
    operation: OperationName = "echoStruct",
    users: Users = None,
    rate: Rate = None,
    budget: BudgetTime = "15m",
    margin: Annotated[str, typer.Option(help="The slow-down that is still accepted.")] = "5%",
    pairs: Pairs = None,
    slice_seconds: SliceSeconds = None,
    warm_up: WarmUp = None,
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """A gate for continuous integration: both are built and run now, paired; junit.xml and summary.md go into the run's folder."""
    from . import gate

    try:
        request = design.Request(
            users=users, pairs=pairs, slice_seconds=slice_seconds, warm_up_seconds=warm_up, seed=seed
        )
        outcome = _compare([new, old], service, operation, rate, budget, margin, request, out, json)
    except SteelyardError as error:
        raise SteelyardError(f"cannot tell: {error.message}", error.hint, exit_code=gate.Gate.CANNOT_TELL) from None
    if outcome.verdicts is None:
        raise SteelyardError(f"cannot tell: {'; '.join(outcome.failures)}", exit_code=gate.Gate.CANNOT_TELL)
    (outcome.folder / "junit.xml").write_text(gate.junit(outcome.verdicts), encoding="utf-8")
    (outcome.folder / "summary.md").write_text(gate.summary(outcome.verdicts), encoding="utf-8")
    found = gate.judged(outcome.verdicts)
    console().print(f"{found.meaning}; junit.xml and summary.md are in {outcome.folder}", highlight=False, markup=False)
    raise typer.Exit(found)


@commands.command(
    epilog="Examples: steelyard calibrate; steelyard calibrate --server go --operation echoList --budget 30m"
)
def calibrate(
    server: Annotated[
        str | None,
        typer.Option(help="The server to measure against itself (default: that of the study `calibration`)."),
    ] = None,
    service: ServiceName = "wstest",
    operation: OperationName = "echoStruct",
    budget: BudgetTime = "15m",
    pairs: Annotated[
        int | None,
        typer.Option(min=3, max=1000, help="Rounds a fork, each with every planted slow-down (default: the study's)."),
    ] = None,
    slice_seconds: Annotated[
        float | None, typer.Option(min=0.2, max=60, help="Measured seconds of a slice (default: the study's).")
    ] = None,
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """Find out what this machine can tell apart: a server against itself, and against itself slowed down by 2, 5 and 20%.

    What is found is kept for this machine, and reports of later runs cite it. Ctrl-C keeps the forks that ended.
    """
    from ..calibration.calibrating import Wish, calibrate
    from ..catalogue import subject_syntax
    from . import printing

    wish = Wish(
        server=server,
        service=service,
        operation=operation,
        budget_seconds=subject_syntax.seconds_of(budget),
        pairs=pairs,
        slice_seconds=slice_seconds,
        seed=seed,
        out=(out or Path("runs")).resolve(),
        command=["steelyard", *sys.argv[1:]],
    )
    with Progress(console(), quiet=json) as progress:
        found = calibrate(wish, progress)
    if json:
        print(found.model_dump_json())
    else:
        printing.calibration(found, console(stderr=False))
    if found.stopped:
        raise KeyboardInterrupt


def _compare(
    subjects: list[str],
    service: str,
    operation: str,
    rate: float | None,
    budget: str,
    margin: str,
    request: design.Request,
    out: Path | None,
    json: bool,
) -> running.Outcome:
    """Run the comparison that the words of `compare` and `check` ask for; one of a server with itself is remembered."""
    from ..catalogue import subject_syntax
    from ..store import machine_history

    if request.users is not None and rate is not None:
        raise ConfigurationError("--users and --rate exclude each other", hint="a load is closed or open")
    study = subject_syntax.study_of(
        subjects,
        service,
        operation,
        rate=rate,
        budget_seconds=subject_syntax.seconds_of(budget),
        margin=subject_syntax.share_of(margin),
    )
    with TemporaryDirectory(prefix="steelyard-compare-") as folder:
        file = Path(folder) / "compare.toml"
        file.write_text(subject_syntax.text_of(study), encoding="utf-8")
        outcome = run_study(str(file), request, out, json)
    machine_history.remember_run(study, outcome.verdicts)
    return outcome
