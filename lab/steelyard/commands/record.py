"""`steelyard record`: a proxy on this machine's loopback that makes a service folder from the requests through it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from ..base.errors import ConfigurationError
from ..base.paths import HOST
from ..base.terminal import console
from ..base.text import plural
from ..models.outputs.own_service import RecordOutput
from .examples import examples
from .options import Json, takes

if TYPE_CHECKING:
    from ..workload.load_target import LoadTarget

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """The options of `record`."""

    to: Annotated[
        str,
        typer.Option(
            metavar="URL|SERVICE",
            help="The server behind the proxy: http://HOST:PORT of this machine, or a service with its host declared as yours.",
        ),
    ]
    port: Annotated[int, typer.Option(min=0, max=65535, help=f"Port on {HOST}; 0 takes a free one.")] = 0
    out: Annotated[Path, typer.Option(help="The service folder to make.")] = Path("recorded")
    tls: Annotated[
        bool, typer.Option("--tls", help="Serve TLS with a certificate made for the proxy (needs openssl).")
    ] = False
    for_: Annotated[str, typer.Option("--for", help="End by itself after this time: 30s, 10m.")] = "1h"
    max_requests: Annotated[
        int,
        typer.Option(min=1, max=10_000, help="Record at most this many different requests; others are only forwarded."),
    ] = 10_000
    json: Json = False


@commands.command(
    name="record",
    short_help="Record clients' requests through a proxy as a service folder.",
    epilog=examples(
        f"steelyard record --to http://{HOST}:8080 --port 8081 --out shop",
        f"steelyard record --to https://{HOST}:8443 --tls",
        "steelyard record --to ./far-shop --for 10m",
    ),
)
@takes(RecordOptions)
def record_command(options: RecordOptions) -> None:
    """Run a proxy between clients and a server: forward requests until Ctrl-C, then write a service folder to review and load,
    with one sample for each different request and without secrets. Answers that stayed the same become expected answers."""
    from ..workload import load_spec
    from ..workload.recording.recorder import RecordWords, record

    output = record(
        recorded_target(options.to),
        RecordWords(options.port, options.tls, load_spec.seconds_of(options.for_), options.max_requests),
        options.out,
        lambda address, certificate: _print_ready(options, address, certificate),
    )
    print(output.model_dump_json()) if options.json else _print_outcome(output)


def recorded_target(to: str) -> LoadTarget:
    """The server of `--to`; raises ConfigurationError or TargetError."""
    from ..catalogue import entries
    from ..models.service import Expect
    from ..workload.load_target import of_service, of_url

    if not to.lower().startswith(("http://", "https://")):
        return of_service(entries.service_at(to), 1, Expect())
    target = of_url(to, "GET", b"", {}, Expect())
    parts = urlsplit(to)
    if parts.path not in ("", "/") or parts.query:
        raise ConfigurationError(
            f"--to names a server, but {to[:200]} has a path",
            hint=f"--to {target.address}; requests to the proxy keep their path",
        )
    return target


def _print_ready(options: RecordOptions, address: str, certificate: Path | None) -> None:
    terminal = console(stderr=options.json)
    lines = [f"{address} forwards to {options.to}: send the requests to record to {address}"]
    if certificate is not None:
        lines.append(f"its certificate, for clients to trust: {certificate} (curl --cacert {certificate})")
    for line in lines:
        terminal.print(line, soft_wrap=True)
    terminal.file.flush()
    console().print(f"Ctrl-C, or {options.for_}, ends it and writes {options.out}")


def _print_outcome(output: RecordOutput) -> None:
    terminal = console(stderr=False)
    lines = [f"{output.folder}: {plural(len(output.operations), 'operation')} of {output.target}"]
    for operation in output.operations:
        kept = f"{plural(operation.samples, 'sample')}, {plural(operation.answers, 'answer')} kept"
        stable = "; always answered the same" if operation.same else ""
        changes = "  (changes data: loaded with --writes only)" if operation.changes_data else ""
        lines.append(f"  {operation.operation}: sent {plural(operation.times, 'time')}, {kept}{stable}{changes}")
    lines += [f"not recorded: {omission.what}: {omission.why}" for omission in output.left_out]
    lines += [f"note: {note}" for note in output.notes]
    lines.append(
        f"next: review {output.folder}/service.toml and samples/, "
        f"then `steelyard load {output.folder} --users 4 --for 10s`"
    )
    for line in lines:
        terminal.print(line, soft_wrap=True)
