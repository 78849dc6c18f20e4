"""The target that `load`, `find-limit` and `export` are given: a service, a URL, or a server of the user's own to be started."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.paths import HOST
from ..catalogue import entries, own_subjects
from ..models.service import Auth
from .compare_own import requests_of
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
    mix: Annotated[str, typer.Option(help="Weights: OPERATION=3,OPERATION=1.")] = ""
    method: Annotated[str | None, typer.Option(help="For a URL: the method (default: GET, or POST with --body).")] = (
        None
    )
    body: Annotated[
        str | None,
        typer.Option(metavar="@FILE|TEXT", help="For a URL or a --request: its body, or @ and the file that holds it."),
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
    p50: Annotated[str | None, typer.Option(help="A goal: half of the requests are answered within this time.")] = None
    p95: Annotated[str | None, typer.Option(help="A goal: 95% of the requests are answered within this time.")] = None
    p99: Annotated[str | None, typer.Option(help="A goal: 99% of the requests are answered within this time.")] = None
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


def started_or_running(options: StartedOptions, words: LoadSpec, auth: Auth | None) -> LoadTarget:
    """What is loaded: a server of the user's own with the requests that the options name, else what `target_of` gives."""
    asked = bool(options.request) or options.requests_of is not None
    own = own_subjects.is_own(options.service)
    if own and (asked or not Path(options.service, entries.SERVICE_FILE).is_file()):
        if options.method is not None:
            raise ConfigurationError("--method needs a URL", hint="give the method in --request 'POST /orders'")
        target = _started_target(options, words)
        return target if auth is None else replace(target, auth=auth)
    if asked:
        raise ConfigurationError(
            "--request and --service are for servers of your own that Steelyard starts",
            hint="a URL is its own request; --operation chooses those of a folder",
        )
    return target_of(options.service, words, options.method, options.body, auth)


def _started_target(options: StartedOptions, load: LoadSpec) -> LoadTarget:
    """A target that the user's words start, with its requests; it listens on its folder's port, or on a free one.

    Raises ConfigurationError where nothing says what it is asked for.
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


def target_of(service: str, words: LoadSpec, method: str | None, body: str | None, auth: Auth | None) -> LoadTarget:
    """The target of a service's name or folder, or of a URL; raises ConfigurationError."""
    from ..workload import load_target

    if service.lower().startswith(("http://", "https://")):
        target = load_target.of_url(service, method, body_of(body), words.headers, words.expect)
    else:
        if method is not None or body is not None:
            raise ConfigurationError(
                "--method and --body need a URL",
                hint="for a service folder they are in its service.toml and samples",
            )
        target = load_target.of_service(entries.service_at(service), words.seed, words.expect)
    return target if auth is None else replace(target, auth=auth)


def body_of(words: str | None) -> bytes:
    """The bytes of `--body`: its text, or the file after @; raises ConfigurationError where the file cannot be read."""
    if words is None:
        return b""
    if not words.startswith("@"):
        return words.encode()
    try:
        return Path(words[1:]).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"the body {words[1:]} cannot be read: {error.strerror}") from None


def auth_of(kind: str | None, user: str, secret: str) -> Auth | None:
    """The authentication of `--auth`, `--user` and `--secret`; raises ConfigurationError."""
    from ..base.configuration import validate

    if kind is None:
        if user or secret:
            raise ConfigurationError(
                "--user and --secret need --auth", hint="--auth basic --user NAME --secret env:VARIABLE"
            )
        return None
    if not secret.startswith(("env:", "file:")):
        raise ConfigurationError(
            f"--auth {kind} needs a --secret, which is never stored", hint="--secret env:VARIABLE, or file:PATH"
        )
    return validate({"kind": kind, "user": user, "secret": secret}, Auth, "--auth")
