"""The `add` command with an OpenAPI document: a WAR, an executable jar or a command line becomes a service."""

from __future__ import annotations

import re
from pathlib import Path

import tomli_w

from ...base import configuration
from ...base.errors import ConfigurationError, ImportRefusedError
from ...base.paths import HOST
from ...base.temporary_folder import temporary_folder
from ...catalogue.entries import SERVICE_FILE
from ...models.outputs.own_service import AddOutput
from ...models.service import Service
from .adding import Wanted, free_place, servers_of
from .bounded import convert_in_bounds
from .folder import TARGET
from .programs import IMPLEMENTATIONS, Program, program_of

_PLACEHOLDER = f"http://{HOST}:8080"  # each server gets a port of its own
_OF_SERVERS = """
# `steelyard compare` starts servers on ports of their own. `target` is for `steelyard load`, if you start one yourself.
"""


def add(wanted: Wanted) -> AddOutput:
    """Make a service of a program and its OpenAPI document in the user's own folder of services.

    Writes all of it or nothing; raises SteelyardError.
    """
    if wanted.ports:
        raise ConfigurationError("--port chooses a port of a WSDL", hint="leave it out with --openapi")
    program = program_of(wanted.program)
    name, place = free_place(wanted.name or program.name)
    path = _path(wanted, program, name)
    with temporary_folder(place.parent) as scratch:
        made = scratch / name
        imported = convert_in_bounds(wanted.description, made, wanted.also, [], f"{_PLACEHOLDER}{path}")
        if not (made / "contract" / "document").is_dir():
            raise ImportRefusedError(
                f"{wanted.description} is not an OpenAPI document",
                hint="--wsdl takes a WSDL, `steelyard import` the requests of another tool",
            )
        _complete(made / SERVICE_FILE, program, path)
        program.write(made)
        model = configuration.load(made / SERVICE_FILE, Service)
        made.rename(place)
    return AddOutput(
        service=name,
        kind=program.kind,
        folder=str(place),
        path=path or "/",
        operations=list(model.operations),
        changing=imported.changing,
        servers=servers_of(IMPLEMENTATIONS[program.kind]) if program.kind in IMPLEMENTATIONS else [],
        left_out=imported.left_out,
        notes=[*(note for note in imported.notes if "`target`" not in note), *program.notes],
    )


def _path(wanted: Wanted, program: Program, name: str) -> str:
    """The path before those of the document, of a WAR its context; empty for the path of the document's server."""
    if wanted.path is not None and not wanted.path.startswith("/"):
        raise ConfigurationError(f"--path must begin with /, and is '{wanted.path}'", hint="--path /api")
    given = (wanted.path or "").rstrip("/")
    return f"/{name}{given}" if program.kind == "war" else given


def _complete(file: Path, program: Program, path: str) -> None:
    """Write into the service's file who made it, how a command is started, and its path, which names a WAR's context."""
    text = file.read_text(encoding="utf-8").replace("`steelyard import`", "`steelyard add`", 1)
    if program.kind == "command":
        start = tomli_w.dumps({"start": program.start}).rstrip()
        text = re.sub(r"^target = .*$", lambda line: f"{line[0]}\n{start}", text, count=1, flags=re.MULTILINE)
    else:
        text = text.replace(TARGET, _OF_SERVERS, 1)
    if path:
        text = text.replace('\npath = "/"\n', f'\npath = "{path}"\n', 1)
    file.write_text(text, encoding="utf-8")
