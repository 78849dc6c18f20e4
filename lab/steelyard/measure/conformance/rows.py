"""Rows of server descriptions and check results, and the JSON file that stores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...base.errors import StoreError, ToolchainError
from ...catalogue.entries import Entry
from ...hosts import build, fetch
from ...hosts.toolchain import require
from ...models.outputs.catalogue import ServerRow, ServersOutput
from ...models.server import Server


def row(server: Entry[Server], factors: Mapping[str, str] | None = None) -> ServerRow:
    """The description of a server before it is started: with its default factors, or with these factors, all of them."""
    chosen = server.model.defaults() if factors is None else factors
    model = server.model.as_run(chosen)
    server = replace(server, model=model)
    return ServerRow(
        name=server.name,
        title=model.title,
        version=model.version,
        stack=model.stack,
        language=model.language,
        kind=model.kind,
        floor=model.floor,
        jdk=model.needs_with(chosen).jdk,
        fetched=fetch.is_fetched(server),
        missing=_missing(server, chosen),
        never_run=model.never_run,
        bytes=fetch.bytes_to_fetch(server),
        deviations=model.deviations,
    )


def _missing(server: Entry[Server], factors: Mapping[str, str]) -> str | None:
    """Why the server cannot run on this machine; None where all that must be here beforehand is."""
    try:
        require(server.model.needs_with(factors), server.name)
        build.require_available(server)
    except ToolchainError as error:
        return error.message
    return None


def kept_in(path: Path) -> list[ServerRow]:
    """The rows of a JSON file, empty where the file does not exist yet; raises StoreError where the file cannot hold rows."""
    if not path.parent.is_dir():
        raise StoreError(f"{path} cannot be written: there is no folder {path.parent}", hint="give --save another file")
    if not path.exists():
        return []
    try:
        return ServersOutput.model_validate_json(path.read_text(encoding="utf-8")).servers
    except (OSError, ValueError):
        raise StoreError(
            f"{path} contains no results of `servers check`",
            hint="give --save another file, or a new one",
        ) from None


def keep(path: Path, rows: Sequence[ServerRow]) -> None:
    """Write the rows to a JSON file, in order of name; rows of other servers in the file stay."""
    joined = {row.name: row for row in (*kept_in(path), *rows)}
    output = ServersOutput(servers=[joined[name] for name in sorted(joined)])
    try:
        path.write_text(output.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
