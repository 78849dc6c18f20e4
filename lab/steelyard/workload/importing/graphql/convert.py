"""Converts a GraphQL schema to a service folder, and reports what was left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import tomli_w

from ....base import paths
from ....base.errors import ImportRefusedError
from ....models.outputs.own_service import ImportOutput
from ..documents import is_url
from ..folder import LATER, TARGET, first_reason, head_of, import_output
from ..names import printable
from ..new_folder import name_of
from .reading import HEADERS, is_json, read_schema
from .requests import GraphQLRequest, RequestMaker

SCHEMA = "contract/schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PATH = "/graphql"  # where servers usually answer
_CHANGES = """
# `changes_data` keeps mutations from being loaded without --writes. Samples have values of required arguments only:
# put in those that your service knows. `matches` is checked on every answer; the whole answer, and that it has no
# errors, on the stored ones.
"""


def import_graphql(
    raw: bytes, place: str, endpoint: str, made: Path, out: Path, servers: Sequence[str]
) -> ImportOutput:
    """Write the service of the schema `raw` at `place` into the folder `made`, which will be moved to `out`. Its requests go to
    `endpoint`, if that is known.

    Raises ImportRefusedError if the schema cannot be read or nothing of it can be asked for.
    """
    if servers:
        raise ImportRefusedError("a GraphQL schema names no servers to choose from", hint="--target URL is its server")
    maker = RequestMaker(read_schema(raw, place))
    requests = maker.requests()
    if not requests:
        raise ImportRefusedError(f"nothing of {place} can be asked for{first_reason(maker.left)}")
    notes = maker.notes()
    if not endpoint:
        endpoint = paths.url(8080, _PATH)
        notes.append(
            f"a schema names no server: `target` in service.toml is set to {endpoint}; --target URL names another"
        )
    _write(made, name_of(out), place, endpoint, requests)
    kept = made / "contract" / "document"
    kept.mkdir()
    (kept / ("schema.json" if is_json(raw) else "schema.graphql")).write_bytes(raw)
    taken = {request.name: request.changes_data for request in requests}
    return import_output(out, place, taken, maker.left, notes)


def _write(folder: Path, name: str, place: str, endpoint: str, requests: Sequence[GraphQLRequest]) -> None:
    """Write contract/, samples/ and service.toml."""
    for room in ("contract", "samples"):
        (folder / room).mkdir()
    answers = {"$schema": _DIALECT, "$defs": {request.name: request.answer for request in requests}}
    (folder / SCHEMA).write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    parts = urlsplit(endpoint)
    path = (parts.path or _PATH) + (f"?{parts.query}" if parts.query else "")
    text = head_of(place, name) + tomli_w.dumps({"name": name, "title": name, "meaning": "json", "schema": SCHEMA})
    text += TARGET + tomli_w.dumps({"target": f"{parts.scheme}://{parts.netloc}", "path": path, "headers": HEADERS})
    text += _CHANGES
    for request in requests:
        file = f"samples/{request.name}.json"
        (folder / file).write_text(request.body(), encoding="utf-8", newline="")
        left = printable(", ".join(request.left_open), 1000)
        text += f"\n# optional arguments: {left}\n" if left else "\n"
        entry = {
            "meaning": request.meaning,
            "sample": file,
            "changes_data": request.changes_data,
            "expect": {"status": [200], "matches": request.rule},
        }
        text += tomli_w.dumps({"operations": {request.name: entry}})
    (folder / "service.toml").write_text(text + LATER, encoding="utf-8")


def endpoint_of(place: str, target: str) -> str:
    """The URL that requests go to: the target with its path or that of the place, or the place that answered itself; empty if
    none is known."""
    own = place if is_url(place) and urlsplit(place).path.rstrip("/").endswith(_PATH) else ""
    if not target:
        return own
    path = urlsplit(target).path.rstrip("/")
    return f"{target.rstrip('/')}{'' if path else urlsplit(own).path or _PATH}"
