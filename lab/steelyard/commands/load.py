"""`steelyard load`: load on a service that runs already, by its folder or by its URL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ..base.errors import ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..base.text import range_text, value_text
from ..catalogue import entries
from ..models.outputs import Estimate, LoadOutput
from ..models.service import Auth
from .options import Json, Out, console

if TYPE_CHECKING:
    from ..loading.asked import Asked
    from ..loading.words import LoadWords

commands = typer.Typer()

Method = Annotated[
    str | None, typer.Option(help="Of a URL: GET, or POST where there is a body, unless another is given.")
]
Body = Annotated[
    str | None,
    typer.Option(metavar="@FILE|TEXT", help="Of a URL: the request's body, or @ and the file that holds it."),
]
Operation = Annotated[str, typer.Option(help="Operations to load, separated by commas (default: all).")]
Mix = Annotated[str, typer.Option(help="Weights: OPERATION=3,OPERATION=1.")]
Think = Annotated[str, typer.Option(help="A user's pause after an answer: 2s, or 1s..4s.")]
Header = Annotated[
    list[str] | None, typer.Option(metavar="'NAME: VALUE'", help="A header of every request; repeatable.")
]
SecretHeader = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'NAME: env:VARIABLE|file:PATH'", help="A header whose value is nobody's business; repeatable."
    ),
]
AuthKind = Annotated[
    str | None, typer.Option(help="Who asks: basic, bearer, password or password-digest (WS-Security).")
]
User = Annotated[str, typer.Option(help="The user's name that goes with --auth.")]
Secret = Annotated[
    str, typer.Option(metavar="env:VARIABLE|file:PATH", help="Where the password or token of --auth is.")
]
Expect = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RULE",
        help="status=200, fault=absent, length=10..999, contains=TEXT, matches=REGEX; on kept answers xpath=PATH, jsonpath=PATH, "
        "schema; repeatable.",
    ),
]
Writes = Annotated[bool, typer.Option("--writes", help="Load operations that change data, too.")]
Packed = Annotated[bool, typer.Option("--gzip", help="Let answers come packed (gzip or deflate).")]
Chunked = Annotated[bool, typer.Option("--chunked", help="Send bodies in chunks.")]
Timeout = Annotated[str, typer.Option(help="What has no answer after this time has failed.")]
GiveUp = Annotated[str, typer.Option(help="Stop once the target has failed wholly for this time.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Feeds every random choice.")]


@commands.command(
    epilog="Examples: steelyard load shop --users 4 --for 10s; steelyard load shop --users 1..40 --over 5m --profile ramp; "
    "steelyard load http://127.0.0.1:8080/orders --method POST --body @order.json --rate 200/s --poisson --p95 200ms --errors 1%"
)
def load(
    service: Annotated[
        str, typer.Argument(metavar="SERVICE|URL", help="A service that names its target, its folder, or a URL.")
    ],
    users: Annotated[str, typer.Option(help="Closed load: so many users, or 1..40 with a shape.")] = "4",
    rate: Annotated[str | None, typer.Option(help="Open load: 200/s, or 10..200/s.")] = None,
    poisson: Annotated[
        bool, typer.Option("--poisson", help="With --rate: at random, as independent users come.")
    ] = False,
    profile: Annotated[str, typer.Option(help="constant, ramp, steps, bursts or rate.")] = "constant",
    for_: Annotated[str, typer.Option("--for", "--over", help="How long: 10s, 5m.")] = "10s",
    warm_up: Annotated[str, typer.Option(help="Load before the measured time.")] = "1s",
    max_requests: Annotated[int | None, typer.Option(min=1, help="Stop after so many requests.")] = None,
    operation: Operation = "",
    mix: Mix = "",
    think: Think = "",
    method: Method = None,
    body: Body = None,
    header: Header = None,
    secret_header: SecretHeader = None,
    auth: AuthKind = None,
    user: User = "",
    secret: Secret = "",
    expect: Expect = None,
    gzip: Packed = False,
    chunked: Chunked = False,
    writes: Writes = False,
    timeout: Timeout = "30s",
    give_up: GiveUp = "10s",
    p50: Annotated[str | None, typer.Option(help="A goal: half of the requests are answered within this time.")] = None,
    p95: Annotated[str | None, typer.Option(help="A goal: 95% of the requests are answered within this time.")] = None,
    p99: Annotated[str | None, typer.Option(help="A goal: 99% of the requests are answered within this time.")] = None,
    errors: Annotated[str | None, typer.Option(help="A goal: at most this share of requests fails.")] = None,
    seed: Seed = 1,
    out: Out = None,
    json: Json = False,
) -> None:
    """Load a service that runs already: verified at one user first; figures with intervals of this process, and no verdict."""
    from ..loading import load as loading
    from ..loading import words as said

    if profile not in said.PROFILES:
        raise ConfigurationError(f"there is no profile '{profile}'", hint=f"there are {', '.join(said.PROFILES)}")
    wanted = said.LoadWords(
        users=said.users_of(users),
        rates=None if rate is None else said.rates_of(rate),
        poisson=poisson,
        profile=profile,
        seconds=said.seconds_of(for_),
        warm_up_seconds=said.seconds_of(warm_up),
        operations=[name.strip() for name in operation.split(",") if name.strip()],
        mix=said.mix_of(mix),
        think=said.think_of(think),
        most_requests=max_requests,
        timeout_seconds=said.seconds_of(timeout),
        give_up_seconds=said.seconds_of(give_up),
        expect=said.expect_of(expect or []),
        headers=said.headers_of(header or []),
        packed=gzip,
        chunked=chunked,
        writes=writes,
        goals=said.goals_of({0.5: p50, 0.95: p95, 0.99: p99}, errors),
        seed=seed,
    )
    asked = asked_of(service, wanted, method, body, auth_of(auth, user, secret))
    with Progress(console(), quiet=json) as progress:
        found = loading.load(
            asked,
            wanted,
            said.headers_of(secret_header or []),
            out=out,
            command=["steelyard", *sys.argv[1:]],
            progress=progress,
        )
    print(found.model_dump_json()) if json else _say(found)
    require_good(found)


def asked_of(service: str, words: LoadWords, method: str | None, body: str | None, auth: Auth | None) -> Asked:
    """What is loaded, of a service's name or folder, or of a URL; raises ConfigurationError."""
    from dataclasses import replace

    from ..loading import asked

    if service.lower().startswith(("http://", "https://")):
        found = asked.of_url(service, method, body_of(body), words.headers, words.expect)
    else:
        if method is not None or body is not None:
            raise ConfigurationError(
                "--method and --body go with a URL", hint="a service's folder says them in its file and samples"
            )
        found = asked.of_service(entries.service_at(service), words.seed, words.expect)
    return found if auth is None else replace(found, auth=auth)


def body_of(words: str | None) -> bytes:
    """The bytes that `--body` means."""
    if words is None:
        return b""
    if not words.startswith("@"):
        return words.encode()
    try:
        return Path(words[1:]).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"the body {words[1:]} cannot be read: {error.strerror}") from None


def auth_of(kind: str | None, user: str, secret: str) -> Auth | None:
    """What `--auth`, `--user` and `--secret` mean together; raises ConfigurationError."""
    from ..base.configuration import validate

    if kind is None:
        if user or secret:
            raise ConfigurationError(
                "--user and --secret go with --auth", hint="--auth basic --user NAME --secret env:VARIABLE"
            )
        return None
    return validate({"kind": kind, "user": user, "secret": secret}, Auth, "--auth")


def require_good(found: LoadOutput) -> None:
    """Raise where requests failed, a goal was not kept, or the instrument was not valid: all is stored and printed by then."""
    missed = [goal for goal in found.goals if not goal.kept]
    if found.stopped is not None:
        raise SteelyardError(f"the load was stopped: {found.stopped}", hint=f"see {found.run}")
    if not found.valid:
        raise SteelyardError(f"the figures are not valid: {'; '.join(found.why_not)}", hint=f"see {found.run}")
    if missed:
        raise SteelyardError("; ".join(f"the goal {goal.goal} was not kept: {goal.found}" for goal in missed))
    if found.failed and not any(goal.goal.startswith("failed") for goal in found.goals):
        kinds = ", ".join(f"{count} {kind}" for kind, count in found.failures.items())
        raise SteelyardError(
            f"{found.failed} requests failed ({kinds})",
            hint="--errors 1% allows a share; see the kept answers in " + found.run,
        )


def _say(found: LoadOutput) -> None:
    to = console(stderr=False)
    to.print(f"{found.service} at {found.target}: {found.load}", highlight=False, markup=False)
    failed = ", ".join(f"{count:,} {kind}" for kind, count in found.failures.items()) or "none"
    to.print(
        f"answered rightly: {found.completed:,} in {found.seconds:g} s; failed: {failed}", highlight=False, markup=False
    )
    table = Table("figure", box=None, pad_edge=False)
    table.add_column("value", justify="right")
    table.add_column("95% interval", justify="right")
    table.add_column("")
    rows = {"throughput, 1/s": found.throughput_per_s} | {
        f"response {name}, ms": one for name, one in found.response_ms.items()
    }
    for name, one in rows.items():
        table.add_row(name, "-" if one.value is None else value_text(one.value), _interval(one), one.why_not or "")
    to.print(table)
    for goal in found.goals:
        to.print(
            f"goal {goal.goal}: {'kept' if goal.kept else 'NOT KEPT'} ({goal.found})", highlight=False, markup=False
        )
    for left in found.not_loaded:
        to.print(f"not loaded: {left.what}: {left.why}", highlight=False, markup=False)
    if found.kept_rules:
        rules = ", ".join(found.kept_rules)
        to.print(f"judged on {found.kept_answers} kept answers only: {rules}", highlight=False, markup=False)
    for note in found.notes:
        to.print(note, highlight=False, markup=False)
    to.print(f"run: {found.run}", highlight=False, markup=False)


def _interval(one: Estimate) -> str:
    return "" if one.low is None or one.high is None else range_text((one.low, one.high))
