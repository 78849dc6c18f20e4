"""What is known of a server without starting it, and what checks found of many, kept in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...base.errors import StoreError
from ...catalogue.entries import Entry
from ...hosts import fetch
from ...models.outputs.catalogue import ServerRow, ServersOutput
from ...models.server import Server


def row(server: Entry[Server], factors: Mapping[str, str] | None = None) -> ServerRow:
    """What is known of a server without starting it: as it runs by default, or under these factors, all of them."""
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
        bytes=fetch.bytes_to_fetch(server),
        deviations=model.deviations,
    )


def kept_in(path: Path) -> list[ServerRow]:
    """The rows that a JSON file holds, none where it is not there yet; raises StoreError where no rows can be kept in it."""
    if not path.parent.is_dir():
        raise StoreError(
            f"{path} cannot be written: there is no folder {path.parent}", hint="--save names another file"
        )
    if not path.exists():
        return []
    try:
        return ServersOutput.model_validate_json(path.read_text(encoding="utf-8")).servers
    except (OSError, ValueError):
        raise StoreError(
            f"{path} does not hold what `servers check` keeps",
            hint="--save names another file, or one that is not there",
        ) from None


def keep(path: Path, rows: Sequence[ServerRow]) -> None:
    """Write the rows to a JSON file, in order of name; those of other servers that it holds already stay."""
    joined = {row.name: row for row in (*kept_in(path), *rows)}
    output = ServersOutput(servers=[joined[name] for name in sorted(joined)])
    try:
        path.write_text(output.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
