"""`steelyard mock`: a mock server for a service, on this machine until Ctrl-C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from ..base.paths import HOST, HOST_NAMES
from ..base.terminal import console
from ..models.outputs.trying import MockOutput
from . import completing
from .examples import examples
from .options import Json, Seed, takes

if TYPE_CHECKING:
    from ..models.service import Service
    from ..workload.mocking.known import MockedService

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class MockOptions:
    """The arguments and options of `mock`."""

    service: Annotated[
        str,
        typer.Argument(metavar="SERVICE", help="A service, or its folder.", autocompletion=completing.services),
    ]
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help=f"Port on {HOST}; 0 takes a free one (default: that of the service's target where it is this machine).",
        ),
    ] = None
    delay: Annotated[str, typer.Option(help="Delay of each answer: 20ms, or 5ms..40ms.")] = ""
    fail: Annotated[str, typer.Option(help="Share of requests that fail: a SOAP fault, or status 503.")] = "0"
    for_: Annotated[str | None, typer.Option("--for", help="End by itself after this time: 30s, 10m.")] = None
    seed: Seed = 1
    json: Json = False


@commands.command(
    name="mock",
    short_help="Mock a service on this machine.",
    epilog=examples(
        "steelyard mock shop",
        "steelyard mock shop --delay 20ms --fail 1%",
        "steelyard mock wstest --port 8080 --for 10m",
    ),
)
@takes(MockOptions)
def mock_command(options: MockOptions) -> None:
    """Mock a service: answer each operation on this machine's loopback by its contract until Ctrl-C, then print what was
    answered. Answers come from stored samples, else they are made to fit the schema and the rules, so that `steelyard load` takes
    them for right."""
    from ..catalogue import entries
    from ..workload import load_spec
    from ..workload.mocking.known import mock_service
    from ..workload.mocking.stand_in import StandIn, stand_in

    delay, fail = load_spec.parse_think(options.delay), load_spec.share_or_none(options.fail)
    seconds = None if options.for_ is None else load_spec.seconds_of(options.for_)
    known = mock_service(entries.service_at(options.service), options.seed)
    model = known.service.model
    answered = stand_in(
        known,
        own_port(model) if options.port is None else options.port,
        StandIn(known, delay, fail, options.seed),
        seconds=seconds,
        ready=lambda address: _print_ready(known, address, options.json),
    )
    print(answered.model_dump_json()) if options.json else _print_outcome(answered)


def own_port(service: Service) -> int:
    """The port of a service's target where it is plain HTTP on this machine; else 0, which takes a free port."""
    parts = urlsplit(service.target or "")
    return (parts.port or 80) if parts.scheme == "http" and parts.hostname in HOST_NAMES else 0


def _print_ready(known: MockedService, address: str, as_json: bool) -> None:
    terminal = console(stderr=as_json)
    target = known.service.model.target
    lines = [f"{known.service.name} is mocked at {address}"]
    lines += [f"  {operation.name}: {operation.usual.origin}" for operation in known.operations]
    lines += [f"not simulated: {omitted.what}: {omitted.why}" for omitted in known.left_out]
    if target is not None and urlsplit(target).port != urlsplit(address).port:
        lines.append(f'to load it, set target = "{address}" in {known.service.file}')
    for line in lines:
        terminal.print(line, soft_wrap=True)
    terminal.file.flush()
    console().print("Ctrl-C ends it")


def _print_outcome(answered: MockOutput) -> None:
    terminal = console(stderr=False)
    lines = [
        f"{each.operation}: {each.answered:,} answered, {each.failed:,} failed deliberately"
        for each in answered.operations
    ]
    lines += [f"requests for no operation: {answered.unknown:,}"] if answered.unknown else []
    for line in lines:
        terminal.print(line)
