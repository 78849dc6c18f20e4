"""A paper's tables of indices as data: throughput relative to a reference server, by use case, payload and users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.csvfiles import is_stored, read_table
from ..base.errors import StoreError
from .published_tables import Printed, printed_number

INDICES, HARDWARE = "indices.csv", "hardware.csv"
COLUMNS = ("use_case", "payload", "users", "server", "index")
SHARES = ("client_processor", "client_bandwidth", "server_processor", "server_bandwidth")


@dataclass(frozen=True)
class PublishedIndex:
    """A server's throughput over the reference's in one cell, as printed; `line` is the row's in the file."""

    line: int
    use_case: str
    payload: int
    users: int
    server: str
    index: Printed


def read_indices(path: Path) -> tuple[PublishedIndex, ...]:
    """The rows of a table with COLUMNS; raises StoreError with file and line."""
    indices: dict[tuple[str, int, int, str], PublishedIndex] = {}
    for row in read_table(path, COLUMNS):
        made = PublishedIndex(
            row.line,
            row.text("use_case"),
            row.whole("payload"),
            row.whole("users"),
            row.text("server"),
            printed_number(row, "index"),
        )
        key = (made.use_case, made.payload, made.users, made.server)
        if key in indices:
            raise StoreError(
                f"{path}, line {row.line}: this cell of {made.server} is already in line {indices[key].line}"
            )
        indices[key] = made
    return tuple(indices.values())


def quantities(folder: Path) -> dict[str, Printed]:
    """Every printed number by its name in claims: USECASE_USERS_PAYLOAD_SERVER for an index, and USECASE_SERVER_COLUMN for the
    hardware's, with `_` in place of other characters. Raises StoreError."""
    named = {
        _name(published.use_case, published.users, published.payload, published.server): published.index
        for published in read_indices(folder / INDICES)
    }
    if is_stored(folder / HARDWARE):
        for row in read_table(folder / HARDWARE, ("use_case", "server", *SHARES)):
            for share in SHARES:
                named[_name(row.text("use_case"), row.text("server"), share)] = printed_number(row, share)
    return named


def by_cell(rows: Sequence[PublishedIndex], use_case: str) -> Mapping[tuple[int, int], Mapping[str, str]]:
    """The printed index of each server for one use case, by (users, payload)."""
    texts: dict[tuple[int, int], dict[str, str]] = {}
    for row in rows:
        if row.use_case == use_case:
            texts.setdefault((row.users, row.payload), {})[row.server] = row.index.text
    return texts


def _name(*parts: object) -> str:
    return "_".join(str(part) for part in parts).replace("-", "_")
