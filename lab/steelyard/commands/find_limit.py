"""`steelyard find-limit`: the greatest load at which a running service keeps a promise, and how it fails beyond."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ..base.errors import ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..base.text import range_text, value_text
from ..models.outputs import LimitOutput, LimitStage
from .load import (
    AuthKind,
    Body,
    Expect,
    Header,
    Method,
    Mix,
    Operation,
    Secret,
    SecretHeader,
    Seed,
    Timeout,
    User,
    Writes,
    asked_of,
    auth_of,
)
from .options import Json, Out, console

if TYPE_CHECKING:
    from ..loading.stages import Promised

commands = typer.Typer()


@commands.command(
    name="find-limit",
    epilog="Examples: steelyard find-limit shop --p95 200ms --errors 1%; steelyard find-limit shop --arrivals users --p99 1s; "
    "steelyard find-limit http://127.0.0.1:8080/orders --method POST --body @order.json --p95 200ms",
)
def find_limit(
    service: Annotated[
        str, typer.Argument(metavar="SERVICE|URL", help="A service that names its target, its folder, or a URL.")
    ],
    p50: Annotated[
        str | None, typer.Option(help="The promise: half of the requests are answered in this time.")
    ] = None,
    p95: Annotated[str | None, typer.Option(help="The promise: 95% of the requests are.")] = None,
    p99: Annotated[str | None, typer.Option(help="The promise: 99% of the requests are.")] = None,
    errors: Annotated[str | None, typer.Option(help="The promise: at most this share of requests fails.")] = None,
    arrivals: Annotated[
        str,
        typer.Option(
            help="poisson (at random, as independent users come) or constant: a rate; users: how many at once."
        ),
    ] = "poisson",
    within: Annotated[str, typer.Option(help="How long it may take: 3m.")] = "3m",
    operation: Operation = "",
    mix: Mix = "",
    method: Method = None,
    body: Body = None,
    header: Header = None,
    secret_header: SecretHeader = None,
    auth: AuthKind = None,
    user: User = "",
    secret: Secret = "",
    expect: Expect = None,
    writes: Writes = False,
    timeout: Timeout = "30s",
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """Find the greatest rate or number of users at which a running service keeps a promise, with an interval."""
    from ..loading import limits
    from ..loading import words as said

    load = said.LoadWords(
        operations=[name.strip() for name in operation.split(",") if name.strip()],
        mix=said.mix_of(mix),
        timeout_seconds=said.seconds_of(timeout),
        expect=said.expect_of(expect or []),
        headers=said.headers_of(header or []),
        writes=writes,
        seed=seed,
    )
    promised = promise_of({0.5: p50, 0.95: p95, 0.99: p99}, errors)
    wanted = limits.LimitWords(promised, arrivals, said.seconds_of(within), load)
    limits.require_words(wanted)
    asked = asked_of(service, load, method, body, auth_of(auth, user, secret))
    with Progress(console(), quiet=json) as progress:
        outcome = limits.find_limit(
            asked,
            wanted,
            said.headers_of(secret_header or []),
            out=out,
            command=["steelyard", *sys.argv[1:]],
            progress=progress,
        )
    print(outcome.model_dump_json()) if json else _say(outcome)
    if not outcome.valid:
        raise SteelyardError(f"the limit is not valid: {'; '.join(outcome.why_not)}", hint=f"see {outcome.run}")
    if outcome.limit.value is None:
        raise SteelyardError(f"no limit was found: {outcome.limit.why_not}", hint=f"see {outcome.run}")


def promise_of(times: dict[float, str | None], errors: str | None) -> Promised:
    """The promise that the options mean; raises ConfigurationError where they name two percentiles."""
    from ..loading import words as said
    from ..loading.stages import Promised

    goals = said.goals_of(times, errors)
    if len(goals.percentiles) > 1:
        raise ConfigurationError("a limit has one percentile", hint="give one of --p50, --p95 and --p99")
    share, most_ms = next(iter(goals.percentiles.items()), (None, None))
    return Promised(share, None if most_ms is None else most_ms / 1000, goals.errors)


def _say(outcome: LimitOutput) -> None:
    to = console(stderr=False)
    table = Table("stage", "answered/s", "slow", "failed", "kept", box=None, pad_edge=False)
    for stage in outcome.stages:
        table.add_row(*_cells(stage))
    to.print(table)
    interval = outcome.limit
    where = "none"
    if interval.value is not None and interval.low is not None and interval.high is not None:
        where = f"{value_text(interval.value)} {outcome.unit}, 95% interval {range_text((interval.low, interval.high))}"
    lines = [
        f"{outcome.service} at {outcome.target} keeps {' and '.join(outcome.promise)} up to: {where}",
        f"by {outcome.how}",
        f"beyond: {outcome.beyond}",
        *(f"not loaded: {left.what}: {left.why}" for left in outcome.not_loaded),
        *outcome.notes,
        f"run: {outcome.run}",
    ]
    for line in lines:
        to.print(line, highlight=False, markup=False)


def _cells(stage: LimitStage) -> list[str]:
    shares = [f"{share:.2%}" for share in (stage.slow, stage.failed)]
    return [stage.load, value_text(stage.answered_per_s), *shares, "yes" if stage.kept else "no"]
