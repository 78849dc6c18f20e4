"""Writes the service folder of an OpenAPI document: path and body of each operation, editable in service.toml."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from ..folder import LATER, TARGET, head_of
from ..names import one_line, printable
from .credentials import RestCredentials
from .operations import SampledRequest

SCHEMA = "contract/schema.json"
REQUESTS = "contract/requests.json"
_CHANGES = """
# `changes_data` keeps an operation from being loaded without --writes. It was guessed from the method: please check.
# `path` holds the values of its parameters, percent-encoded. Parameters without an example in the description
# are listed above each operation.
"""
_AUTH = """
# Authentication: WORDS. Keep the secret in the environment or in a file of yours (file:/path), never here.
"""


@dataclass(frozen=True)
class RestFolder:
    """The content of the folder: the service's `name` and `title`, the `place` of its description, its `target`, its
    `credentials`, the requests, and both schemas; `answers` is empty if no answer is
    checked."""

    name: str
    title: str
    place: str
    target: str
    credentials: RestCredentials
    sampled: Sequence[SampledRequest]
    answers: Mapping[str, Any]
    requests: Mapping[str, Any]


def write_rest_service(folder: Path, content: RestFolder) -> None:
    """Write contract/, samples/ and service.toml into `folder`."""
    for room in ("contract", "samples"):
        (folder / room).mkdir(exist_ok=True)
    described: dict[str, object] = {"name": content.name, "title": content.title or content.name, "meaning": "json"}
    _write_json(folder / REQUESTS, content.requests)
    if content.answers:
        _write_json(folder / SCHEMA, content.answers)
        described["schema"] = SCHEMA
    text = head_of(content.place, content.name)
    text += tomli_w.dumps(described) + TARGET + tomli_w.dumps({"target": content.target, "path": "/"})
    credentials = content.credentials.tables(content.name)
    if credentials:
        text += _AUTH.replace("WORDS", printable(content.credentials.words)) + tomli_w.dumps(credentials)
    text += _CHANGES
    for sample in content.sampled:
        name = sample.operation.name
        text += (
            f"\n# optional parameters: {printable(', '.join(sample.left_open), 1000)}\n" if sample.left_open else "\n"
        )
        text += tomli_w.dumps(
            {"operations": {name: _operation_entry(sample, folder, content.answers.get("$defs", {}))}}
        )
    (folder / "service.toml").write_text(text + LATER, encoding="utf-8")


def _operation_entry(sample: SampledRequest, folder: Path, judged: Mapping[str, Any]) -> dict[str, object]:
    operation = sample.operation
    title = f"{operation.method.upper()} {one_line(operation.template, 100)}"
    described: dict[str, object] = {
        "meaning": f"{title}{f': {operation.text}' if operation.text else ''}",
        "method": operation.method.upper(),
        "path": sample.path,
        **({"template": sample.template} if sample.template else {}),
        "changes_data": operation.changes_data,
    }
    headers = {"Accept": operation.accept, **sample.headers}
    if sample.body is not None:
        described["sample"] = f"samples/{operation.name}.{sample.body.ending}"
        headers["Content-Type"] = sample.body.content_type
        (folder / str(described["sample"])).write_text(sample.body.text, encoding="utf-8", newline="")
    described["headers"] = headers
    expect: dict[str, object] = {"status": list(operation.statuses)}
    if operation.has_body:
        expect["least"] = 1
    if judged and operation.name not in judged:
        expect["schema"] = False
    described["expect"] = expect
    return described


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
