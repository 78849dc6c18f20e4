"""Writes the requests of a load for the engine, and the rules for their answers."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, cycle, islice, repeat
from pathlib import Path

from ..base.errors import ConfigurationError, StoreError
from ..models.job import Rule
from .corpus import COLUMNS, Corpus, keep_sizes
from .load_operation import LoadOperation
from .load_target import LoadTarget
from .own_sessions import write_rows

_PACKED = "gzip, deflate"
_Request = tuple[int, int, str]  # the offset and length of its body, and its path


def write_requests(
    load_target: LoadTarget, folder: Path, headers: Mapping[str, str], *, packed: bool, chunked: bool
) -> Corpus:
    """Write corpus.bin, corpus.csv and the sizes of the requests; `headers` come before each request's own.

    `packed` accepts answers in gzip or deflate, `chunked` sends bodies in chunks. Raises StoreError.
    """
    rules: dict[str, Rule] = {}
    offset = 0
    entry = count()
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
                about = [name, int(not operation.changes_data), operation.method]
                requests: list[_Request] = []
                for path, body in zip(operation.paths or repeat(operation.path), operation.bodies, strict=False):
                    sent = _in_chunks(operation, body) if chunked and body else body
                    bodies.write(sent)
                    requests.append((offset, len(sent), path))
                    offset += len(sent)
                for (at, length, path), pause in _with_pauses(requests, operation.pauses_ms):
                    rows.writerow([next(entry), name, at, length, *about, path, own, "", pause, int(operation.filled)])
        keep_sizes(folder)
        write_rows(load_target.sessions, folder)
    except OSError as error:
        raise StoreError(f"the requests cannot be written to {folder}: {error.strerror}") from None
    return Corpus(folder, rules)


def _with_pauses(requests: Sequence[_Request], pauses_ms: Sequence[float]) -> Iterator[tuple[_Request, float | str]]:
    """Each request with a recorded pause, so that all requests and all pauses occur; an empty text where there are none."""
    return islice(zip(cycle(requests), cycle(pauses_ms or [""]), strict=False), max(len(requests), len(pauses_ms)))


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
