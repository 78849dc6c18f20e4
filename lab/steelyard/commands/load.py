"""`steelyard load`: load on a running service, given by its folder or its URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ..base import configuration
from ..base.errors import ConfigurationError, SteelyardError
from ..base.progress import Progress
from ..base.terminal import console
from ..base.text import plural, value_text
from ..models.hosts import EngineHosts
from ..models.job import Http2
from ..models.outputs.loading import LoadedEngine, LoadedLayers, LoadedSession, LoadOutput, StartedTarget
from .examples import examples
from .options import (
    command_line,
    takes,
)
from .tables import estimates_table, rows_table
from .targets import StartedOptions, TargetOptions, load_of, require_usable, started_or_running

if TYPE_CHECKING:
    from rich.console import Console

    from ..workload.load_spec import LoadSpec

commands = typer.Typer()
_USERS = "4"  # users of a closed load without --users
_CONSTANT = "constant"  # the usual profile


@dataclass(frozen=True, kw_only=True)
class LoadOptions(TargetOptions):
    """The options of a load, as typed; `words_of` reads them."""

    users: Annotated[
        str | None, typer.Option(help="Closed load: number of users, or 1..40 with --profile (default: 4).")
    ] = None
    rate: Annotated[
        str | None,
        typer.Option(help="Open load: 200/s, 10..200/s, or of sessions or operations buy=20/s,look=5/s."),
    ] = None
    poisson: Annotated[
        bool, typer.Option("--poisson", help="With --rate: Poisson arrivals (random, as from independent users).")
    ] = False
    profile: Annotated[
        str,
        typer.Option(
            help="constant; ramp or steps from the first to the last of --users; bursts: five times all users, then none; rate."
        ),
    ] = _CONSTANT
    stages: Annotated[
        str | None,
        typer.Option(
            help="Load in stages instead of --users, --rate and --for: 0..50/30s,50/5m (users), or 10..200/s/30s,200/s/5m."
        ),
    ] = None
    for_: Annotated[str, typer.Option("--for", "--over", help="Measured time: 10s, 5m.")] = "10s"
    warm_up: Annotated[str, typer.Option(help="Warm-up time before the measured time; 0 for none.")] = "1s"
    max_requests: Annotated[int | None, typer.Option(min=1, help="Stop after this number of requests.")] = None
    iterations: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Stop when each user has made this number of sessions, or of requests; at the latest after --for.",
        ),
    ] = None
    think: Annotated[str, typer.Option(help="Think time of a user after an answer: 2s, or 1s..4s.")] = ""
    gzip: Annotated[bool, typer.Option("--gzip", help="Accept compressed answers (gzip or deflate).")] = False
    chunked: Annotated[bool, typer.Option("--chunked", help="Send bodies with chunked transfer encoding.")] = False
    new_connection: Annotated[
        bool,
        typer.Option("--new-connection", help="Open a connection for each request, as clients without keep-alive do."),
    ] = False
    follow_redirects: Annotated[
        bool,
        typer.Option(
            "--follow-redirects",
            help="Follow redirects, ten in a row at most; a request's time includes them. Other hosts must be declared.",
        ),
    ] = False
    http2: Annotated[
        bool, typer.Option("--http2", help="Use HTTP/2: negotiated over TLS, or by prior knowledge without TLS.")
    ] = False
    streams: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="With --http2: concurrent requests per connection (100).")
    ] = None
    layers: Annotated[
        bool,
        typer.Option(
            "--layers",
            help="Record the time of requests by layer, by an agent in a Java service that Steelyard starts.",
        ),
    ] = False
    engines: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Share the load among this number of engines, where one cannot send it alone."
        ),
    ] = 1
    give_up: Annotated[str, typer.Option(help="Stop when every request has failed for this time.")] = "10s"


@dataclass(frozen=True, kw_only=True)
class LoadCommandOptions(LoadOptions, StartedOptions):
    """The options of `load` itself: the load, its hosts, and the receivers of telemetry."""

    hosts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of your hosts: one engine on each shares the load, as with --engines."),
    ] = None
    otlp: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Send the load's totals to an OpenTelemetry receiver once a second, by OTLP over HTTP; repeatable.",
        ),
    ] = None
    remote_write: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Send them to Prometheus by remote write; repeatable.",
        ),
    ] = None


@commands.command(
    short_help="Load a running service: figures, no verdict.",
    epilog=examples(
        "steelyard load shop --users 4 --for 10s",
        "steelyard load shop --users 1..40 --over 5m --profile ramp",
        "steelyard load shop --target http://127.0.0.1:8081 --skip deleteOrder",
        "steelyard load shop --stages 0..50/30s,50/5m,50..0/30s",
        "steelyard load shop --rate 200/s --poisson --for 1m --p95 200ms --errors 1%",
        "steelyard load http://127.0.0.1:8080/orders --method POST --body @order.json",
        "steelyard load 'java -jar a.jar --port {port}' --request 'GET /items/7' --for 10s",
        "steelyard load shop --rate 50000/s --for 30s --hosts engines.toml",
        "steelyard load shop --for 10m --otlp http://127.0.0.1:4318/v1/metrics",
        "steelyard load shop --for 10m --remote-write http://127.0.0.1:9090/api/v1/write",
    ),
)
@takes(LoadCommandOptions)
def load(options: LoadCommandOptions) -> None:
    """Load a running service, or one that its service.toml starts. Every operation is verified at one user first. The figures
    have intervals for this process, and there is no verdict. A missed goal (--p95, --errors) ends with exit code 1."""
    from ..measure.load import load as loading
    from ..measure.load.run_folder import Invocation
    from ..measure.telemetry.publisher import receivers_of
    from ..workload import load_spec

    words = words_of(options)
    if options.hosts is not None:
        words = replace(words, hosts=configuration.load(options.hosts, EngineHosts))
    target = started_or_running(options, words)
    receivers = receivers_of(options.otlp or [], options.remote_write or [])
    with Progress(console()) as progress:
        loaded = loading.load(
            target,
            words,
            Invocation(command_line(), progress, options.out, load_spec.headers_of(options.secret_header or [])),
            receivers,
        )
    print(loaded.model_dump_json()) if options.json else _print_outcome(loaded)
    require_good(loaded)


def _require_protocol(options: LoadOptions) -> None:
    """Raise ConfigurationError where HTTP/2 does not have what the options ask for."""
    if options.streams is not None and not options.http2:
        raise ConfigurationError("--streams needs --http2", hint="--http2 --streams 30")
    if options.http2 and options.new_connection:
        raise ConfigurationError("HTTP/2 shares connections", hint="leave out --new-connection or --http2")
    if options.http2 and options.chunked:
        raise ConfigurationError("HTTP/2 has no chunked transfer encoding", hint="leave out --chunked or --http2")


def words_of(options: LoadOptions) -> LoadSpec:
    """The load that the options ask for, parsed and checked; raises ConfigurationError."""
    from ..workload import load_spec

    if options.profile not in load_spec.PROFILES:
        raise ConfigurationError(
            f"there is no profile '{options.profile}'", hint=f"there are {', '.join(load_spec.PROFILES)}"
        )
    if options.users is not None and options.rate is not None:
        raise ConfigurationError("--users and --rate exclude each other", hint="a load is closed or open")
    if options.stages is not None and (options.users, options.rate, options.profile) != (None, None, _CONSTANT):
        raise ConfigurationError(
            "--stages has the users or rates and their times: it excludes --users, --rate and --profile",
            hint="--stages 0..50/30s,50/5m,50..0/30s",
        )
    _require_protocol(options)
    words = load_of(options)
    by_name = {} if options.rate is None else load_spec.rates_by_name(options.rate)
    if by_name and words.mix:
        raise ConfigurationError("--rate names the mix with its rates: it excludes --mix", hint="leave out --mix")
    rates = None if options.rate is None or by_name else load_spec.rates_of(options.rate)
    words = replace(
        words,
        mix=by_name or words.mix,
        users=load_spec.users_of(options.users or _USERS),
        rates=(sum(by_name.values()), sum(by_name.values())) if by_name else rates,
        poisson=options.poisson,
        profile=options.profile,
        seconds=load_spec.seconds_of(options.for_),
        warm_up_seconds=load_spec.warm_up_of(options.warm_up),
        think=load_spec.parse_think(options.think),
        most_requests=options.max_requests,
        iterations=options.iterations,
        give_up_seconds=load_spec.seconds_of(options.give_up),
        packed=options.gzip,
        chunked=options.chunked,
        new_connection=options.new_connection,
        follow_redirects=options.follow_redirects,
        streams=(options.streams or Http2().streams) if options.http2 else None,
        layers=options.layers,
        engines=options.engines,
    )
    return words if options.stages is None else load_spec.with_stages(words, options.stages)


def require_good(loaded: LoadOutput) -> None:
    """Raise where requests failed, a goal was missed, or the instrument was not valid; by then everything is stored and
    printed."""
    missed = [goal for goal in loaded.goals if not goal.kept]
    require_usable(loaded, "load", "figures are")
    if missed:
        raise SteelyardError("; ".join(f"the goal {goal.goal} was missed: {goal.found}" for goal in missed))
    judged = loaded.judged
    bad = loaded.failed if judged is None else judged.wrong + judged.failed + judged.unanswered
    if bad and not any(goal.goal.startswith("failed") for goal in loaded.goals):
        kinds = [f"{count} {kind}" for kind, count in loaded.failures.items()]
        if judged is not None and judged.unanswered:
            kinds.append(f"{judged.unanswered} unanswered")
        raise SteelyardError(
            f"{plural(bad, 'request')} had no right answer ({', '.join(kinds)})",
            hint="--errors 1% allows a share; see the kept answers in " + loaded.run,
        )


def _print_outcome(loaded: LoadOutput) -> None:
    from ..results import failure_text
    from ..results.session_text import stream_rows

    terminal = console(stderr=False)
    terminal.print(f"{loaded.service} at {loaded.target}: {loaded.load}")
    for line in failure_text.count_lines(loaded):
        terminal.print(line)
    if loaded.failure_causes:
        terminal.print(rows_table(*failure_text.cause_rows(loaded.failure_causes)))
    terminal.print(estimates_table(loaded.throughput_per_s, loaded.response_ms))
    if loaded.sessions:
        _print_sessions(terminal, loaded.sessions)
    if loaded.streams:
        terminal.print(rows_table(*stream_rows(loaded.streams)))
    if loaded.by_users:
        terminal.print(rows_table(*failure_text.user_rows(loaded.by_users), numbers=5))
    if loaded.engines:
        terminal.print(_by_engines(loaded.engines))
    for goal in loaded.goals:
        terminal.print(f"goal {goal.goal}: {'met' if goal.kept else 'MISSED'} ({goal.found})")
    if loaded.started is not None:
        terminal.print(_usage_text(loaded.started))
    if loaded.layers is not None:
        _print_layers(terminal, loaded.layers)
    for omission in loaded.not_loaded:
        terminal.print(f"not loaded: {omission.what}: {omission.why}")
    if loaded.kept_rules:
        rules = ", ".join(loaded.kept_rules)
        terminal.print(f"judged on {loaded.kept_answers} sampled answers only: {rules}")
    for note in loaded.notes:
        terminal.print(note)
    terminal.print(f"run: {loaded.run}")


def _print_sessions(terminal: Console, sessions: Sequence[LoadedSession]) -> None:
    """Sessions and their steps, and what of them needs a sentence."""
    from ..results import session_text

    terminal.print(rows_table(*session_text.session_rows(sessions)))
    terminal.print(rows_table(*session_text.step_rows(sessions)))
    for sentence in session_text.session_sentences(sessions):
        terminal.print(sentence)


def _print_layers(terminal: Console, layers: LoadedLayers) -> None:
    """Print the time in each layer, and the limits of its records."""
    if layers.layers:
        rows = [(layer.title, value_text(layer.ms), f"{layer.percent:.0f}%") for layer in layers.layers]
        terminal.print(f"inside the target, {layers.requests:,} requests:")
        terminal.print(rows_table(("layer", "ms a request", "share"), rows, numbers=2))
    sentences = [layers.slow] if layers.slow else []
    if layers.violations:
        sentences.append(
            f"{plural(layers.violations, 'request')} changed thread or left a layer open; the means leave them out"
        )
    if layers.outside:
        calls = ", ".join(f"{count:,} {tag}" for tag, count in layers.outside.items())
        sentences.append(f"calls outside any request, left out of the means: {calls}")
    if layers.unwatched:
        sentences.append(f"classes that the agent could not instrument: {layers.unwatched:,}")
    for sentence in (*sentences, *(f"the layers are not valid: {why}" for why in layers.why_not)):
        terminal.print(sentence)


def _by_engines(engines: Sequence[LoadedEngine]) -> Table:
    elsewhere = any(engine.host for engine in engines)
    rows = []
    for engine in engines:
        place = [engine.host or "this machine"] if elsewhere else []
        busy = "lost" if engine.busy_percent is None else f"{engine.busy_percent:.0f}%"
        cpus = ", ".join(map(str, engine.cpus)) or "any"
        counts = [f"{count:,}" for count in (engine.sent, engine.completed, engine.failed)]
        rows.append([f"{engine.engine}", *place, cpus, *counts, busy])
    headings = ("engine", *(["host"] if elsewhere else []), "processors", "sent", "answered", "failed", "busy")
    return rows_table(headings, rows, numbers=5)


def _usage_text(target: StartedTarget) -> str:
    """The processor time, memory and request count of a target that was started."""
    each = "" if target.cpu_ms_per_request is None else f", {value_text(target.cpu_ms_per_request)} ms a request"
    counted = "" if target.counted is None else f"; its service counted {target.counted:,} requests"
    return (
        f"started for this load, and stopped: {value_text(target.cpu_s)} s of processor time{each}, "
        f"{value_text(target.memory_mib)} MiB of memory{counted}"
    )
