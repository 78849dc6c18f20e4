"""`steelyard add`: adds a user's program and its description as a service, so that servers, JDKs or versions can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.terminal import console
from ..base.text import plural
from ..models.outputs.own_service import AddOutput
from .examples import examples
from .options import Json, takes

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class AddOptions:
    """The arguments and options of `add`."""

    program: Annotated[
        str,
        typer.Argument(
            metavar="WAR|JAR|COMMAND", help="A WAR; with --openapi also an executable jar, or a command line in quotes."
        ),
    ]
    wsdl: Annotated[str | None, typer.Option(metavar="URL|FILE", help="The WSDL 1.1 of the WAR.")] = None
    openapi: Annotated[
        str | None, typer.Option(metavar="URL|FILE", help="The OpenAPI or Swagger document of the program.")
    ] = None
    name: Annotated[
        str | None, typer.Option(help="Name of the service, and of a WAR its context path (default: the file's name).")
    ] = None
    path: Annotated[
        str | None,
        typer.Option(
            help="Path of the service, in a WAR below its context (default: from the WAR or the description)."
        ),
    ] = None
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACE", help="Server (http://HOST:PORT) or folder that imports may also come from; repeatable."
        ),
    ] = None
    port: Annotated[
        list[str] | None, typer.Option(help="WSDL port to import (default: all SOAP ports); repeatable.")
    ] = None
    json: Json = False


@commands.command(
    short_help="Add a WAR, a jar or a command of your own, to compare servers with it.",
    epilog=examples(
        "steelyard add shop.war --wsdl shop.wsdl",
        "steelyard add shop.war --wsdl shop.wsdl --name mine --path /Orders",
        "steelyard compare tomcat-metro wildfly --service mine",
        "steelyard add shop.jar --openapi openapi.yaml --name mine",
        "steelyard compare executable-jar@jdk=17 executable-jar@jdk=25 --service mine",
    ),
)
@takes(AddOptions)
def add(options: AddOptions) -> None:
    """Add a program of your own as a service: a WAR by its WSDL, or a WAR, a jar or a command line by its OpenAPI document.
    `compare` starts it, verifies its answers and measures it."""
    from ..workload.importing import adding, adding_rest

    if (options.wsdl is None) == (options.openapi is None):
        raise ConfigurationError(
            "add needs --wsdl or --openapi" if options.wsdl is None else "--wsdl and --openapi exclude each other",
            hint="--wsdl shop.wsdl for SOAP, --openapi openapi.yaml for REST",
        )
    wanted = adding.Wanted(
        options.program,
        options.wsdl or options.openapi or "",
        options.name,
        options.path,
        options.also or [],
        options.port or [],
    )
    outcome = adding.add(wanted) if options.openapi is None else adding_rest.add(wanted)
    if options.json:
        print(outcome.model_dump_json())
    else:
        _print_outcome(outcome, rest=options.openapi is not None)


def _print_outcome(outcome: AddOutput, *, rest: bool) -> None:
    to = console(stderr=False)
    operations = plural(len(outcome.operations), "operation")
    lines = [f"{outcome.folder}: service {outcome.service}, {operations}, at {outcome.path}"]
    lines += [f"  {each}{'  (changes data)' if each in outcome.changing else ''}" for each in outcome.operations]
    lines += [f"not called: {left.what}: {left.why}" for left in outcome.left_out]
    lines += [f"note: {note}" for note in outcome.notes]
    lines += [f"servers that run it: {', '.join(outcome.servers)}"] if outcome.servers else []
    review = "service.toml and samples/" if rest else "contract/exchanges"
    lines.append(f"next: review {outcome.folder}/{review}, then `{_next(outcome, rest=rest)}`")
    for line in lines:
        to.print(line, soft_wrap=True)


def _next(outcome: AddOutput, *, rest: bool) -> str:
    """A comparison to run next."""
    if outcome.kind == "jar":
        return f"steelyard compare executable-jar@jdk=17 executable-jar@jdk=25 --service {outcome.service}"
    if outcome.kind == "command":
        return f"steelyard compare {outcome.folder} 'ANOTHER COMMAND'"
    if rest:
        return f"steelyard compare tomcat-metro jetty-metro --service {outcome.service}"
    return f"steelyard compare tomcat-metro wildfly --service {outcome.service}"
