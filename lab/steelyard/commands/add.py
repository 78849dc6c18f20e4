"""`steelyard add`: adds a user's WAR and its WSDL as a service, so that servers can be compared on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..base.terminal import console
from ..base.text import plural
from ..models.outputs.own_service import AddOutput
from .examples import examples
from .options import Json, takes

commands = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class AddOptions:
    """The arguments and options of `add`."""

    war: Annotated[Path, typer.Argument(metavar="WAR", help="The WAR file; it is deployed unchanged.")]
    wsdl: Annotated[str, typer.Option(metavar="URL|FILE", help="Its WSDL 1.1.")]
    name: Annotated[
        str | None, typer.Option(help="Name of the service and its context path (default: the WAR's name).")
    ] = None
    path: Annotated[
        str | None, typer.Option(help="Path of the service in the WAR (default: from the WAR or the WSDL).")
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
    short_help="Add a WAR of your own, to compare servers with it.",
    epilog=examples(
        "steelyard add shop.war --wsdl shop.wsdl",
        "steelyard add shop.war --wsdl shop.wsdl --name mine --path /Orders",
        "steelyard compare tomcat-metro wildfly --service mine",
    ),
)
@takes(AddOptions)
def add(options: AddOptions) -> None:
    """Add a WAR of your own as a service. Its contract comes from its WSDL; `compare` deploys, verifies and measures it."""
    from ..workload.importing.adding import Wanted
    from ..workload.importing.adding import add as added

    outcome = added(
        Wanted(options.war, options.wsdl, options.name, options.path, options.also or [], options.port or [])
    )
    print(outcome.model_dump_json()) if options.json else _print_outcome(outcome)


def _print_outcome(outcome: AddOutput) -> None:
    to = console(stderr=False)
    operations = plural(len(outcome.operations), "operation")
    lines = [f"{outcome.folder}: service {outcome.service}, {operations}, at {outcome.path}"]
    lines += [f"  {each}{'  (changes data)' if each in outcome.changing else ''}" for each in outcome.operations]
    lines += [f"not called: {left.what}: {left.why}" for left in outcome.left_out]
    lines += [f"note: {note}" for note in outcome.notes]
    lines += [
        f"servers that run a WAR: {', '.join(outcome.servers)}",
        f"next: review {outcome.folder}/contract/exchanges, then "
        f"`steelyard compare tomcat-metro wildfly --service {outcome.service}`",
    ]
    for line in lines:
        to.print(line, soft_wrap=True)
