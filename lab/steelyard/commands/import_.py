"""`steelyard import`: makes a service folder from a description of a service, or from another tool's file of requests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import ConfigurationError
from ..base.terminal import console
from ..base.text import first_names, plural
from ..models.outputs.own_service import ImportOutput, LeftOut
from ..workload.importing import bounded
from .examples import examples
from .options import Json

commands = typer.Typer()
_LISTED = 10  # parts that a line of the summary names


@commands.command(
    name="import",
    short_help="Make a service folder from a description or requests.",
    epilog=examples(
        "steelyard import 'http://127.0.0.1:8080/shop?wsdl' --out shop",
        "steelyard import shop.wsdl --out shop",
        "steelyard import http://127.0.0.1:8080/openapi.json --out shop",
        "steelyard import http://127.0.0.1:8080/graphql --out shop",
        "steelyard import shop.proto --target http://127.0.0.1:50051 --out shop",
        "steelyard import plan.jmx --out shop",
    ),
)
def import_service(
    source: Annotated[
        str,
        typer.Argument(
            metavar="URL|FILE",
            help="A WSDL 1.1, a Swagger 2.0, an OpenAPI 3 or a GraphQL schema: its address, or a file. Or a .proto file. Or a file "
            "of requests: curl commands, calls of fetch and PowerShell, .http, HAR, Siege URLs, JMeter, Postman, SoapUI.",
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="The service folder to make.")] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACE",
            help="A server (http://HOST:PORT) or folder that imports and references may lead to, too; repeatable.",
        ),
    ] = None,
    port: Annotated[
        list[str] | None,
        typer.Option(
            help="A port of a WSDL to take over (default: all that speak SOAP). Of an OpenAPI document or of requests the "
            "server, http://HOST:PORT. Of a .proto file the service. Repeatable."
        ),
    ] = None,
    target: Annotated[
        str, typer.Option(metavar="URL", help="The server to load (default: the one in the document).")
    ] = "",
    assets: Annotated[
        bool, typer.Option("--assets", help="Of a HAR file: also its images, fonts, styles and scripts.")
    ] = False,
    catalog: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For a WSDL: an XML catalog (OASIS) with your own files of what it imports."),
    ] = None,
    json: Json = False,
) -> None:
    """Make a service folder from a WSDL, an OpenAPI document, a GraphQL schema or a .proto file: its contract, one sample request
    per operation, and a service.toml to review. From another tool's file: its requests, rules and data, without secrets; scripts
    are listed, never run."""
    if out is None:
        raise ConfigurationError("--out is missing: the service folder to make", hint="--out NAME")
    imported = bounded.convert_in_bounds(
        source, out, also or [], port or [], target, assets=assets, catalog=str(catalog or "")
    )
    if json:
        print(imported.model_dump_json())
    else:
        _print_outcome(imported)


def _print_outcome(imported: ImportOutput) -> None:
    terminal = console(stderr=False)
    how = "each with a valid sample request" if imported.samples_valid else "each with its own request as a sample"
    lines = [
        f"{imported.folder}: {plural(imported.operations, 'operation')} of {imported.source}, {how}",
        f"recognized as {imported.kind}: {imported.shown_by}",
    ]
    lines += [
        f"  {name}{'  (changes data: loaded with --writes only)' if name in imported.changing else ''}"
        for name in imported.taken
    ]
    for session in imported.sessions:
        values = f"; values of answers: {', '.join(session.captures)}" if session.captures else ""
        steps = f"{plural(len(session.steps), 'step')}: {', '.join(session.steps)}"
        lines.append(f"session {session.session}, {steps}{values}")
    if imported.left_out:
        lines.append(f"imported: {imported.operations}; not imported: {len(imported.left_out)}")
    lines += _left_out_lines(imported.left_out)
    lines += [f"note: {note}" for note in imported.notes]
    writes = " --writes" if imported.sessions and imported.changing else ""
    lines += [
        f"next: review {imported.folder}/service.toml and samples/, "
        f"then `steelyard load {imported.folder} --users 4 --for 10s{writes}`"
    ]
    for line in lines:
        terminal.print(line, soft_wrap=True)


def _left_out_lines(left_out: Sequence[LeftOut]) -> list[str]:
    """A line for each reason, with how many parts share it and what they are."""
    parts_of: dict[str, list[str]] = {}
    for omission in left_out:
        parts_of.setdefault(omission.why, []).append(omission.what)
    lines = []
    for why, parts in parts_of.items():
        counted = f" ({len(parts)})" if len(parts) > 1 else ""
        lines.append(f"not imported{counted}: {first_names(parts, _LISTED)}: {why}")
    return lines
