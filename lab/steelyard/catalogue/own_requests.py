"""The requests of a comparison of the user's own servers, with the rules for their answers: a service folder that a run keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from ..base.errors import ConfigurationError, StoreError, why_unread
from ..base.paths import HOST
from ..models.service import Expect, Operation, Service
from . import entries
from .entries import Entry

CHANGING_METHODS = ("PUT", "PATCH", "DELETE")
_HERE = f"http://{HOST}"  # placeholder: each subject has a port of its own
_KINDS = {"<": "text/xml; charset=utf-8", "{": "application/json", "[": "application/json"}


@dataclass(frozen=True)
class OwnRequests:
    """A service without its start lines, and the files that it names, by their paths in its folder."""

    service: Service
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> None:
        """Write the service's folder; raises StoreError."""
        content = self.service.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
        try:
            folder.mkdir(parents=True)
            (folder / entries.SERVICE_FILE).write_text(tomli_w.dumps(content), encoding="utf-8")
            for name, held in self.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(held)
        except OSError as error:
            raise StoreError(f"the requests cannot be stored in {folder}: {error.strerror}") from None

    def has_same_requests(self, other: OwnRequests) -> bool:
        """Whether both send the same requests, alone and in sessions."""
        own, others = self.service, other.service
        return (own.operations, own.sessions, self.files) == (others.operations, others.sessions, other.files)

    def mix(self, operation: str | None, *, writes: bool) -> dict[str, float]:
        """The load with its weights: the operation or session of a name, else all sessions, or without sessions all operations,
        each only if it does not change data, unless `writes`.

        Raises ConfigurationError where none is left.
        """
        service = self.service
        if operation is not None:
            return {operation: 1.0}
        weights = {name: session.weight for name, session in service.sessions.items()}
        kind = "sessions" if weights else "operations"
        weights = weights or dict.fromkeys(service.operations, 1.0)
        loaded = {name: weight for name, weight in weights.items() if writes or not self._changes_data(name)}
        if not loaded:
            raise ConfigurationError(
                f"all {kind} of {service.name} change data ({', '.join(weights)})",
                hint="--writes loads them, or correct changes_data in service.toml",
            )
        return loaded

    def _changes_data(self, name: str) -> bool:
        """Whether an operation, or a step of the session of this name, changes data."""
        operations = self.service.operations
        if name in operations:
            return operations[name].changes_data
        return any(
            step.changes_data or (step.operation is not None and operations[step.operation].changes_data)
            for step in self.service.sessions[name].requests()
        )


def of_service(service: Entry[Service]) -> OwnRequests:
    """The requests of a service that names its target.

    Raises ConfigurationError where one of its files cannot be read.
    """
    auth = service.model.auth
    if auth is not None:
        auth = auth.model_copy(update={"secret": _absolute_source(service.folder, auth.secret)})
    secrets = {name: _absolute_source(service.folder, source) for name, source in service.model.secrets.items()}
    changed = {"start": None, "ready": None, "stop": None, "auth": auth, "secrets": secrets}
    model = service.model.model_copy(update=changed)
    return OwnRequests(model, {name: _read(service, name) for name in dict.fromkeys(_named_files(service))})


def _absolute_source(folder: Path, source: str) -> str:
    """The source of a secret, with an absolute path where it is a file of the service's folder."""
    kind, _, name = source.partition(":")
    return f"file:{(folder / Path(name).expanduser()).resolve()}" if kind == "file" else source


def of_words(requests: Sequence[str], body: str | None) -> OwnRequests:
    """The requests of texts such as `GET /items/7`, with `body` for a single one; raises ConfigurationError."""
    if body is not None and len(requests) != 1:
        raise ConfigurationError("--body needs exactly one --request", hint="write a service.toml for several requests")
    operations: dict[str, Operation] = {}
    files: dict[str, bytes] = {}
    for words in requests:
        match = re.fullmatch(r"\s*([A-Za-z]{1,20})\s+(/\S*)\s*", words)
        if match is None:
            raise ConfigurationError(f"'{words[:200]}' is not a request", hint="write --request 'GET /items/7'")
        method, path = match[1].upper(), match[2]
        plain = re.sub(r"[^a-z0-9]+", "-", f"{method} {path}".lower()).strip("-")[:60]
        name = plain if plain not in operations else f"{plain}-{len(operations) + 1}"
        sample = None if body is None else f"samples/{name}"
        if body is not None:
            files[f"samples/{name}"] = body.encode()
        kind = _KINDS.get((body or "").lstrip()[:1], "application/octet-stream")
        operations[name] = Operation(
            meaning=f"{method} {path}",
            method=method,
            path=path,
            sample=sample,
            headers={} if body is None else {"Content-Type": kind},
            changes_data=method in CHANGING_METHODS,
        )
    service = Service(
        name="requests",
        title="requests of the command line",
        meaning="json",
        path="/",
        target=_HERE,
        operations=operations,
        expect=Expect(fault="any"),
    )
    return OwnRequests(service, files)


def _named_files(service: Entry[Service]) -> Iterator[str]:
    """The files that a service's descriptor names, by their paths in its folder."""
    model = service.model
    for operation in model.operations.values():
        yield from (sample for sample in (operation.sample, *operation.samples) if sample is not None)
    rules = [model.expect, *(operation.expect for operation in model.operations.values())]
    rules += [step.expect for session in model.sessions.values() for step in session.requests()]
    for expect in rules:
        yield from () if expect.answer is None else (expect.answer,)
    yield from (column.file for column in model.data.values() if column.file is not None)
    if model.schema_file is not None:
        schema = service.folder / model.schema_file
        beside = schema.parent.glob(f"*{schema.suffix}")  # a schema may include others
        yield from sorted(str(path.relative_to(service.folder)) for path in beside if path.is_file())


def _read(service: Entry[Service], name: str) -> bytes:
    path = service.folder / name
    if not path.resolve().is_relative_to(service.folder.resolve()):
        raise ConfigurationError(
            f"{service.file} names {name}, which lies outside of its folder", hint="move the file into the folder"
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path}, which {service.file} names, cannot be read: {why_unread(error)}") from None
