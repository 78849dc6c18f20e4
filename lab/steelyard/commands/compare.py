"""`steelyard compare`: servers, or one server under several settings, until it is decided or the budget is used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError
from ..plan.settings import Request
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
    require_verdict,
    run_study,
)

if TYPE_CHECKING:
    from ..run.outcome import Outcome

commands = typer.Typer()


@commands.command(
    epilog="Examples: steelyard compare tomcat-metro tomcat-cxf --operation echoStruct --budget 10m; "
    "steelyard compare tomcat-metro@heap=128m tomcat-metro@heap=512m; steelyard compare go go"
)
def compare(
    subjects: Annotated[
        list[str], typer.Argument(metavar="A B [C ...]", help="Servers, each with settings: SERVER@FACTOR=VALUE.")
    ],
    service: ServiceName = None,
    operation: OperationName = None,
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
    request = Request(users=users, pairs=pairs, slice_seconds=slice_seconds, warm_up_seconds=warm_up, seed=seed)
    words = ComparedWords(subjects, service, operation, rate, budget, margin)
    require_verdict(compared(words, request, out, json))


@dataclass(frozen=True)
class ComparedWords:
    """What is compared, in the user's words: servers under a load, within a budget, and what difference counts as none."""

    subjects: list[str]
    service: str | None
    operation: str | None
    rate: float | None
    budget: str
    margin: str


def compared(words: ComparedWords, request: Request, out: Path | None, json: bool) -> Outcome:
    """Run the comparison that the words of `compare` and `check` ask for; one of a server with itself is remembered."""
    from ..catalogue import subject_syntax
    from ..catalogue.usual import operation_meant, service_meant
    from ..store import machine_history

    if request.users is not None and words.rate is not None:
        raise ConfigurationError("--users and --rate exclude each other", hint="a load is closed or open")
    study = subject_syntax.study_of(
        words.subjects,
        service_meant(words.service),
        operation_meant(service_meant(words.service), words.operation),
        rate=words.rate,
        budget_seconds=subject_syntax.seconds_of(words.budget),
        margin=subject_syntax.share_of(words.margin),
    )
    with TemporaryDirectory(prefix="steelyard-compare-") as folder:
        file = Path(folder) / "compare.toml"
        file.write_text(subject_syntax.text_of(study), encoding="utf-8")
        outcome = run_study(str(file), request, out, json)
    machine_history.remember_run(study, outcome.verdicts)
    return outcome
