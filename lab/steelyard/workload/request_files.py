"""Writes the requests of a load for the engine, and the rules for their answers."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from itertools import repeat
from pathlib import Path

from ..base.errors import ConfigurationError, StoreError
from ..models.job import Rule
from .corpus import COLUMNS, Corpus, keep_sizes
from .load_operation import LoadOperation
from .load_target import LoadTarget
from .own_sessions import write_rows

_PACKED = "gzip, deflate"


def write_requests(
    load_target: LoadTarget, folder: Path, headers: Mapping[str, str], *, packed: bool, chunked: bool
) -> Corpus:
    """Write corpus.bin, corpus.csv and the sizes of the requests; `headers` come before each request's own.

    `packed` accepts answers in gzip or deflate, `chunked` sends bodies in chunks. Raises StoreError.
    """
    rules: dict[str, Rule] = {}
    offset = entry = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (
            (folder / "corpus.bin").open("wb") as bodies,
            (folder / "corpus.csv").open("w", newline="", encoding="utf-8") as index,
        ):
            rows = csv.writer(index, lineterminator="\n")
            rows.writerow(COLUMNS)
            for name, operation in load_target.operations.items():
                rules[name] = operation.rule()
                own = json.dumps(_headers(operation, headers, packed=packed, chunked=chunked))
                for path, body in zip(operation.paths or repeat(operation.path), operation.bodies, strict=False):
                    sent = _in_chunks(operation, body) if chunked and body else body
                    bodies.write(sent)
                    safe = int(not operation.changes_data)
                    rows.writerow(
                        [
                            entry,
                            name,
                            offset,
                            len(sent),
                            name,
                            safe,
                            operation.method,
                            path,
                            own,
                            "",
                            "",
                            int(operation.filled),
                        ]
                    )
                    offset += len(sent)
                    entry += 1
        keep_sizes(folder)
        write_rows(load_target.sessions, folder)
    except OSError as error:
        raise StoreError(f"the requests cannot be written to {folder}: {error.strerror}") from None
    return Corpus(folder, rules)


def _headers(operation: LoadOperation, headers: Mapping[str, str], *, packed: bool, chunked: bool) -> dict[str, str]:
    together = dict(operation.headers)
    for name, value in headers.items():
        together = {own: text for own, text in together.items() if own.lower() != name.lower()} | {name: value}
    if packed:
        together["Accept-Encoding"] = _PACKED
    if chunked and any(operation.bodies):
        together["Transfer-Encoding"] = "chunked"
    return together


def _in_chunks(operation: LoadOperation, body: bytes) -> bytes:
    """A body in two chunks and the final, empty one."""
    if operation.filled:
        raise ConfigurationError(
            f"{operation.name} has placeholders that the engine fills, so it cannot be sent in chunks",
            hint="leave --chunked out",
        )
    middle = max(1, len(body) // 2)
    pieces = [piece for piece in (body[:middle], body[middle:]) if piece]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
