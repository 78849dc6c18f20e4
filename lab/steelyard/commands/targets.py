"""The target that `load`, `find-limit` and `export` are given: a service, a URL, or a server of the user's own to be started."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from ..base.errors import INTERRUPTED, ConfigurationError, SteelyardError
from ..base.paths import HOST
from ..catalogue import entries, own_subjects
from ..models.outputs.loading import LimitOutput, LoadOutput, RunningComparison
from ..models.service import Auth
from ..results.live_file import STOPPED
from .compare_own import body_of, requests_of
from .options import Json, Out, OwnRequest, Seed

if TYPE_CHECKING:
    from ..workload.load_spec import LoadSpec
    from ..workload.load_target import LoadTarget


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """The options of every command that loads a running target: its requests, authentication, checks and output."""

    service: Annotated[
        str, typer.Argument(metavar="SERVICE|URL", help="A service that names its target, its folder, or a URL.")
    ]
    operation: Annotated[str, typer.Option(help="Operations to load, separated by commas (default: all).")] = ""
    skip: Annotated[
        str, typer.Option(help="Operations to leave out, separated by commas; they are not verified either.")
    ] = ""
    target: Annotated[
        str | None, typer.Option(metavar="URL", help="For a service: where it runs, instead of its file's target.")
    ] = None
    mix: Annotated[str, typer.Option(help="Weights: OPERATION=3,OPERATION=1.")] = ""
    method: Annotated[str | None, typer.Option(help="For a URL: the method (default: GET, or POST with --body).")] = (
        None
    )
    body: Annotated[
        str | None,
        typer.Option(metavar="@FILE|TEXT", help="For a URL or a --request: its body, or @FILE."),
    ] = None
    header: Annotated[
        list[str] | None, typer.Option(metavar="'NAME: VALUE'", help="A header of every request; repeatable.")
    ] = None
    secret_header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'NAME: env:VARIABLE|file:PATH'",
            help="A header whose value is secret and never stored; repeatable.",
        ),
    ] = None
    auth: Annotated[
        str | None,
        typer.Option(help="Authentication: basic, digest, bearer, password or password-digest (WS-Security)."),
    ] = None
    user: Annotated[str, typer.Option(help="User name for --auth.")] = ""
    secret: Annotated[
        str, typer.Option(metavar="env:VARIABLE|file:PATH", help="Source of the password or token for --auth.")
    ] = ""
    insecure: Annotated[bool, typer.Option("--insecure", help="Over TLS: accept any certificate.")] = False
    ca: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Over TLS: trust the authorities in this PEM file alone.")
    ] = None
    cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Over TLS: the client's certificate (PEM); needs --key.")
    ] = None
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="The private key of --cert (PEM).")] = None
    resolve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT:ADDRESS",
            help="Use this IP address for a host and port; the Host header and the certificate's name stay HOST. Repeatable.",
        ),
    ] = None
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="status=200, fault=absent, length=10..999, contains=TEXT, matches=REGEX; for sampled answers xpath=PATH, "
            "jsonpath=PATH, answer=FILE, schema; repeatable.",
        ),
    ] = None
    writes: Annotated[bool, typer.Option("--writes", help="Load operations that change data, too.")] = False
    timeout: Annotated[str, typer.Option(help="Request timeout.")] = "30s"
    p50: Annotated[
        str | None,
        typer.Option(help="A goal: half of the requests are answered within this time (200ms, checkout=800ms)."),
    ] = None
    p95: Annotated[
        str | None,
        typer.Option(help="A goal: 95% of the requests are answered within this time (200ms, checkout=800ms)."),
    ] = None
    p99: Annotated[
        str | None,
        typer.Option(help="A goal: 99% of the requests are answered within this time (200ms, checkout=800ms)."),
    ] = None
    errors: Annotated[str | None, typer.Option(help="A goal: at most this share of requests fails.")] = None
    seed: Seed = 1
    out: Out = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class StartedOptions(TargetOptions):
    """What a target of the user's own that is started for the load is asked for, where its words do not say."""

    service: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="A service that names its target, its folder, or a URL; or your own to start: a command line, a jar.",
        ),
    ]
    request: OwnRequest = None
    requests_of: Annotated[
        str | None,
        typer.Option("--service", metavar="FOLDER", help="Your own servers: the folder whose requests they get."),
    ] = None


def _names_of(words: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in words.split(",") if name.strip()]


def load_of(options: TargetOptions) -> LoadSpec:
    """What every load asks of its target, parsed and checked; raises ConfigurationError."""
    from ..workload import load_spec

    return load_spec.LoadSpec(
        operations=_names_of(options.operation),
        skip=_names_of(options.skip),
        mix=load_spec.mix_of(options.mix),
        timeout_seconds=load_spec.seconds_of(options.timeout),
        expect=load_spec.expect_of(options.expect or []),
        headers=load_spec.headers_of(options.header or []),
        writes=options.writes,
        goals=load_spec.goals_of({0.5: options.p50, 0.95: options.p95, 0.99: options.p99}, options.errors),
        seed=options.seed,
    )


def started_or_running(options: StartedOptions, words: LoadSpec) -> LoadTarget:
    """What is loaded: a server of the user's own with the requests that the options name, else what `target_of` gives."""
    has_requests = bool(options.request) or options.requests_of is not None
    own = own_subjects.is_own(options.service)
    if own and (has_requests or not Path(options.service, entries.SERVICE_FILE).is_file()):
        if options.method is not None:
            raise ConfigurationError("--method needs a URL", hint="give the method in --request 'POST /orders'")
        if options.target is not None:
            raise ConfigurationError(
                "--target is for a service that runs; this one is started", hint="leave --target out"
            )
        return _with_auth(_started_target(options, words), options)
    if has_requests:
        raise ConfigurationError(
            "--request and --service are for servers of your own that Steelyard starts",
            hint="a URL is its own request; --operation chooses those of a folder",
        )
    return target_of(options, words)


def _started_target(options: StartedOptions, load: LoadSpec) -> LoadTarget:
    """A target that the user's words start, with its requests; it listens on its folder's port, or on a free one.

    Raises ConfigurationError where it has no requests.
    """
    from ..workload.load_target import of_service

    words = options.service
    [spec] = own_subjects.specs_of([words])
    requests = requests_of([words], options.requests_of, options.request, options.body)
    if options.request:  # read at once: the body of a request lies in no folder of the user's
        with TemporaryDirectory(prefix="steelyard-requests-") as folder:
            requests.write(Path(folder) / entries.OWN_REQUESTS)
            target = of_service(entries.service_at(str(Path(folder) / entries.OWN_REQUESTS)), load.seed, load.expect)
    else:
        target = of_service(entries.service_at(options.requests_of or words), load.seed, load.expect)
    own = own_subjects.server_of(words)
    return replace(target, name=spec.label, address=_address(words, own.port), own=own)


def _address(words: str, fixed: int | None) -> str:
    """Where it listens: at its file's own target, where it has one."""
    from ..hosts.launch import free_ports

    if Path(words, entries.SERVICE_FILE).is_file():
        return entries.service_at(words).model.target or ""
    return f"http://{HOST}:{fixed or free_ports(random.Random(), 1)[0]}"


def target_of(options: TargetOptions, words: LoadSpec) -> LoadTarget:
    """The target of a service's name or folder, or of a URL; raises ConfigurationError."""
    from ..workload import load_target

    if options.service.lower().startswith(("http://", "https://")):
        if options.target is not None:
            raise ConfigurationError("--target is for a service: a URL is its own target", hint="leave --target out")
        body = body_of(options.body) or b""
        target = load_target.of_url(options.service, options.method, body, words.headers, words.expect)
    else:
        if options.method is not None or options.body is not None:
            raise ConfigurationError(
                "--method and --body need a URL",
                hint="for a service folder they are in its service.toml and samples",
            )
        target = load_target.of_service(entries.service_at(options.service), words.seed, words.expect)
        if options.target is not None:
            target = target.move_to(options.target)
    return _with_auth(target, options)


def _with_tls(target: LoadTarget, options: TargetOptions) -> LoadTarget:
    """The target with the trust and the client certificate of the options, where given; raises ConfigurationError."""
    files = {"ca": options.ca, "certificate": options.cert, "key": options.key}
    changes: dict[str, object] = {name: str(file.absolute()) for name, file in files.items() if file is not None}
    if options.insecure:
        changes["verify"] = False
    if not changes:
        return target
    if not target.address.startswith("https:"):
        raise ConfigurationError(
            "--insecure, --ca, --cert and --key are for TLS", hint=f"{target.name} is at {target.address}"
        )
    if (options.cert is None) != (options.key is None):
        raise ConfigurationError("--cert and --key go together", hint="both are PEM files")
    missing = next((file for file in files.values() if file is not None and not file.is_file()), None)
    if missing is not None:
        raise ConfigurationError(f"there is no file {missing}", hint="give a PEM file")
    return replace(target, tls=target.tls.model_copy(update=changes))


def _with_addresses(target: LoadTarget, options: TargetOptions) -> LoadTarget:
    """The target with the addresses of `--resolve`, where given; a host has the same ones at all ports. Raises
    ConfigurationError."""
    from ..workload import load_spec

    given = [load_spec.resolve_of(words) for words in options.resolve or []]
    if not given:
        return target
    resolved = {each.host: each.addresses for each in given}
    different = next((each.host for each in given if each.addresses != resolved[each.host]), None)
    if different is not None:
        raise ConfigurationError(
            f"--resolve gives {different} different addresses",
            hint="separate several addresses by commas: HOST:PORT:A,B",
        )
    parts = urlsplit(target.address)
    own = (parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme])
    useless = {*resolved} - {parts.hostname, *target.redirect_hosts}
    if useless or (parts.hostname in resolved and own not in [(each.host, each.port) for each in given]):
        raise ConfigurationError(
            f"--resolve names no server of this load: {' '.join(options.resolve or [])[:200]}",
            hint=f"{target.name} is at {target.address}: --resolve {own[0]}:{own[1]}:ADDRESS",
        )
    return replace(target, resolved=resolved)


def _with_auth(target: LoadTarget, options: TargetOptions) -> LoadTarget:
    """The target with the authentication of `--auth`, `--user` and `--secret`, where given; raises ConfigurationError."""
    from ..base.configuration import validate

    target = _with_addresses(_with_tls(target, options), options)
    if options.auth is None:
        if options.user or options.secret:
            raise ConfigurationError(
                "--user and --secret need --auth", hint="--auth basic --user NAME --secret env:VARIABLE"
            )
        return target
    if not options.secret.startswith(("env:", "file:")):
        raise ConfigurationError(
            f"--auth {options.auth} needs a --secret, which is never stored", hint="--secret env:VARIABLE, or file:PATH"
        )
    words = {"kind": options.auth, "user": options.user, "secret": options.secret}
    return replace(target, auth=validate(words, Auth, "--auth"))


def require_usable(outcome: LoadOutput | LimitOutput | RunningComparison, action: str, result: str) -> None:
    """Raise SteelyardError where a measurement was stopped or its figures are not valid; by then it is stored and printed."""
    hint = f"see {outcome.run}"
    if outcome.stopped is not None:
        by_user = outcome.stopped == STOPPED
        raise SteelyardError(
            f"the {action} was stopped: {outcome.stopped}", hint=hint, exit_code=INTERRUPTED if by_user else None
        )
    if not outcome.valid:
        raise SteelyardError(f"the {result} not valid: {'; '.join(outcome.why_not)}", hint=hint)
