"""Writes the service folder of imported requests: a sample per request, tables of data, and a service.toml with open
places for secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import tomli_w

from ..body_formats import MEANINGS
from .credentials import CredentialUse, auth_variable, secret_variable
from .folder import LATER, TARGET, head_of
from .multipart import is_multipart
from .names import ENVELOPES, one_line
from .other_tools.filled_texts import NAME_OF_PLACE, is_of_the_engine
from .other_tools.imported_requests import HeldAnswer, ImportedRequests

_HOLE = """
# {{PLACE}} in OPERATIONS has no values yet; `load` refuses to start before it has. A name that begins
# with secret_ replaces a secret, which was not stored. Values given here are stored in the folders of runs.
# [data.PLACE]
# kind = "choice"                  # or csv, with file = "FILE.csv" and column = "COLUMN"
# values = ["..."]
"""
_SECRET = """
# Keep the secret in the environment or in a file of yours, never here: export the variable, or name another.
"""
_GUESSED = """
# `changes_data` keeps an operation from being loaded without --writes. It was guessed from the request: please check.
"""


@dataclass
class ImportedOperation:
    """An operation of the folder: its description `meaning`, the number of `times` that the file contains it, `more`
    bodies, and answers as recorded (`answered`)."""

    name: str
    meaning: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: str
    expect: Mapping[str, object]
    changes_data: bool
    times: int = 1
    more: Sequence[str] = ()
    answered: Sequence[HeldAnswer] = ()


@dataclass(frozen=True)
class Content:
    """The content of a folder: the service's name, its server, the imported requests, the operations, and how they get
    their credentials.

    `verb` is the command that makes it, `source` what it is made from, in words, `declared` the further keys of its
    [service]. `sessions` are as in a service file; their steps fill the places `captured`.
    """

    name: str
    target: str
    held: ImportedRequests
    operations: Sequence[ImportedOperation]
    credentials: CredentialUse
    verb: str = "import"
    source: str = "the file"
    declared: Mapping[str, object] = field(default_factory=dict)
    sessions: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    captured: frozenset[str] = frozenset()

    def texts(self, operation: ImportedOperation) -> Sequence[str]:
        """The texts of an operation that may have places: with sessions, also its headers."""
        headers = operation.headers.values() if self.sessions else ()
        return [*texts_of(operation), *headers]


def write_requests(folder: Path, place: str, content: Content) -> None:
    """Write samples/, data/ and service.toml into `folder`; `place` is where the requests came from."""
    (folder / "samples").mkdir(parents=True)
    meaning = _body_format_name(content.operations)
    described = {}
    for operation in content.operations:
        files = _write_samples(folder, operation)
        described[operation.name] = {
            **_operation_entry(operation, files),
            **_write_answers(folder / "contract" / "exchanges" / operation.name, operation, meaning),
        }
    data = _filling_columns(content)
    for file, table in content.held.files.items():
        if any(column.get("file") == f"data/{file}" for column in data.values()):
            (folder / "data").mkdir(exist_ok=True)
            (folder / "data" / file).write_text(table, encoding="utf-8", newline="")
    text = head_of(place, content.name, content.verb)
    text += tomli_w.dumps({"name": content.name, "title": content.name, "meaning": meaning})
    text += TARGET + tomli_w.dumps({"target": content.target, **content.declared, "path": content.operations[0].path})
    expect: dict[str, object] = {}
    if content.held.statuses and content.sessions:
        expect["status"] = list(content.held.statuses)
    if meaning != "soap":
        expect["fault"] = "any"
    text += "\n" + tomli_w.dumps({"expect": expect}) if expect else ""
    text += _auth(content) + _holes(content)
    if data:
        text += "\n" + tomli_w.dumps({"data": data})
    text += _GUESSED + tomli_w.dumps({"operations": described}) + _sessions(content) + LATER
    (folder / "service.toml").write_text(text, encoding="utf-8")


def _sessions(content: Content) -> str:
    return "\n" + tomli_w.dumps({"sessions": content.sessions}) if content.sessions else ""


def _auth(content: Content) -> str:
    credentials = content.credentials.auth
    if credentials is not None:
        user = {"user": credentials.user} if credentials.user else {}
        return _SECRET + tomli_w.dumps(
            {"auth": {"kind": credentials.kind, **user, "secret": f"env:{auth_variable(content.name, credentials)}"}}
        )
    places = content.credentials.places.values()
    if not places:
        return ""
    return _SECRET + tomli_w.dumps(
        {"secrets": {place: f"env:{secret_variable(content.name, place)}" for place in places}}
    )


def holes_of(content: Content) -> dict[str, list[str]]:
    """The places that neither data nor the engine fills, each with its operations."""
    holes: dict[str, list[str]] = {}
    for operation in content.operations:
        for place in dict.fromkeys(NAME_OF_PLACE.findall("\n".join(content.texts(operation)))):
            known = {*content.held.data, *content.captured, *content.credentials.places.values()}
            if place not in known and not is_of_the_engine(place):
                holes.setdefault(place, []).append(operation.name)
    return holes


def _holes(content: Content) -> str:
    return "".join(
        _HOLE.replace("PLACE", hole).replace("OPERATIONS", one_line(", ".join(names), 60))
        for hole, names in holes_of(content).items()
    )


def texts_of(operation: ImportedOperation) -> Sequence[str]:
    """The texts of an operation that may contain places."""
    return [operation.path, operation.body, *operation.more]


def _write_samples(folder: Path, operation: ImportedOperation) -> list[str]:
    """Write the bodies of an operation and return their file names; the first is its sample."""
    suffix = _suffix(operation)
    bodies = (operation.body, *operation.more)
    files = [f"samples/{operation.name}{'' if number == 1 else f'.{number}'}{suffix}" for number in _numbers(bodies)]
    for file, body in zip(files, bodies, strict=True):
        (folder / file).write_text(body, encoding="utf-8", newline="")
    return files


def _write_answers(folder: Path, operation: ImportedOperation, meaning: str) -> Mapping[str, object]:
    """Write recorded answers beside their requests, in the layout that a stand-in reads; return the rules of [expect]
    that they add."""
    endings = MEANINGS[meaning].request_ending, MEANINGS[meaning].answer_ending
    expect = dict(operation.expect)
    for number, answered in zip(_numbers(operation.answered), operation.answered, strict=True):
        folder.mkdir(parents=True, exist_ok=True)
        file = f"{number:04d}.answer.{endings[1]}"
        (folder / file).write_text(answered.answer, encoding="utf-8", newline="")
        (folder / f"{number:04d}.request.{endings[0]}").write_text(answered.request, encoding="utf-8", newline="")
        if answered.is_right and meaning == "json":
            expect["answer"] = f"contract/exchanges/{operation.name}/{file}"
    return {"expect": expect} if expect else {}


def _numbers(listed: Sequence[object]) -> range:
    return range(1, len(listed) + 1)


def _operation_entry(operation: ImportedOperation, files: Sequence[str]) -> Mapping[str, object]:
    described: dict[str, object] = {"meaning": operation.meaning, "method": operation.method, "path": operation.path}
    described |= {"sample": files[0], **({"samples": list(files[1:])} if files[1:] else {})}
    described["changes_data"] = operation.changes_data
    if operation.headers:
        described["headers"] = dict(operation.headers)
    return described


def _suffix(operation: ImportedOperation) -> str:
    begin = operation.body.lstrip()[:1]
    kinds = {"<": ".xml", "{": ".json", "[": ".json"}
    form = any(value.startswith("application/x-www-form") for value in operation.headers.values())
    parts = any(is_multipart(value) for value in operation.headers.values())
    return kinds.get(begin) or (".form" if form else ".multipart" if parts else ".txt")


def _body_format_name(operations: Sequence[ImportedOperation]) -> str:
    """The body format: SOAP if all messages are SOAP, JSON if any request or answer is JSON, else bytes."""
    bodies = [operation.body.lstrip() for operation in operations if operation.body.strip()]
    if bodies and all(any(space in body for space in ENVELOPES.values()) for body in bodies):
        return "soap"
    answers = [answered.answer.lstrip() for operation in operations for answered in operation.answered]
    return "json" if any(body.startswith(("{", "[")) for body in (*bodies, *answers)) else "bytes"


def _filling_columns(content: Content) -> dict[str, Mapping[str, object]]:
    """The columns of data that fill at least one place."""
    places = {
        place
        for operation in content.operations
        for text in content.texts(operation)
        for place in NAME_OF_PLACE.findall(text)
    }
    return {place: dict(column) for place, column in content.held.data.items() if place in places}
